import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { beforeEach, describe, it } from 'mocha';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import type { Timers } from '../../../../sidecar/platform/timers.ts';
import { isDeeperThan } from '../../../../sidecar/transport/depth.ts';
import { IncomingRequests, type RequestHandler } from '../../../../sidecar/transport/incoming.ts';
import { judgeBody } from '../../../../sidecar/transport/judge.ts';
import { OutgoingRequests } from '../../../../sidecar/transport/outgoing.ts';
import { ResponseError } from '../../../../sidecar/transport/responseError.ts';
import { Pace } from '../../../../sidecar/transport/webSocket/pace.ts';
import { later } from '../../../support/later.ts';

const turn = () => new Promise(setImmediate);

describe('requests of the peer', () => {
  let sent: object[];
  let signals: AbortSignal[];
  beforeEach(() => {
    [sent, signals] = [[], []];
  });
  const open = (handlers: Record<string, RequestHandler>, maxRunning?: number) => {
    const requests = new IncomingRequests({
      toError: (thrown, method) => ({ code: -1, message: `${method}: ${(thrown as Error).message}` }),
      write: (message) => {
        const text = JSON.stringify(message); // which is what fails where a result is no JSON
        sent.push(JSON.parse(text) as object);
      },
      ...(maxRunning !== undefined && { maxRunning }),
    });
    requests.add(handlers);
    return requests;
  };
  const ok = (id: number | string, result: unknown) => ({ jsonrpc: '2.0', id, result });
  const failed = (id: number | string, code: number, message: string) => ({
    jsonrpc: '2.0',
    id,
    error: { code, message },
  });
  const round: { self?: unknown } = {};
  round.self = round;

  for (const [says, handler, expected] of [
    ['a value', () => 7, ok(1, 7)],
    ['nothing', () => undefined, ok(1, null)],
    ['null', () => null, ok(1, null)],
    ['false', () => false, ok(1, false)],
    ['a promise', async () => 'x', ok(1, 'x')],
    ['a promise of nothing', async () => undefined, ok(1, null)],
    [
      'an error',
      () => {
        throw new Error('oh');
      },
      failed(1, -1, 'm: oh'),
    ],
    ['a promise that fails', () => Promise.reject(new Error('oh')), failed(1, -1, 'm: oh')],
    ['what is no JSON', () => 1n, failed(1, -1, 'm: Do not know how to serialize a BigInt')],
    ['a promise of what is no JSON', async () => 1n, failed(1, -1, 'm: Do not know how to serialize a BigInt')],
  ] as readonly [string, RequestHandler, object][])
    it(`are answered once where their handler gives ${says}`, async () => {
      const requests = open({ m: handler });
      requests.serve('m', 1, {});
      await turn();
      assert.deepEqual(sent, [expected]);
      requests.abortAll();
      assert.equal(sent.length, 1);
      requests.serve('m', 1, {}); // the id is free again
      await turn();
      assert.deepEqual(sent, [expected, expected]);
    });

  it('reach their handler with what was sent, their id and a signal', () => {
    const seen: unknown[] = [];
    open({ m: (params, { method, id, signal }) => void seen.push(params, method, id, signal.aborted) }).serve(
      'm',
      'a',
      { x: 1 },
    );
    assert.deepEqual(seen, [{ x: 1 }, 'm', 'a', false]);
  });
  for (const method of ['none', 'x'.repeat(200), 'constructor'])
    it(`are refused for the method ${method.slice(0, 20)}, of whose name 100 letters are said`, () => {
      open({ m: () => 1 }).serve(method, 1, {});
      assert.deepEqual(sent, [failed(1, -32601, `unknown method: ${method.slice(0, 100)}`)]);
    });
  it('are refused where their id runs or too many run, and not after one of them ended', async () => {
    const first = later<number>();
    const requests = open({ wait: () => first.promise, hang: () => later().promise }, 2);
    requests.serve('wait', 1, {});
    requests.serve('hang', 1, {});
    requests.serve('hang', '1', {});
    requests.serve('hang', 2, {});
    assert.deepEqual(sent, [
      failed(1, -32600, 'id is already in use'),
      failed(2, -32600, 'too many requests are in progress'),
    ]);
    first.resolve(5);
    await turn();
    requests.serve('hang', 2, {});
    requests.serve('hang', 3, {});
    assert.deepEqual(sent.slice(2), [ok(1, 5), failed(3, -32600, 'too many requests are in progress')]);
  });
  it('are a thousand at once where nobody says otherwise', () => {
    const requests = open({ hang: () => later().promise });
    for (let id = 0; id < 1_001; id += 1) requests.serve('hang', id, {});
    assert.deepEqual(sent, [failed(1_000, -32600, 'too many requests are in progress')]);
  });
  it('are cancelled one by one, and answered so where they fail then', async () => {
    const works = [later<number>(), later<number>()];
    const requests = open({
      m(params, { signal }) {
        signals.push(signal);
        return works[(params as number[])[0]!]!.promise;
      },
    });
    requests.serve('m', 'a', [0]);
    requests.serve('m', 'b', [1]);
    requests.cancel('unknown');
    requests.cancel('a');
    assert.deepEqual(
      signals.map((it) => it.aborted),
      [true, false],
    );
    works[0]!.reject(new Error('aborted'));
    works[1]!.reject(new Error('by itself'));
    await turn();
    assert.deepEqual(sent, [failed('a', -32800, 'the request was canceled'), failed('b', -1, 'm: by itself')]);
  });
  it('are answered no more once the connection is closed, however they end', async () => {
    const works = [later<number>(), later<number>()];
    const requests = open({
      m(params, { signal }) {
        signals.push(signal);
        return works[(params as number[])[0]!]!.promise;
      },
    });
    for (const id of [0, 1]) requests.serve('m', id, [id]);
    requests.abortAll();
    works[0]!.resolve(1);
    works[1]!.reject(new Error('late'));
    await turn();
    assert.deepEqual([signals.map((it) => it.aborted), sent], [[true, true], []]);
  });
});

describe('requests to the peer', () => {
  let sent: object[];
  let timers: { delayMs: number; work: () => void }[];
  let takes: boolean;
  let requests: OutgoingRequests;
  beforeEach(() => {
    [sent, timers, takes] = [[], [], true];
    const after: Timers['after'] = (delayMs, work) => {
      const timer = { delayMs, work };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    };
    requests = new OutgoingRequests(
      (message) => {
        sent.push(message);
        return takes;
      },
      { after } as Timers,
    );
  });
  const cancel = (id: number) => ({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });

  it('have ids of their own, and each gets its answer', async () => {
    const both = Promise.all([requests.send('a', { x: 1 }, {}), requests.send('b', {}, { timeoutMs: 5 })]);
    assert.deepEqual(sent, [
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b', params: {} },
    ]);
    assert.deepEqual(
      timers.map((it) => it.delayMs),
      [30_000, 5],
    );
    assert.deepEqual(
      [2, 1, 3, null, '1'].map((id) => requests.settle({ id, result: `of ${id}` })),
      [true, true, false, false, false],
    );
    assert.deepEqual([await both, timers], [['of 1', 'of 2'], []]);
    assert.equal(requests.settle({ id: 1, result: 'again' }), false);
  });
  it('fail with the error of the peer, whole', async () => {
    const asked = requests.send('a', {}, {});
    requests.settle({ id: 1, error: { code: -7, message: 'no', data: { why: 1 } } });
    await assert.rejects(asked, (thrown) => {
      assert.ok(thrown instanceof ResponseError);
      assert.deepEqual([thrown.code, thrown.message, thrown.data], [-7, 'no', { why: 1 }]);
      return true;
    });
    assert.deepEqual([timers, sent.length], [[], 1]);
  });
  it('are given up after a time, which the peer is told, and a late answer is nobody’s', async () => {
    const asked = requests.send('a', {}, { timeoutMs: 9 });
    timers[0]!.work();
    await assert.rejects(asked, new Fault('unavailable', 'no response to a within 9 ms'));
    assert.deepEqual([sent.slice(1), requests.settle({ id: 1, result: 1 }), timers], [[cancel(1)], false, []]);
  });
  it('are given up by their sender, with its reason, and not after their answer', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = requests.send('a', {}, { signal: first.signal });
    const answered = requests.send('b', {}, { signal: second.signal });
    requests.settle({ id: 2, result: 1 });
    await answered;
    first.abort(new Error('enough'));
    second.abort(new Error('too late'));
    await assert.rejects(asked, /enough/);
    assert.deepEqual([sent.slice(2), timers], [[cancel(1)], []]);
  });
  it('are not sent where their sender gave up before, or the connection is closed', async () => {
    await assert.rejects(requests.send('a', {}, { signal: AbortSignal.abort(new Error('before')) }, 'gone'), /before/);
    await assert.rejects(
      requests.send('a', {}, {}, 'gone'),
      new Fault('unavailable', 'the connection is closed: gone'),
    );
    assert.deepEqual([sent, timers], [[], []]);
    takes = false;
    await assert.rejects(
      requests.send('a', {}, {}),
      new Fault('unavailable', 'the connection is closed: the queue is closed'),
    );
    assert.deepEqual(timers, []);
  });
  it('fail all when the connection closes, and leave nothing', async () => {
    const all = [requests.send('a', {}, {}), requests.send('b', {}, {})];
    requests.failAll('it went');
    for (const it of await Promise.allSettled(all))
      assert.deepEqual(
        it.status === 'rejected' && it.reason,
        new Fault('unavailable', 'the connection is closed: it went'),
      );
    assert.deepEqual([timers, sent.length, requests.settle({ id: 1, result: 1 })], [[], 2, false]);
  });
});

describe('why a message is refused', () => {
  const deep = (levels: number) =>
    `{"jsonrpc":"2.0","method":"m","params":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  for (const [body, message] of [
    [
      '{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}',
      'a response must have either a result or an error',
    ],
    ['{"jsonrpc":"2.0","error":{"code":1,"message":""}}', 'id must be a number or a string in a response'],
    ['{"jsonrpc":"1","id":1,"result":1}', 'jsonrpc must be "2.0" in a response'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}', 'error must have a code and a message'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 'error must have a code and a message'],
    ['{"jsonrpc":"2.0","id":1,"error":null}', 'error must have a code and a message'],
    ['{"jsonrpc":"2.0","id":true,"result":1}', 'id must be a number or a string in a response'],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', 'id must be a number or a string'],
    ['{"jsonrpc":"2.0","id":1}', 'method must be a string'],
    ['{"id":1,"method":"m"}', 'jsonrpc must be "2.0"'],
    ['{"jsonrpc":"2.0","method":"m","params":"x"}', 'params must be an object or an array'],
    ['[]', 'batches are not supported'],
    ['7', 'a message must be an object'],
    ['{"a"', 'the body is not valid JSON'],
    [deep(129), 'nested more than 128 levels deep'],
  ] as const)
    it(`is said of ${body.slice(0, 60)}`, () => {
      const verdict = judgeBody(Buffer.from(body));
      assert.equal(!verdict.ok && verdict.refusal.message, message);
    });
  for (const body of [
    '{"jsonrpc":"2.0","id":1,"result":1,"more":2}',
    '{"jsonrpc":"2.0","method":"m","result":1}',
    '{"jsonrpc":"2.0","id":-1.5,"method":"m"}',
    deep(128),
  ])
    it(`is nothing for ${body.slice(0, 60)}`, () => assert.equal(judgeBody(Buffer.from(body)).ok, true));

  for (const [text, limit, expected] of [
    ['[[]]', 2, false],
    ['[[]]', 1, true],
    ['[{}]', 1, true],
    ['[][][]', 1, false],
    ['{"a":{},"b":{}}', 2, false],
    ['"[[[["', 1, false],
    ['["\\"",[[]]]', 2, true],
    ['["\\\\",[[]]]', 2, true],
    ['["[",[]]', 2, false],
    ['[]', 1, false],
  ] as const)
    it(`is ${expected ? '' : 'not '}the depth of ${text} above ${limit}`, () =>
      assert.equal(isDeeperThan(Buffer.from(text), limit), expected));
});

describe('the pace of a client that goes on', () => {
  it('wins back what time brings, at most a second of it, and waits for the rest', () => {
    let nowMs = 1_000;
    const pace = new Pace(4, () => nowMs);
    const spend = (atMs: number) => {
      nowMs = atMs;
      return pace.spend();
    };
    assert.deepEqual([1_000, 1_000, 1_000, 1_000, 1_000].map(spend), [0, 0, 0, 250, 500]);
    assert.deepEqual([1_500, 1_750, 9_000, 9_000, 9_000, 9_000].map(spend), [250, 250, 0, 0, 0, 250]);
  });
});
