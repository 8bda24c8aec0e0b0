import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'mocha';
import { RunningServer } from '../../../../../sidecar/host/mcp/runningServer.ts';
import { SessionServers } from '../../../../../sidecar/host/mcp/sessionServers.ts';
import type { LeashedChild } from '../../../../../sidecar/platform/children/children.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { McpServerState } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import { until } from '../../../../support/until.ts';

/** A program that shakes hands, and lists its tools in the moment that the test says. */
function program(listed: (answer: () => void) => void) {
  const stdout = new PassThrough();
  const say = (message: object) => stdout.emit('data', Buffer.from(`${JSON.stringify(message)}\n`));
  let stops = 0;
  let ended: (status: { code: number; signal: null }) => void = () => undefined;
  const exited = new Promise<{ code: number; signal: null }>((resolve) => void (ended = resolve));
  const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } };
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) {
        const { id, method } = JSON.parse(line) as { id?: number; method: string };
        if (id === undefined) continue;
        const reply = (more: object) => setImmediate(() => say({ jsonrpc: '2.0', id, ...more }));
        if (method === 'initialize') reply({ result: hello });
        else if (method === 'tools/list')
          setImmediate(() => listed(() => say({ jsonrpc: '2.0', id, result: { tools: [] } })));
        else reply({ error: { code: -32601, message: 'there is no such method' } });
      }
      done();
    },
  });
  const child: LeashedChild = {
    pid: 1,
    stdin,
    stdout,
    exited,
    stderrTail: () => '',
    async stop() {
      stops += 1;
      ended({ code: 0, signal: null });
    },
  };
  return { child, stops: () => stops };
}

describe('an MCP server of a session', () => {
  it('that is stopped in the moment in which it is ready ends, and is not ready', async () => {
    let server: RunningServer | undefined;
    const { child, stops } = program((answer) => {
      answer();
      server?.hold();
    });
    const states: McpServerState['kind'][] = [];
    server = new RunningServer({
      name: 'mine',
      session: 's',
      timers: systemTimers,
      children: { spawn: async () => child },
      token: () => undefined,
      advertise: () => () => undefined,
      hide: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
      moved: ({ kind }) => void states.push(kind),
      toolsChanged: () => undefined,
    });
    server.define({ name: 'mine', raw: { command: process.execPath }, folder: '/' }, {});
    server.start();
    await until('it was stopped', () => states.includes('stopped'));
    await server.settled;
    assert.deepEqual([states, server.state.kind], [['starting', 'stopped'], 'stopped']);
    await until('its process was ended', () => stops() > 0);
  });
});

describe('the MCP servers of a session', () => {
  it('are brought in line with their files once after the other', async () => {
    const waiting: ((definition: undefined) => void)[] = [];
    let [running, most] = [0, 0];
    const state = {
      serverTools: [],
      customizations: [{ type: 'mcpServer', id: 'mine', name: 'mine', enabled: true, state: { kind: 'stopped' } }],
    };
    const servers = new SessionServers({
      state: () => state as unknown as SessionState,
      commit: () => undefined,
      timers: systemTimers,
      children: { spawn: () => assert.fail('there is nothing to start') },
      async definition() {
        running += 1;
        most = Math.max(most, running);
        await new Promise<undefined>((resolve) => void waiting.push(resolve));
        running -= 1;
        return undefined;
      },
      env: () => ({}),
      token: () => undefined,
      advertise: () => () => undefined,
      hide: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
    });
    for (let n = 0; n < 3; n += 1) servers.reconcile('s');
    const end = servers.end('s').then(() => true);
    while (!(await Promise.race([end, Promise.resolve(false)]))) {
      waiting.shift()?.(undefined);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    assert.equal(most, 1);
  });
});
