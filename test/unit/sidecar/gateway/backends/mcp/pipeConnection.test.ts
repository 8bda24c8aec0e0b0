import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { endedEarly } from '../../../../../../sidecar/gateway/backends/mcp/failure.ts';
import type { PipeHandlers } from '../../../../../../sidecar/gateway/backends/mcp/pipe.ts';
import { PipeConnection } from '../../../../../../sidecar/gateway/backends/mcp/pipeConnection.ts';
import type { StreamEvent } from '../../../../../../sidecar/gateway/backends/mcp/streamEvent.ts';
import { systemTimers } from '../../../../../../sidecar/platform/timers.ts';
import type { RpcRequest } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import { until } from '../../../../../support/until.ts';

const target = { server_id: '1', name: 'a', transport: 'stdio', timeoutMs: 10_000, maxResponseBytes: 10_000 } as const;
const outbound = { identity: 'me', send: () => Promise.reject(new Error('nothing goes over HTTP')) };
const call = (id: string | number, progressToken?: string): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 't', ...(progressToken !== undefined && { _meta: { progressToken } }) },
});
const list = { method: 'notifications/tools/list_changed' };
const tooMuch = { method: 'notifications/message', params: { data: 'x'.repeat(150) } };

interface Sent {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

async function openLine({ isShared = false, timeoutMs = 10_000, maxResponseBytes = 10_000 } = {}) {
  let handlers: PipeHandlers | undefined;
  let ids = 0;
  let closes = 0;
  const sent: Sent[] = [];
  let refuse: Error | undefined;
  const connection = await PipeConnection.open({
    target: { ...target, timeoutMs, maxResponseBytes },
    era: 'legacy',
    isShared,
    timers: systemTimers,
    newId: () => `${(ids += 1)}`,
    outbound,
    pipe: {
      open: async (it) => void (handlers = it),
      send: async (text) => {
        if (refuse) throw refuse;
        sent.push(JSON.parse(text) as Sent);
      },
      close: async () => void (closes += 1),
    },
  });
  const raw = (text: string) => handlers?.onMessage(text);
  return {
    connection,
    sent,
    raw,
    emit: (message: object) => raw(JSON.stringify({ jsonrpc: '2.0', ...message })),
    end: () => handlers?.onClose(endedEarly('a')),
    closes: () => closes,
    refuse: (error: Error | undefined) => void (refuse = error),
    request: (id: string | number, more: { token?: string; signal?: AbortSignal } = {}) =>
      connection.request(call(id, more.token), { outbound, signal: more.signal ?? new AbortController().signal }),
    listen: (signal = new AbortController().signal) => connection.listen(undefined, { outbound, signal }),
  };
}
type Line = Awaited<ReturnType<typeof openLine>>;

async function dataOf(events: AsyncIterable<StreamEvent>, max = Infinity): Promise<readonly Sent[]> {
  const seen: Sent[] = [];
  for await (const { data, message } of events) {
    const sent = JSON.parse(data.toString()) as Sent;
    assert.deepEqual(message?.message, sent);
    seen.push(sent);
    if (seen.length >= max) break;
  }
  return seen;
}
async function answersOf(reply: ReturnType<Line['request']>): Promise<readonly Sent[]> {
  const found = await reply;
  return found.kind === 'message' ? [JSON.parse(found.text) as Sent] : dataOf(found.events);
}
const cancels = ({ sent }: Line) =>
  sent.filter((it) => it.method === 'notifications/cancelled').map((it) => it.params?.['requestId']);

describe('a connection over a pipe', () => {
  it('brings each answer and each progress to its own request, in whatever order they come', async () => {
    const line = await openLine();
    const both = [line.request(1, { token: 'p' }), line.request(1, { token: 'p' }), line.request('x')].map(answersOf);
    const progress = (token: string) =>
      line.emit({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    progress('sp-2');
    line.emit({ id: 'sb-3', result: { of: 3 } });
    line.emit({ id: 'sb-2', result: { of: 2 } });
    progress('sp-2'); // too late
    progress('sp-none');
    line.emit({ id: 'sb-1', error: { code: -1, message: 'of 1' } });
    const [first, second, third] = await Promise.all(both);
    assert.deepEqual(third, [{ jsonrpc: '2.0', id: 'x', result: { of: 3 } }]);
    assert.deepEqual(second?.at(-1), { jsonrpc: '2.0', id: 1, result: { of: 2 } });
    assert.deepEqual(
      second?.slice(0, -1).map((it) => it.params?.['progressToken']),
      ['p'],
    );
    assert.equal(first?.at(-1)?.error?.code, -1);
    assert.deepEqual([line.connection.isBusy, cancels(line)], [false, []]);
  });

  it('drops progress on a canceled call, whose token is the connection’s own', async () => {
    const line = await openLine();
    const caller = new AbortController();
    const listening = await line.listen();
    const dropped = line.request(1, { token: 'p', signal: caller.signal });
    caller.abort();
    await assert.rejects(dropped, { kind: 'cancelled' });
    line.emit({ method: 'notifications/progress', params: { progressToken: 'sp-1', progress: 1 } });
    line.emit(list);
    assert.deepEqual(
      (await dataOf(listening, 1)).map((it) => it.method),
      [list.method],
    );
  });

  it('brings what carries the id of a subscription to it alone', async () => {
    const line = await openLine();
    const [first] = [line.request(1), line.request(2)].map(answersOf);
    const about = (id: string) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
    line.emit({ ...list, params: about('sb-1') });
    line.emit({ id: 'sb-1', result: {} });
    assert.deepEqual(
      (await first)?.map((it) => it.method),
      [list.method, undefined],
    );
  });

  it('cancels once where a caller leaves, with its signal or by no longer reading, and is silent after the answer', async () => {
    const line = await openLine();
    const caller = new AbortController();
    const waiting = line.request(1, { signal: caller.signal });
    caller.abort();
    await assert.rejects(waiting, { kind: 'cancelled' });
    line.emit({ id: 'sb-1', result: {} }); // nobody waits for it
    const streamed = line.request(2);
    line.emit(list);
    const reply = await streamed;
    assert.equal(reply.kind, 'stream');
    if (reply.kind === 'stream') await dataOf(reply.events, 1);
    const answered = line.request(3);
    line.emit(list);
    line.emit({ id: 'sb-3', result: {} });
    const last = await answered;
    if (last.kind === 'stream') await dataOf(last.events, 2);
    assert.deepEqual([cancels(line), line.connection.isBusy], [['sb-1', 'sb-2'], false]);
  });

  it('gives up on silence, before the first message and after it, and tells the server', async () => {
    const line = await openLine({ timeoutMs: 20 });
    await assert.rejects(line.request(1), { kind: 'timeout', mayHaveRun: true });
    const second = answersOf(line.request(2));
    line.emit(list);
    await assert.rejects(second, { kind: 'timeout' });
    assert.deepEqual([cancels(line), line.connection.isBusy], [['sb-1', 'sb-2'], false]);
  });

  it('fails a request that could not be sent, and the next one goes well', async () => {
    const line = await openLine();
    line.refuse(new Error('EPIPE'));
    await assert.rejects(line.request(1), { name: 'BackendFailure', kind: 'ended', mayHaveRun: true });
    await assert.rejects(
      line.connection.send({ jsonrpc: '2.0', method: 'a' }, { outbound, signal: new AbortController().signal }),
    );
    line.refuse(undefined);
    const next = answersOf(line.request(2));
    line.emit({ id: 'sb-2', result: {} });
    assert.equal((await next).length, 1);
  });

  it('ends everything that waits when the server ends, and takes nothing more', async () => {
    const line = await openLine();
    const waiting = line.request(1);
    const listening = dataOf(await line.listen());
    line.end();
    await assert.rejects(waiting, { kind: 'ended', mayHaveRun: true });
    assert.deepEqual(await listening, []);
    await assert.rejects(line.request(2), { kind: 'ended', mayHaveRun: false });
    const signal = new AbortController().signal;
    await assert.rejects(line.connection.send({ jsonrpc: '2.0', method: 'a' }, { outbound, signal }), {
      kind: 'ended',
      mayHaveRun: false,
    });
    assert.deepEqual(await dataOf(await line.listen()), []);
    assert.deepEqual([line.sent.length, line.connection.isClosed], [1, true]);
  });

  it('is of its era, knows what was agreed, and is busy while somebody waits or listens', async () => {
    const line = await openLine();
    const hello = { protocolVersion: '2025-11-25', capabilities: {} };
    line.connection.adopt(hello);
    assert.deepEqual([line.connection.era, line.connection.hello, line.connection.isBusy], ['legacy', hello, false]);
    const waiting = line.request(1);
    assert.equal(line.connection.isBusy, true);
    line.emit({ id: 'sb-1', result: {} });
    await waiting;
    assert.equal(line.connection.isBusy, false);
    const stop = new AbortController();
    await line.listen(stop.signal);
    assert.equal(line.connection.isBusy, true);
    stop.abort();
    assert.equal(line.connection.isBusy, false);
  });

  it('closes its pipe when it is closed, and cancels nothing at a server that ends', async () => {
    const line = await openLine();
    const waiting = line.request(1);
    await line.connection.close();
    await assert.rejects(waiting, { kind: 'ended' });
    assert.deepEqual([line.closes(), cancels(line), line.connection.isClosed], [1, [], true]);
  });

  it('lets a hundred odd lines pass, and no more', async () => {
    const line = await openLine();
    const waiting = line.request(1);
    for (let n = 0; n < 100; n += 1) line.raw('debug');
    assert.equal(line.connection.isClosed, false);
    line.raw('debug');
    await assert.rejects(waiting, { kind: 'garbage' });
    assert.deepEqual([line.connection.isClosed, line.closes()], [true, 1]);
  });

  it('gives up at a message that readers understand differently', async () => {
    const line = await openLine();
    const waiting = line.request(1);
    line.raw('{"jsonrpc":"2.0","id":"sb-1","id":"sb-2","result":{}}');
    await assert.rejects(waiting, { kind: 'garbage' });
    assert.deepEqual([line.connection.isClosed, line.closes()], [true, 1]);
  });
});

describe('what a server says by itself over a pipe', () => {
  it('goes to the listener, to the newest one, else along with the newest call, else it is kept', async () => {
    const line = await openLine();
    const say = (n: number) => line.emit({ ...list, params: { n } });
    const numbers = (seen: readonly Sent[]) => seen.map((it) => it.params?.['n']);
    for (let n = 0; n < 70; n += 1) say(n);
    const older = dataOf(await line.listen());
    const stop = new AbortController();
    const newer = dataOf(await line.listen(stop.signal));
    say(100);
    assert.deepEqual(numbers(await older), [...Array(64).keys()]);
    const calls = [line.request(1), line.request(2)].map(answersOf);
    say(101);
    stop.abort();
    assert.deepEqual(numbers(await newer), [100, 101]);
    say(102);
    for (const id of ['sb-1', 'sb-2']) line.emit({ id, result: {} });
    const [first, second] = await Promise.all(calls);
    assert.deepEqual([first?.length, second?.length], [1, 2]);
    assert.deepEqual(numbers(second ?? []), [102, undefined]);
    say(103);
    const last = await line.listen();
    assert.deepEqual(numbers(await dataOf(last, 1)), [103]);
    say(104); // the last one left
    assert.deepEqual(numbers(await dataOf(await line.listen(), 1)), [104]);
  });

  it('a listener that was replaced and leaves later takes nothing from the one that listens', async () => {
    const line = await openLine();
    const stop = new AbortController();
    await line.listen(stop.signal);
    const newer = dataOf(await line.listen(), 1);
    stop.abort();
    line.emit(list);
    assert.equal((await newer).length, 1);
  });

  it('reaches no caller of a shared connection: questions are refused, a ping is answered', async () => {
    const line = await openLine({ isShared: true });
    const reading = answersOf(line.request(1));
    line.emit({ id: 'q', method: 'roots/list' });
    line.emit({ id: 'p', method: 'ping' });
    line.emit(list);
    line.emit({ id: 'sb-1', result: {} });
    assert.equal((await reading).length, 1);
    await until('both are answered', () => line.sent.length === 3);
    assert.deepEqual(
      line.sent.slice(1).map((it) => [it.id, it.result ?? it.error?.code]),
      [
        ['q', -32601],
        ['p', {}],
      ],
    );
  });

  it('is kept up to the size of one answer, and the next listener gets that', async () => {
    const line = await openLine({ maxResponseBytes: 2 * JSON.stringify({ jsonrpc: '2.0', ...tooMuch }).length });
    for (let n = 0; n < 5; n += 1) line.emit(tooMuch);
    for (const count of [2, 1]) {
      const stop = new AbortController();
      const stream = await line.listen(stop.signal);
      stop.abort();
      assert.equal((await dataOf(stream)).length, count);
      line.emit(tooMuch);
    }
  });

  it('is lost with the reader that is too slow for it, and with no other', async () => {
    const line = await openLine({ maxResponseBytes: 200 });
    const slow = await line.listen();
    for (let n = 0; n < 3; n += 1) line.emit(tooMuch);
    await assert.rejects(dataOf(slow), { kind: 'too_large' });
    const reading = answersOf(line.request(1));
    line.emit({ id: 'sb-1', result: {} });
    assert.equal((await reading).length, 1);
  });
});
