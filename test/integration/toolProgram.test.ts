import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { after, afterEach, beforeEach, describe, it } from 'mocha';
import { acpProvider } from '../../sidecar/agents/acp/provider.ts';
import type { OfferedTool } from '../../sidecar/agents/provider.ts';
import { Bridge } from '../../sidecar/host/mcp/bridge.ts';
import { toolProgramOf } from '../../sidecar/launch/host/toolProgram.ts';
import { type Children, openChildren } from '../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../sidecar/platform/timers.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { projectRoot } from '../support/cache.ts';
import { approve, entryOf, offer, onlyCall, textResult } from '../support/host/clientTools.ts';
import { type HostPlace, openHostPlace } from '../support/host/hostPlace.ts';
import { openWorkspace, type Workspace } from '../support/host/workspace.ts';
import { httpFixture } from '../support/mcp/httpFixture.ts';
import { fakeAgent } from './peers/acp/fakeAgent.ts';

const asProgram = toolProgramOf(join(projectRoot, 'dist/sidecar/main.mjs'), process);

describe('an agent that reaches no MCP server over HTTP', () => {
  let place: HostPlace;
  let workspace: Workspace;
  let children: Children;
  const keys: string[] = [];
  beforeEach(() => {
    keys.length = 0;
    workspace = openWorkspace();
    children = openChildren(`${workspace.path}/children.json`, () => '2026-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await place.close();
    await children.stopAll();
    workspace.remove();
  });

  it('uses the tools of its session through a program, whose arguments hold no key', async () => {
    place = await openHostPlace([acpProvider(fakeAgent([]), { timers: systemTimers, children })], {
      toolProgram: (server) => {
        keys.push(...Object.values(server.headers).map((it) => it.replace('Bearer ', '')));
        return asProgram(server);
      },
    });
    const peer = await place.connect('c1', { env: { PATH: process.env['PATH'] ?? '' } });
    const { session, chat } = await peer.newSession({ workingDirectories: [workspace.uri] });
    await offer(peer, session, [{ name: 'count' }]);
    const turnId = await peer.prompt(chat, 'tool count {"n":1}');
    const toolCallId = await approve(peer, session, chat, turnId);
    await entryOf(peer, session, 'toolClientExecution');
    assert.equal(keys.length, 1);
    assert.deepEqual(
      commandLines().filter((it) => it.includes(keys[0]!)),
      [],
    );
    await peer.act(chat, { type: 'chat/toolCallComplete', turnId, toolCallId, result: textResult('42') } as AnyAction);
    const { responseParts } = await peer.ended(chat, turnId);
    assert.match(JSON.stringify(responseParts), /\[\{\\"type\\":\\"text\\",\\"text\\":\\"42\\"\}\]/);
    assert.deepEqual(onlyCall(peer, chat).contributor, { kind: 'client', clientId: 'c1' });
    const shown = await peer.ended(chat, await peer.prompt(chat, 'servers'));
    assert.match(JSON.stringify(shown), /SWITCHBOARD_TOOLS_HEADERS/);
    for (const it of [peer.envelopes, place.log]) assert.ok(!JSON.stringify(it).includes(keys[0]!));
  });
});

describe('the program that stands for a server over HTTP', () => {
  const bridge = new Bridge({ random: randomBytes, hide: () => undefined });
  const clients: Client[] = [];
  const processes: ChildProcess[] = [];
  afterEach(async () => {
    for (const it of clients.splice(0)) await it.close();
    for (const it of processes.splice(0)) it.kill();
  });
  after(() => bridge.close());
  let offered: OfferedTool[] = [];
  const tools = {
    list: () => offered,
    call: async (_: string, input: object) => ({
      success: true,
      content: [{ kind: 'text', text: JSON.stringify(input) } as const],
    }),
  };
  async function connect(
    server: Parameters<typeof asProgram>[0],
    onTools: (names: string[]) => void = () => undefined,
  ) {
    const { command, args, env } = asProgram(server);
    const listChanged = {
      tools: {
        debounceMs: 0,
        onChanged: (_: unknown, all: readonly { name: string }[] | null) => onTools(all?.map((it) => it.name) ?? []),
      },
    };
    const client = new Client({ name: 'test', version: '1' }, { listChanged });
    clients.push(client);
    await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env } }));
    return client;
  }

  it('serves a real client, tells it of other tools, and says when there are none any more', async () => {
    const { server, changed, close } = await bridge.open(tools);
    let told: (names: string[]) => void = () => undefined;
    const heard = new Promise<string[]>((resolve) => {
      told = resolve;
    });
    const client = await connect(server, told);
    assert.deepEqual((await client.listTools()).tools, []);
    offered = [{ name: 'count' }];
    const { content } = await client.callTool({ name: 'count', arguments: { n: 1 } });
    assert.deepEqual(content, [{ type: 'text', text: '{"n":1}' }]);
    while (!(await Promise.race([heard.then(() => true), client.listTools().then(() => false)]))) changed();
    assert.deepEqual(await heard, ['count']);
    close();
    await assert.rejects(client.listTools(), /The session's tools cannot be reached \(401\)/);
  });

  it('serves what answers in streams and keeps sessions, too', async () => {
    const fixture = await httpFixture({ legacyOnly: true });
    const client = await connect({ url: fixture.url, headers: {} });
    const { content } = await client.callTool({ name: 'echo', arguments: { text: 'hi' } });
    assert.deepEqual(content, [{ type: 'text', text: 'hi' }]);
    await client.close();
    const called = fixture.seen.find((it) => it.method === 'tools/call');
    assert.equal(typeof called?.headers['mcp-session-id'], 'string');
    assert.equal(typeof called?.headers['mcp-protocol-version'], 'string');
    await fixture.close();
  });

  it('answers what is no message, ends with its input, and does not start without an address', async () => {
    const { server } = await bridge.open(tools);
    const { command, args, env } = asProgram(server);
    const program = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    processes.push(program);
    program.stdin.write('{"jsonrpc":\n\n"text"\n');
    const lines: unknown[] = [];
    for await (const line of createInterface({ input: program.stdout })) {
      lines.push(JSON.parse(line));
      if (lines.length === 2) program.stdin.end();
    }
    const error = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This is not a valid message.' } };
    assert.deepEqual(lines, [error, error]);
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
    assert.equal(program.exitCode, 0);
    const lost = spawn(command, args, { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
    processes.push(lost);
    let said = '';
    lost.stderr.on('data', (data: Buffer) => (said += data.toString()));
    await once(lost, 'close');
    assert.equal(lost.exitCode, 2);
    assert.match(said, /must be started by an agent/);
  });
});

function commandLines(): string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1')] : [];
    } catch {
      return []; // it ended while we looked
    }
  });
}
