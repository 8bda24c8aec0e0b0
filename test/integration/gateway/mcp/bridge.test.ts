import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../../../support/cache.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { callText, cutTransport } from '../../../support/mcp/cutClient.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { postgresDatabase } from '../../../support/network/postgres.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

const ways: readonly [what: string, path: string, prefix: string][] = [
  ['one server', '/web/mcp', ''],
  ['one program', '/local/mcp', ''],
  ['several servers', '/mcp', 'web__'],
];

describe('a client of the legacy era, and servers that only speak the modern one', () => {
  let fixture: HttpFixture;
  let replicas: readonly Stand[];
  let key: string;

  before(async () => {
    fixture = await httpFixture({ modernOnly: true });
    const first = await openStand({
      database: { kind: 'postgres', url: await postgresDatabase() },
      stdio: { isTrusted: true, allowedCommands: [process.execPath] },
    });
    await first.register({ alias: 'web', url: fixture.url });
    const args = [join(projectRoot, 'test', 'support', 'mcp', 'stdioFixture.child.ts')];
    const program = { command: process.execPath, args, env: { MODERN_ONLY: '1' } };
    await first.addServer({ alias: 'local', transport: 'stdio', ...program });
    replicas = [first, await first.replica()];
    key = await first.addKey();
  });
  after(async () => {
    await replicas[0]?.close();
    await fixture.close();
  });

  async function withClient(
    path: string,
    work: (client: Client) => Promise<void>,
    capabilities: ClientCapabilities = { elicitation: {} },
    pick = (_init?: RequestInit): number => 0,
  ): Promise<void> {
    const bases = replicas.map((it) => it.base);
    const way = await cutTransport(bases, path, { authorization: `Bearer ${key}` }, pick);
    const client = new Client(
      { name: 'older', version: '1' },
      { capabilities, versionNegotiation: { mode: 'legacy' } },
    );
    if ('elicitation' in capabilities)
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
    try {
      await client.connect(way.transport);
      await work(client);
    } finally {
      await client.close();
      await way.close();
    }
  }

  for (const [what, path, prefix] of ways) {
    it(`lists, calls, reads, and completes at the address of ${what}`, async () => {
      verifies('gateway.eras.bridge');
      await withClient(path, async (client) => {
        const { tools } = await client.listTools();
        assert.ok(tools.some((it) => it.name === `${prefix}echo`));
        assert.equal(await callText(client, `${prefix}echo`, { text: 'hello' }), 'hello');
        const { prompts } = await client.listPrompts();
        assert.ok(prompts.some((it) => it.name === `${prefix}test_simple_prompt`));
        const { contents } = await client.readResource({ uri: 'test://static-text' });
        assert.match(JSON.stringify(contents), /content of the static text resource/);
        const { completion } = await client.complete({
          ref: { type: 'ref/prompt', name: `${prefix}test_prompt_with_arguments` },
          argument: { name: 'arg1', value: 'par' },
        });
        assert.deepEqual(completion.values, ['paris', 'park', 'party']);
        const unknown = await client.callTool({ name: `${prefix}no_such_tool`, arguments: {} });
        assert.equal(unknown.isError, true);
      });
    });

    it(`is asked for input on the stream of its call at the address of ${what}, and the answer may reach another replica`, async () => {
      verifies('gateway.eras.bridge');
      const ask = (client: Client) => callText(client, `${prefix}test_input_required`);
      const isAsked = async (client: Client) => assert.equal(await ask(client), 'round-1: hello Ada');
      await withClient(path, isAsked);
      await withClient(path, isAsked, { elicitation: {} }, isAnswer);
      await withClient(path, (client) => assert.rejects(ask(client), /capabilities do not declare/), {});
    });

    it(`gets progress, and the log messages of the level that it set, at the address of ${what}`, async () => {
      verifies('gateway.eras.bridge');
      await withClient(path, async (client) => {
        const logged: unknown[] = [];
        client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data));
        await client.setLoggingLevel('info');
        const progress: number[] = [];
        const options = { onprogress: (it: { readonly progress: number }) => void progress.push(it.progress) };
        await client.callTool({ name: `${prefix}test_tool_with_progress`, arguments: {} }, options);
        await callText(client, `${prefix}test_tool_with_logging`);
        assert.deepEqual(progress, [0, 50, 100]);
        // A log message of a program does not name its call, and sessions share the process.
        if (path !== '/local/mcp')
          assert.deepEqual(logged, ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
      });
    });
  }

  it('is notified of changed lists and of updates to resources that it subscribed to', async () => {
    verifies('gateway.eras.bridge');
    await withClient('/web/mcp', async (client) => {
      const heard: string[] = [];
      client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => void heard.push(method));
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
      const listens = () => fixture.seen.filter((it) => it.method === 'subscriptions/listen').length;
      await until('the gateway listens for the session', () => listens() > 0);
      await client.subscribeResource({ uri: 'test://watched-resource' });
      await until('it listens for the resource too', () => listens() > 1);
      await until('both arrive', () => {
        fixture.modern.notify.toolsChanged();
        fixture.modern.notify.resourceUpdated('test://watched-resource');
        return new Set(heard).size === 2;
      });
    });
  });

  it('starts one program for all its sessions', async () => {
    verifies('gateway.eras.bridge');
    const counts: number[] = [];
    for (let at = 0; at < 4; at += 1)
      await withClient('/local/mcp', async (client) => {
        await callText(client, 'echo', { text: 'x' });
        const metrics = await (await replicas[0]!.as(replicas[0]!.adminKey, '/metrics')).text();
        counts.push(Number(/switchboard_stdio_processes\{server="local"\} (\d+)/.exec(metrics)?.[1]));
      });
    assert.deepEqual(counts, [1, 1, 1, 1]);
  });
});

/** Answers go to the second replica, everything else to the first. */
function isAnswer(init?: RequestInit): number {
  return typeof init?.body === 'string' && !init.body.includes('"method"') ? 1 : 0;
}
