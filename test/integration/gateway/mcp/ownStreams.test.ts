import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type EchoBackend, type Heard, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { type TestGateway, testGateway } from '../../../support/mcp/gateway.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

/** What servers say by themselves, on the streams that clients open for it. */
describe('what a server says by itself', () => {
  let backend: EchoBackend;
  let gateway: TestGateway;
  let client: RawClient;

  beforeEach(async () => {
    backend = await startEchoBackend();
    const server = { server_id: 'a', alias: 'a', transport: 'http', url: `${backend.url}/mcp` } as const;
    gateway = await testGateway({ servers: [server] });
    client = new RawClient(`${gateway.base}/mcp`);
  });
  afterEach(async () => {
    await gateway.close();
    await backend.close();
  });

  const said = (method: string, params: object = {}) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })}\n\n`;
  const readUntil = async (stream: Response, word: string) => {
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(word)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    await reader.cancel();
    return text;
  };
  const bodyOf = ({ body }: Heard) =>
    JSON.parse(body.toString() || '{}') as { readonly id?: unknown; readonly method?: string };
  const answer = (response: ServerResponse, id: unknown, result: object) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const stream = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();

  it('in a subscription arrives from its first word on, after the acknowledgement, which comes once', async () => {
    verifies('gateway.streams.first-event');
    backend.answer = (heard, response) => {
      const { id, method } = bodyOf(heard);
      const known = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };
      if (method !== 'subscriptions/listen') return answer(response, id, known);
      stream(response);
      response.write(said('resources/updated', { uri: 'note://first' }));
      response.write(said('subscriptions/acknowledged', { notifications: { toolsListChanged: true } }));
      response.write(said('resources/updated', { uri: 'note://last' }));
    };
    const wanted = { notifications: { resourceSubscriptions: ['note://first', 'note://last'] } };
    const text = await readUntil(await client.modernStream('subscriptions/listen', wanted), 'note://last');
    const order = ['acknowledged', 'note://first', 'note://last'].map((it) => text.indexOf(it));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.ok(!order.includes(-1), text);
    assert.equal(text.split('subscriptions/acknowledged').length, 2);
  });

  for (const [title, endsBefore] of [
    ['after its old stream ended', true],
    ['while its old stream goes on', false],
  ] as const) {
    it(`goes on in the stream of a session when it lost its own session and got a new one ${title}`, async () => {
      verifies('gateway.streams.rejoined');
      let sessions = 0;
      const streams = new Map<string, ServerResponse>();
      const current = () => `sid-${sessions}`;
      let isLost = false;
      backend.answer = (heard, response) => {
        const session = String(heard.headers['mcp-session-id']);
        const { id, method } = bodyOf(heard);
        if (method === 'initialize') {
          sessions += 1;
          isLost = false;
          const capabilities = { tools: {} };
          const serverInfo = { name: 'a', version: '1' };
          response.setHeader('mcp-session-id', current());
          return answer(response, id, { protocolVersion: '2025-11-25', capabilities, serverInfo });
        }
        if (isLost || session !== current()) return void response.writeHead(404).end();
        if (heard.method === 'GET') {
          stream(response);
          streams.set(session, response);
          return;
        }
        if (heard.method === 'DELETE' || id === undefined) return void response.writeHead(202).end();
        answer(
          response,
          id,
          method === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: {} }] } : { content: [] },
        );
      };
      const session = await client.initialized();
      assert.equal((await session.call('a__echo')).status, 200);
      const listening = await session.send('GET', { accept: 'text/event-stream' });
      await until('the server has a stream', () => streams.has('sid-1'));
      isLost = true;
      if (endsBefore) {
        streams.get('sid-1')?.end();
        const refused = () => backend.heard.filter((it) => it.method === 'GET').length === 2;
        await until('the stream that ended was asked for again, and refused', refused);
      }
      assert.equal((await session.call('a__echo')).status, 200);
      assert.equal(sessions, 2);
      streams.get('sid-1')?.end();
      await until('the server has a stream of the new session', () => streams.has('sid-2'));
      streams.get('sid-2')?.write(said('message', { level: 'info', data: 'after all' }));
      assert.match(await readUntil(listening, 'after all'), /after all/);
      assert.deepEqual([...streams.keys()], ['sid-1', 'sid-2']);
    });
  }
});
