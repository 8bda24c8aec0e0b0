import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type A2aGateway, registration, startA2aGateway } from '../../../support/a2a/gateway.ts';
import { asCaller } from '../../../support/a2a/sdkClient.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { until } from '../../../support/until.ts';

const message = { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'hi' }] };
const rpc = (method: string, params: unknown = { message }) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const piece =
  'data: {"jsonrpc":"2.0","id":7,"result":{"kind":"artifact-update","artifact":{"parts":[{"text":"1234"}]}}}\n\n';
const events = { 'content-type': 'text/event-stream' };

describe('an agent that behaves badly', () => {
  let agent: EchoBackend;
  let gateway: A2aGateway;
  /** Longer than any agent here takes, however busy the machine is. */
  const options = {
    timeoutMs: 30_000,
    streamStartMs: 30_000,
    cardTimeoutMs: 30_000,
    keepAliveMs: 5,
    maxResponseBytes: 10_000,
  };
  const shortTimes = { timeoutMs: 100, streamStartMs: 100, cardTimeoutMs: 100 };

  const start = async (more: Partial<typeof options> = {}) => {
    const prices = { input_cost_per_token: 1, output_cost_per_token: 10 };
    gateway = await startA2aGateway([{ agent: registration(prices), url: `${agent.url}/rpc` }], {
      ...options,
      ...more,
    });
  };
  const restart = async (more: Partial<typeof options>) => {
    await gateway.close();
    await start(more);
  };

  beforeEach(async () => {
    agent = await startEchoBackend();
    await start();
  });
  afterEach(async () => {
    await gateway.close();
    await agent.close();
  });

  const post = (method: string, init: RequestInit = {}) =>
    asCaller(`${gateway.base}/a2a/weather`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: rpc(method),
      ...init,
    });
  const ended = async () => {
    await until('the record is finished', () => gateway.records.at(-1)?.status !== undefined);
    const { status, error, spend } = gateway.records.at(-1) ?? {};
    return [gateway.records.length, status, error, spend];
  };
  async function isFailure(response: Response, says = /./): Promise<void> {
    const body = (await response.json()) as { readonly id: unknown; readonly error: { code: number; message: string } };
    assert.deepEqual([response.status, body.id, body.error.code], [200, 7, -32603]);
    assert.match(body.error.message, says);
  }

  it('by never answering is given up after its time, and its socket is closed', async () => {
    await restart(shortTimes);
    let closed: Promise<unknown> | undefined;
    agent.answer = (_heard, response) => {
      closed = once(response, 'close');
    };
    for (const method of ['message/send', 'message/stream']) {
      await isFailure(await post(method), /in time/);
      await closed;
    }
    assert.deepEqual(await ended(), [2, 'failure', 'timed out', 0]);
  });

  it('by beginning an answer that never ends is given up too', async () => {
    await restart(shortTimes);
    agent.answer = (_heard, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    await isFailure(await post('message/send'), /in time/);
  });

  it('by beginning a stream and being silent for longer than that is waited for', async () => {
    await restart({ streamStartMs: 1_000, keepAliveMs: 40 });
    let open: ServerResponse | undefined;
    agent.answer = (_heard, response) => {
      open = response;
      response.writeHead(200, events).write(piece);
    };
    const response = await post('message/stream');
    let text = '';
    // Comments come every 40 ms, so these pauses are longer than what a stream may take to begin.
    for await (const it of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += it;
      if (text.split(': keepalive\n\n').length > 30 && !open?.writableEnded) open?.end(piece);
    }
    assert.equal(text.replaceAll(': keepalive\n\n', ''), piece + piece);
    assert.deepEqual(
      ['content-type', 'cache-control', 'x-accel-buffering'].map((it) => response.headers.get(it)),
      ['text/event-stream', 'no-cache', 'no'],
    );
    assert.deepEqual(await ended(), [1, 'success', undefined, 21]);
  });

  it('by dying between two events leaves the caller an error as the last one', async () => {
    agent.answer = (_heard, response) => {
      response.writeHead(200, events).write(piece, () => response.destroy());
    };
    const text = (await (await post('message/stream')).text()).replaceAll(': keepalive\n\n', '');
    assert.ok(text.startsWith(piece), text);
    const last = JSON.parse(text.slice(piece.length).replace('data: ', '')) as { id: number; error: { code: number } };
    assert.deepEqual([last.id, last.error.code], [7, -32603]);
    assert.deepEqual(await ended(), [1, 'failure', 'the stream was interrupted', 0]);
  });

  it('by dying within an event leaves the caller an error, and nothing of the piece', async () => {
    agent.answer = (_heard, response) => {
      response.writeHead(200, events).write(piece.slice(0, 40), () => response.destroy());
    };
    const text = (await (await post('message/stream')).text()).replaceAll(': keepalive\n\n', '');
    const only = JSON.parse(text.replace('data: ', '')) as { id: number; error: { code: number } };
    assert.deepEqual([only.id, only.error.code], [7, -32603]);
    assert.deepEqual(await ended(), [1, 'failure', 'the stream was interrupted', 0]);
  });

  it('by saying an error in a stream has failed, though the stream ended well', async () => {
    const error = 'data: {"jsonrpc":"2.0","id":7,"error":{"code":-32004,"message":"no"}}\n\n';
    agent.answer = (_heard, response) => void response.writeHead(200, events).end(piece + error);
    const text = await (await post('message/stream')).text();
    assert.equal(text.replaceAll(': keepalive\n\n', ''), piece + error);
    assert.deepEqual(await ended(), [1, 'failure', 'JSON-RPC error -32004', 0]);
  });

  const answers: readonly [says: string, answer: (heard: Heard, response: ServerResponse) => void][] = [
    ['redirecting', (_heard, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()],
    ['closing the connection', (_heard, response) => response.destroy()],
    ['answering a page', (_heard, response) => response.writeHead(503).end('<h1>secret</h1>')],
    [
      'answering half of an answer',
      (_heard, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('{"jsonrpc"', () => response.destroy()),
    ],
    ['answering too much', (_heard, response) => response.end('x'.repeat(20_000))],
    ['streaming a failure', (_heard, response) => response.writeHead(500, events).end(piece)],
  ];
  for (const [says, answer] of answers) {
    it(`by ${says} is answered for, for one call and for a stream`, async () => {
      agent.answer = answer;
      for (const method of ['message/send', 'message/stream']) await isFailure(await post(method));
      assert.equal(agent.heard.length, 2);
      const [, status, , spend] = await ended();
      assert.deepEqual([status, spend], ['failure', 0]);
    });
  }

  it('by giving a card that is none, or too late, is shown by the card it was registered with', async () => {
    const registered = { ...registration(), agent_card_params: { name: 'As registered', url: 'http://inside.test' } };
    await restart(shortTimes);
    const times = { ...options, ...shortTimes };
    const other = await startA2aGateway([{ agent: registered, url: `${agent.url}/rpc` }], times);
    const hangs = () => undefined;
    const redirects = (_heard: Heard, response: ServerResponse) =>
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    const garbage = (_heard: Heard, response: ServerResponse) =>
      response.setHeader('content-type', 'application/json').end('[1]');
    for (const answer of [hangs, redirects, garbage]) {
      agent.answer = answer;
      const response = await asCaller(`${other.base}/a2a/weather/.well-known/agent-card.json`);
      const card = (await response.json()) as Record<string, unknown>;
      assert.deepEqual([card['name'], card['url']], ['As registered', `${other.base}/a2a/agent-1`]);
      assert.equal((await asCaller(`${gateway.base}/a2a/weather/.well-known/agent.json`)).status, 503);
    }
    await other.close();
  });

  it('is asked for its card below its address, then at its origin, under both names', async () => {
    agent.answer = ({ path }, response) => {
      const isHere = path === '/.well-known/agent.json';
      response.writeHead(isHere ? 200 : 404, { 'content-type': 'application/json' }).end('{"name":"old"}');
    };
    const response = await asCaller(`${gateway.base}/a2a/weather/.well-known/agent-card.json`);
    assert.equal(response.status, 200);
    assert.deepEqual(
      agent.heard.map((it) => it.path),
      [
        '/rpc/.well-known/agent-card.json',
        '/.well-known/agent-card.json',
        '/rpc/.well-known/agent.json',
        '/.well-known/agent.json',
      ],
    );
  });
});

describe('a caller that leaves', () => {
  let agent: EchoBackend;
  let gateway: A2aGateway;
  beforeEach(async () => {
    agent = await startEchoBackend();
    gateway = await startA2aGateway([{ agent: registration({ cost_per_query: 2 }), url: `${agent.url}/rpc` }]);
  });
  afterEach(async () => {
    await gateway.close();
    await agent.close();
  });
  const post = (method: string, signal: AbortSignal) =>
    asCaller(`${gateway.base}/a2a/weather`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: rpc(method),
      signal,
    });

  for (const method of ['message/send', 'message/stream']) {
    it(`before the answer to ${method} ends the call at the agent, and has paid for it`, async () => {
      let reached: (response: ServerResponse) => void = () => undefined;
      const atAgent = new Promise<ServerResponse>((resolve) => {
        reached = resolve;
      });
      agent.answer = (_heard, response) => reached(response);
      const caller = new AbortController();
      const answer = post(method, caller.signal);
      const response = await atAgent;
      const closed = once(response, 'close');
      caller.abort();
      await assert.rejects(answer);
      await closed;
      await until('the record is finished', () => gateway.records[0]?.status !== undefined);
      const [record, ...others] = gateway.records;
      assert.deepEqual(
        [others.length, record?.status, record?.error, record?.spend],
        [0, 'failure', 'the caller disconnected', 2],
      );
      assert.deepEqual(gateway.admitted, [{ cost: 2, spend: 2 }]);
    });
  }

  it('in the middle of a stream ends it at the agent', async () => {
    let open: ServerResponse | undefined;
    agent.answer = (_heard, response) => {
      open = response;
      response.writeHead(200, events).write(piece);
    };
    const caller = new AbortController();
    const response = await post('message/stream', caller.signal);
    await response.body?.getReader().read();
    const closed = once(open as ServerResponse, 'close');
    caller.abort();
    await closed;
    await until('the record is finished', () => gateway.records[0]?.status !== undefined);
    assert.deepEqual([gateway.records.length, gateway.records[0]?.error], [1, 'the caller disconnected']);
  });
});
