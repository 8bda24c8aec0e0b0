import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { ssePipe } from '../../../../../../sidecar/gateway/backends/mcp/ssePipe.ts';
import type { Outbound } from '../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { type Scripted, scriptedSend } from '../../../../../support/mcp/scriptedSend.ts';
import { until } from '../../../../../support/until.ts';

const target = {
  server_id: '1',
  name: 'old',
  transport: 'sse',
  url: 'http://old.test/sse',
  timeoutMs: 10_000,
  maxResponseBytes: 10_000,
} as const;
const eventStream = { 'content-type': 'text/event-stream' };
const endpoint = 'event: endpoint\ndata: /messages\n\n';
const still = new AbortController().signal;

describe('the stream of a server of 2024-11-05', () => {
  let timers: ManualTimers;
  let heard: string[];
  let closed: string[];
  beforeEach(() => {
    timers = new ManualTimers();
    [heard, closed] = [[], []];
  });
  const handlers = {
    onMessage: (text: string) => void heard.push(text),
    onClose: (failure: Error) => void closed.push(failure.message),
  };
  function pipeTo(answer: (method: string) => Scripted | Error | undefined) {
    const line = scriptedSend(({ method }) => answer(method));
    let stream: AbortSignal | undefined;
    const outbound: Outbound = {
      ...line.outbound,
      send(request, signal) {
        stream = signal;
        return line.outbound.send(request, signal);
      },
    };
    return { line, isLetGo: () => stream?.aborted, pipe: ssePipe(target, outbound, timers) };
  }

  it('stays open after the time in which it had to begin, until it is closed', async () => {
    let say: (text: string) => void = () => undefined;
    async function* body() {
      yield endpoint;
      for (;;) yield await new Promise<string>((resolve) => void (say = resolve));
    }
    const { line, pipe } = pipeTo(() => ({ headers: eventStream, body: body() }));
    await pipe.open(handlers);
    assert.equal(timers.count(target.timeoutMs), 0);
    await new Promise(setImmediate);
    say('data: later\n\n');
    await until('it was heard', () => heard.length === 1);
    assert.deepEqual([heard, closed, line.open()], [['later'], [], 1]);
    await pipe.close();
    await until('it was let go', () => line.open() === 0);
    assert.equal(closed.length, 1);
  });

  it('that never begins is given up in time, and lets its request go', async () => {
    for (const scripted of [undefined, { headers: eventStream, body: [], hangs: true }]) {
      const { line, pipe } = pipeTo(() => scripted);
      const opening = assert.rejects(pipe.open(handlers), { kind: 'timeout', mayHaveRun: false });
      await until('it was asked for', () => line.sent.length === 1);
      await new Promise(setImmediate);
      timers.pass(target.timeoutMs);
      await opening;
      await until('nothing is open', () => line.open() === 0);
      assert.equal(timers.count(target.timeoutMs), 0);
    }
    assert.deepEqual(closed, []);
  });

  for (const { what, scripted, kind } of [
    {
      what: 'begins with something else than the address for requests',
      scripted: { headers: eventStream, body: ['data: hello\n\n'], hangs: true },
      kind: 'garbage',
    },
    { what: 'ends before it began', scripted: { headers: eventStream, body: [] }, kind: 'garbage' },
    {
      what: 'names an address of another origin',
      scripted: {
        headers: eventStream,
        body: ['event: endpoint\ndata: http://evil.test/messages\n\n'],
        hangs: true,
      },
      kind: 'not_allowed',
    },
    { what: 'is no stream', scripted: { headers: { 'content-type': 'text/html' }, body: ['x'] }, kind: 'garbage' },
    { what: 'is refused', scripted: { status: 401, body: ['x'] }, kind: 'status' },
  ])
    it(`that ${what} is let go, and nothing can be sent`, async () => {
      const { line, isLetGo, pipe } = pipeTo(() => scripted);
      await assert.rejects(pipe.open(handlers), { kind, mayHaveRun: false });
      assert.equal(isLetGo(), true);
      assert.equal(timers.count(target.timeoutMs), 0);
      await assert.rejects(pipe.send('{}', line.outbound, still), { kind: 'ended' });
      assert.equal(line.sent.length, 1);
    });

  it('tells that it ended, and hands on no event but messages', async () => {
    const body = [endpoint, 'event: ping\ndata: 1\n\n', 'event: message\ndata: 2\n\n', 'data: 3\n\n'];
    const { pipe } = pipeTo(() => ({ headers: eventStream, body }));
    await pipe.open(handlers);
    await until('it ended', () => closed.length === 1);
    assert.deepEqual(heard, ['2', '3']);
  });

  it('takes a message where the server takes it, and follows it nowhere else', async () => {
    let status = 202;
    const { line, pipe } = pipeTo((method) =>
      method === 'GET' ? { headers: eventStream, body: [endpoint], hangs: true } : { status, body: ['x'] },
    );
    await pipe.open(handlers);
    await pipe.send('{"id":1}', line.outbound, still);
    assert.deepEqual([line.sent[1]?.url, line.sent[1]?.body], ['http://old.test/messages', '{"id":1}']);
    for (status of [302, 404, 500])
      await assert.rejects(pipe.send('{}', line.outbound, still), { kind: 'status', status, mayHaveRun: false });
    await pipe.close();
    await until('nothing is open', () => line.open() === 0);
  });
});
