import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { RunningServer, type ServerToken } from '../../../../../sidecar/host/mcp/runningServer.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';
import type { McpServerState } from '../../../../../sidecar/protocol/channels/session/customizations.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

interface Asked {
  readonly method: string;
  readonly token: string | undefined;
}
const results: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'w', version: '1' } },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

describe('a server of a session that refuses a token while another one comes', () => {
  verifies('host.auth.refused-while-replaced');
  let web: Server;
  let server: RunningServer;
  let asked: Asked[];
  let refused: string[];
  let states: McpServerState['kind'][];
  let pushed: ServerToken | undefined;
  /** Before the answer to a request that has the old token: whether it is refused. */
  let onOld: (method: string) => boolean;
  const token = (value: string): ServerToken => ({ value, refused: () => void refused.push(value) });
  const push = (value: string) => {
    pushed = token(value);
    server.take(pushed);
  };

  beforeEach(async () => {
    [asked, refused, states, pushed] = [[], [], [], undefined];
    onOld = () => false;
    web = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`;
    server = new RunningServer({
      name: 'web',
      session: 's',
      timers: systemTimers,
      children: { spawn: () => assert.fail('there is no program') },
      token: () => (pushed && !refused.includes(pushed.value) ? pushed : undefined),
      advertise: () => () => undefined,
      hide: () => undefined,
      report: (thrown) => assert.fail(String(thrown)),
      moved: ({ kind }) => void states.push(kind),
      toolsChanged: () => undefined,
    });
    server.define({ name: 'web', raw: { url }, folder: '/' }, {});
  });
  afterEach(async () => {
    await server.stop();
    web.closeAllConnections();
    await new Promise((resolve) => void web.close(resolve));
  });
  async function answer(request: IncomingMessage, response: ServerResponse) {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (request.method !== 'POST') return void response.writeHead(request.url?.includes('known') ? 404 : 405).end();
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    const sent = request.headers.authorization?.replace('Bearer ', '');
    asked.push({ method, token: sent });
    if (sent === 'old' && onOld(method)) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method];
    const reply = result ? { result } : { error: { code: -32601, message: 'there is no such method' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
  }

  const { signal } = new AbortController();
  const call = () => server.call('echo', {}, signal);
  const calls = () => asked.filter((it) => it.method === 'tools/call').map((it) => it.token);

  it('refuses the one that was sent, and is ready with the other, when that happens at its start', async () => {
    push('old');
    onOld = () => {
      push('new');
      return true;
    };
    server.start();
    await server.settled;
    assert.deepEqual([refused, states], [['old'], ['starting', 'ready']]);
    assert.equal((await call()).kind, 'result');
    assert.deepEqual(calls(), ['new']);
  });

  it('refuses the one that was sent, stays ready, and has the call go on with the other at once', async () => {
    push('old');
    server.start();
    await server.settled;
    onOld = (method) => {
      if (method === 'tools/call') push('new');
      return method === 'tools/call';
    };
    const answer = await call();
    assert.ok(answer.kind === 'auth');
    assert.deepEqual([answer.auth.reason, refused, states], ['expired', ['old'], ['starting', 'ready']]);
    let isGiven = false;
    void server.nextToken(answer.auth, signal).then(() => (isGiven = true));
    await until('the call may go on', () => isGiven);
    assert.equal((await call()).kind, 'result');
    assert.deepEqual(calls(), ['old', 'new']);
  });

  it('wants another where none came meanwhile, and waits for it', async () => {
    push('old');
    server.start();
    await server.settled;
    onOld = (method) => method === 'tools/call';
    const answer = await call();
    assert.ok(answer.kind === 'auth');
    assert.deepEqual([refused, states], [['old'], ['starting', 'ready', 'authRequired']]);
    let isGiven = false;
    const given = server.nextToken(answer.auth, signal).then(() => (isGiven = true));
    push('old');
    await new Promise((resolve) => void setImmediate(resolve));
    assert.equal(isGiven, false, 'it is the one that was refused');
    push('new');
    await given;
    assert.equal((await call()).kind, 'result');
  });
});
