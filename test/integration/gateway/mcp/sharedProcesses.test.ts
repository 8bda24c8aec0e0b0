import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { after, before, describe, it } from 'mocha';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../../support/gateway/processStand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const program = join(import.meta.dirname, '../../../support/mcp/stdioFixture.child.ts');
const aliases = Array.from({ length: 12 }, (_, at) => `s${at + 1}`);

describe('twelve stdio servers and twenty sessions that are opened one after the other and never deleted', function () {
  this.timeout(180_000);
  let stand: ProcessStand;
  let gateway: GatewayProcess;
  let base: string;
  let key: string;
  /** A file: once it is there, the last of the servers starts to answer. */
  let started: string;
  const sessions: Client[] = [];

  before(async () => {
    const server = (name: string) => ({ transport: 'stdio', command: process.execPath, args: [program, name] });
    stand = openProcessStand();
    started = join(stand.folder, 'started');
    const late = { ...server('s12'), env: { WAITS_FOR: started } };
    stand.configure({
      listen: { port: 0 },
      shutdown: { leave_s: 0, grace_s: 0 },
      stdio: { allowed_commands: [process.execPath] },
      mcp_servers: { ...Object.fromEntries(aliases.map((it) => [it, server(it)])), s12: late },
    });
    gateway = stand.start('one');
    base = await gateway.baseUrl;
    const object_permission = { mcp_servers: aliases };
    ({ key } = await stand.manage<{ key: string }>(base, 'POST', '/key/generate', { object_permission }));
  });
  after(async () => {
    await Promise.allSettled(sessions.map((it) => it.close()));
    gateway.signal('SIGTERM');
    await gateway.exited;
    await stand.close();
  });

  /** Values of one metric, by server where it has one. */
  async function metric(name: string): Promise<ReadonlyMap<string, number>> {
    const response = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${stand.adminKey}` } });
    const lines = (await response.text())
      .split('\n')
      .filter((it) => it.startsWith(`${name} `) || it.startsWith(`${name}{`));
    return new Map(lines.map((it) => [/server="([^"]*)"/.exec(it)?.[1] ?? '', Number(it.split(' ').at(-1))]));
  }
  const sum = (values: ReadonlyMap<string, number>) => [...values.values()].reduce((all, it) => all + it, 0);

  it('get a list at once and a notification about the rest, share one process per server, and can call every server at the end', async () => {
    verifies('gateway.stdio.share');
    verifies('gateway.stdio.shown');
    verifies('gateway.lists.ready');
    for (let at = 0; at < 20; at += 1) {
      const client = new Client({ name: 'agent', version: '1' });
      sessions.push(client);
      const listed = new Set<string>();
      const list = async () => {
        const { tools, _meta } = await client.listTools();
        for (const { name } of tools) listed.add(name.split('__')[0] ?? '');
        return _meta?.['switchboard/pending_servers'];
      };
      client.setNotificationHandler('notifications/tools/list_changed', () => void list());
      const requestInit = { headers: { authorization: `Bearer ${key}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
      const pending = await list();
      // The first list did not wait for it, which would have been for ever.
      if (at === 0) assert.ok(Array.isArray(pending) && pending.includes('s12'), String(pending));
      writeFileSync(started, '');
      await until(`session ${at + 1} has the tools of all servers`, () => listed.size === aliases.length);
    }

    for (const at of [1, 10, 20]) {
      for (const alias of aliases) {
        const { content } = (await sessions[at - 1]?.callTool({ name: `${alias}__test_simple_text` })) ?? {};
        assert.match(JSON.stringify(content), /simple text response/, `session ${at}, ${alias}`);
      }
    }
    const processes = await metric('switchboard_stdio_processes');
    assert.deepEqual([...processes.keys()].sort(), [...aliases].sort());
    assert.ok(sum(processes) <= 16, `${sum(processes)} processes`);
    if (process.platform === 'linux')
      for (const [name, bytes] of await metric('switchboard_stdio_memory_bytes')) assert.ok(bytes > 10_000_000, name);
    const shown = await stand.manage<{ server_name: string; processes: { count: number } }[]>(
      base,
      'GET',
      '/v1/mcp/server',
    );
    assert.deepEqual(new Map(shown.map((it) => [it.server_name, it.processes.count])), processes);
    const resident = sum(await metric('switchboard_resident_bytes'));
    assert.ok(resident > 0 && resident < 300_000_000, `the gateway has ${resident} bytes`);
  });
});
