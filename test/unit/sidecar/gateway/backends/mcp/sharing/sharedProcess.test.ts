import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { endedEarly } from '../../../../../../../sidecar/gateway/backends/mcp/failure.ts';
import type { PipeHandlers } from '../../../../../../../sidecar/gateway/backends/mcp/pipe.ts';
import { HELD_MS, SharedProcess } from '../../../../../../../sidecar/gateway/backends/mcp/sharing/sharedProcess.ts';
import type { McpBackend } from '../../../../../../../sidecar/gateway/backends/mcp/types.ts';
import { systemTimers, type Timers } from '../../../../../../../sidecar/platform/timers.ts';
import type { RpcRequest } from '../../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import { HeldTimers } from '../../../../../../support/mcp/heldTimers.ts';
import { until } from '../../../../../../support/until.ts';
import { verifies } from '../../../../../../support/verifies.ts';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const target = { server_id: '1', name: 'a', transport: 'stdio', timeoutMs: 20_000, maxResponseBytes: 10_000 } as const;
const outbound = { identity: 'me', send: () => Promise.reject(new Error('nothing goes over HTTP')) };
const request = (id: number, method = 'tools/call', params: object = { name: 't' }): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { ...params },
});

async function openShared({ isForAll = false, isDefault = false, timers = systemTimers as Timers } = {}) {
  let handlers: PipeHandlers | undefined;
  let ids = 0;
  let questions = 0;
  const sent: Message[] = [];
  const shared = await SharedProcess.open({
    target,
    timers,
    newId: () => `${(ids += 1)}`,
    outbound,
    isForAll,
    isDefault,
    onQuestion: () => void (questions += 1),
    pipe: {
      open: async (it) => void (handlers = it),
      send: async (text) => void sent.push(JSON.parse(text) as Message),
      close: async () => undefined,
    },
  });
  const emit = (message: Message) => handlers?.onMessage(JSON.stringify({ jsonrpc: '2.0', ...message }));
  /** What a client hears besides its answers, in order. */
  const hearing = async (backend: McpBackend) => {
    const heard: Message[] = [];
    const stop = new AbortController();
    const events = await backend.listen(undefined, { outbound, signal: stop.signal });
    assert.ok(events);
    void (async () => {
      for await (const { data } of events) heard.push(JSON.parse(data.toString()) as Message);
    })();
    return heard;
  };
  const call = (backend: McpBackend, message: RpcRequest) =>
    backend.request(message, { outbound, signal: new AbortController().signal });
  /** Sends a request that the server answers with `result`. */
  const answered = async (backend: McpBackend, message: RpcRequest, answer: object = { result: {} }) => {
    const before = sent.length;
    const reply = call(backend, message);
    let isDone = false;
    const over = () => void (isDone = true);
    reply.then(over, over);
    // A request that the gateway answers itself is never sent; the wait must end with it too.
    await until('it was sent or answered', () => isDone || sent.length > before);
    if (!isDone) emit({ id: sent.at(-1)?.id ?? '', ...answer });
    const { kind, ...more } = await reply;
    assert.equal(kind, 'message');
    return 'message' in more ? more.message : undefined;
  };
  return {
    shared,
    sent,
    emit,
    hearing,
    call,
    answered,
    questions: () => questions,
    end: () => handlers?.onClose(endedEarly('a')),
    /** Everything that was passed before has arrived. */
    settled: () => setImmediate(),
    methods: () => sent.map((it) => it.method),
  };
}

describe('a process that sessions share', () => {
  it('answers each session under its own IDs and progress tokens, even if two sessions chose the same', async () => {
    verifies('gateway.stdio.share.ids');
    const { shared, sent, emit, call } = await openShared();
    const ask = (session: string) =>
      call(shared.join(session, 'k'), request(7, 'tools/call', { name: session, _meta: { progressToken: 'p' } }));
    const [first, second] = [ask('1'), ask('2')];
    await until('both are sent', () => sent.length === 2);
    const ids = sent.map((it) => it.id);
    const tokens = sent.map((it) => (it.params?.['_meta'] as { progressToken: string } | undefined)?.progressToken);
    assert.equal(new Set([...ids, ...tokens]).size, 4);
    emit({ method: 'notifications/progress', params: { progressToken: tokens[1], progress: 1 } });
    emit({ id: ids[1] ?? '', result: { of: 2 } });
    emit({ id: ids[0] ?? '', result: { of: 1 } });
    const one = await first;
    assert.ok(one.kind === 'message');
    assert.deepEqual(one.message, { jsonrpc: '2.0', id: 7, result: { of: 1 } });
    const two = await second;
    assert.ok(two.kind === 'stream');
    const events: Message[] = [];
    for await (const { data } of two.events) events.push(JSON.parse(data.toString()) as Message);
    assert.deepEqual(
      events.map((it) => [it.id, it.params?.['progressToken'] ?? it.result]),
      [
        [undefined, 'p'],
        [7, { of: 2 }],
      ],
    );
  });

  it('asks the only session with a call in progress, and accepts an answer from no other', async () => {
    verifies('gateway.stdio.share.questions');
    const { shared, sent, emit, hearing, call, settled, questions } = await openShared();
    const [one, two] = [shared.join('1', 'k'), shared.join('2', 'k')];
    const [heardByOne, heardByTwo] = [await hearing(one), await hearing(two)];
    const running = call(one, request(1));
    await until('it is sent', () => sent.length === 1);
    emit({ id: 5, method: 'sampling/createMessage', params: { _meta: { progressToken: 9 } } });
    await until('it is asked', () => heardByOne.length === 1);
    const own = heardByOne[0]?.id ?? '';
    const options = { outbound, signal: new AbortController().signal };
    const progress = { method: 'notifications/progress', params: { progressToken: own, progress: 1 } } as const;
    await two.send({ jsonrpc: '2.0', id: own, result: { by: 2 } }, options);
    await two.send({ jsonrpc: '2.0', ...progress }, options);
    await one.send({ jsonrpc: '2.0', ...progress }, options);
    await one.send({ jsonrpc: '2.0', id: own, result: { by: 1 } }, options);
    await one.send({ jsonrpc: '2.0', id: own, result: { by: 'again' } }, options);
    emit({ id: sent[0]?.id ?? '', result: {} });
    await running;
    await settled();
    assert.deepEqual(
      sent.slice(1).map(({ id, params, result }) => ({ id, params, result })),
      [
        { id: undefined, params: { progressToken: 9, progress: 1 }, result: undefined },
        { id: 5, params: undefined, result: { by: 1 } },
      ],
    );
    assert.deepEqual([heardByTwo.length, questions()], [0, 1]);
  });

  it('gets an error that explains why if several sessions or none could be asked, and asks the only session there is', async () => {
    verifies('gateway.stdio.share.questions');
    const { shared, sent, emit, hearing, call } = await openShared();
    const refusalOf = (id: number) => sent.find((it) => it.id === id && it.error)?.error?.message ?? '';
    const heard = await hearing(shared.join('1', 'k'));
    emit({ id: 1, method: 'roots/list' });
    await until('the only session is asked', () => heard.length === 1);
    shared.join('2', 'k');
    emit({ id: 2, method: 'roots/list' });
    await until('it is refused', () => refusalOf(2) !== '');
    assert.match(refusalOf(2), /^No session has a call in progress/);
    const running = ['1', '2'].map((it) => call(shared.join(it, 'k'), request(1)).catch(() => undefined));
    await until('both are sent', () => sent.filter((it) => it.method === 'tools/call').length === 2);
    emit({ id: 3, method: 'elicitation/create' });
    await until('it is refused', () => refusalOf(3) !== '');
    assert.match(refusalOf(3), /^Several sessions .* Set stdio\.share to "session" for this server\.$/);
    assert.equal(heard.length, 1);
    await shared.close();
    await Promise.all(running);
  });

  it('asks the session whose call waits for the answer, if sessions began to share it before it asked anything', async () => {
    verifies('gateway.stdio.share.first-question');
    const { shared, sent, emit, hearing, call } = await openShared({ isDefault: true });
    const members = ['1', '2', '3'].map((it) => shared.join(it, 'k'));
    const [one, two, three] = members;
    assert.ok(one && two && three);
    const heard = [await hearing(one), await hearing(two), await hearing(three)];
    const running = [call(one, request(1)), call(two, request(1))];
    await until('both are sent', () => sent.length === 2);
    emit({ id: 5, method: 'elicitation/create' });
    await until('a session without a call leaves', () => three.isClosed);
    assert.deepEqual([one.isClosed, two.isClosed, sent.length], [false, false, 2]);
    emit({ id: sent[0]?.id ?? '', result: {} });
    await until('the session whose call goes on is asked', () => heard[1]?.length === 1);
    assert.deepEqual([heard[0]?.length, one.isClosed, sent.length], [0, true, 2]);
    await shared.close();
    await Promise.allSettled(running);
  });

  it('asks the session that opened it if no call is in progress, and the others leave', async () => {
    verifies('gateway.stdio.share.first-question');
    const { shared, emit, hearing } = await openShared({ isDefault: true });
    const [one, two] = [shared.join('1', 'k'), shared.join('2', 'k')];
    const heard = await hearing(one);
    emit({ id: 5, method: 'roots/list' });
    await until('it is asked', () => heard.length === 1);
    assert.deepEqual([one.isClosed, two.isClosed], [false, true]);
    await shared.close();
  });

  it('gets an error for a first question if the calls of several sessions go on for too long', async () => {
    verifies('gateway.stdio.share.first-question');
    const timers = new HeldTimers();
    const { shared, sent, emit, call } = await openShared({ isDefault: true, timers });
    const running = ['1', '2'].map((it) => call(shared.join(it, 'k'), request(1)));
    await until('both are sent', () => sent.length === 2);
    emit({ id: 5, method: 'elicitation/create' });
    await until('it is held', () => timers.count(HELD_MS) === 1);
    timers.pass(HELD_MS);
    await until('it is refused', () => sent.some((it) => it.id === 5));
    assert.match(sent.find((it) => it.id === 5)?.error?.message ?? '', /^Several sessions/);
    await shared.close();
    await Promise.allSettled(running);
  });

  it('learns that a session that it asked has ended, and can cancel a question to a session', async () => {
    const { shared, sent, emit, hearing } = await openShared();
    const heard = await hearing(shared.join('1', 'k'));
    emit({ id: 1, method: 'roots/list' });
    emit({ id: 2, method: 'roots/list' });
    emit({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await until('it is told', () => heard.length === 3);
    assert.equal(heard[2]?.params?.['requestId'], heard[0]?.id);
    shared.leave('1');
    await until('the open one is answered', () => sent.length === 1);
    assert.deepEqual([sent[0]?.id, sent[0]?.error?.message], [2, 'The session that was asked has ended.']);
  });

  it('gets the lowest log level that a session set, and each session gets its own messages', async () => {
    verifies('gateway.stdio.share.merged');
    const { shared, sent, emit, hearing, answered, settled } = await openShared();
    const [one, two, three] = [shared.join('1', 'k'), shared.join('2', 'k'), shared.join('3', 'k')];
    const heard = [await hearing(one), await hearing(two), await hearing(three)];
    const levels = () => sent.filter((it) => it.method === 'logging/setLevel').map((it) => it.params?.['level']);
    await answered(one, request(1, 'logging/setLevel', { level: 'warning' }));
    await answered(two, request(2, 'logging/setLevel', { level: 'debug' }));
    assert.deepEqual(await answered(one, request(3, 'logging/setLevel', { level: 'error' })), {
      jsonrpc: '2.0',
      id: 3,
      result: {},
    });
    assert.deepEqual(levels(), ['warning', 'debug']);
    for (const level of ['debug', 'info', 'error'])
      emit({ method: 'notifications/message', params: { level, data: level } });
    await settled();
    assert.deepEqual(
      heard.map((it) => it.map(({ params }) => params?.['level'])),
      [['error'], ['debug', 'info', 'error'], ['info', 'error']],
    );
    shared.leave('2');
    await until('the level of the others is asked for', () => levels().length === 3);
    assert.equal(levels()[2], 'error');
  });

  it('has a resource subscription while one session wants it, and only subscribed sessions get updates', async () => {
    verifies('gateway.stdio.share.merged');
    const { shared, emit, hearing, answered, methods, settled } = await openShared();
    const [one, two, three] = [shared.join('1', 'k'), shared.join('2', 'k'), shared.join('3', 'k')];
    const heard = [await hearing(one), await hearing(two), await hearing(three)];
    const uri = 'test://a';
    for (const it of [one, two]) await answered(it, request(1, 'resources/subscribe', { uri }));
    emit({ method: 'notifications/resources/updated', params: { uri } });
    emit({ method: 'notifications/resources/updated', params: { uri: 'test://other' } });
    emit({ method: 'notifications/resources/list_changed' });
    await settled();
    assert.deepEqual(
      heard.map((it) => it.length),
      [2, 2, 1],
    );
    await answered(three, request(2, 'resources/unsubscribe', { uri }));
    await answered(one, request(2, 'resources/unsubscribe', { uri }));
    assert.deepEqual(methods(), ['resources/subscribe']);
    shared.leave('2');
    await until('nobody wants it any more', () => methods().length === 2);
    assert.equal(methods()[1], 'resources/unsubscribe');
  });

  it("a subscription that the server refuses is nobody's", async () => {
    const { shared, answered, methods } = await openShared();
    const one = shared.join('1', 'k');
    const error = { code: -32002, message: 'no' };
    for (const id of [1, 2]) {
      const answer = await answered(one, request(id, 'resources/subscribe', { uri: 'test://a' }), { error });
      assert.deepEqual(answer && 'error' in answer && answer.error, error);
    }
    assert.equal(methods().length, 2);
  });

  it("tells no caller what another one's call brings about", async () => {
    verifies('gateway.stdio.share.callers');
    const { shared, sent, emit, hearing, call, settled } = await openShared({ isForAll: true });
    const [one, two] = [shared.join('1', 'key-1'), shared.join('2', 'key-2')];
    const heard = [await hearing(one), await hearing(two)];
    const say = (data: string) => emit({ method: 'notifications/message', params: { level: 'error', data } });
    say('nobody calls');
    const first = call(one, request(1));
    await until('it is sent', () => sent.length === 1);
    say('one calls');
    const second = call(two, request(1)).catch(() => undefined);
    await until('it is sent', () => sent.length === 2);
    say('both call');
    emit({ id: sent[0]?.id ?? '', result: {} });
    await first;
    say('the other calls');
    await settled();
    assert.deepEqual(
      heard.map((it) => it.map(({ params }) => params?.['data'])),
      [['one calls'], ['the other calls']],
    );
    await shared.close();
    await second;
  });

  it('has no tasks if all keys share it, and an error explains why', async () => {
    verifies('gateway.stdio.share.callers');
    for (const isForAll of [true, false]) {
      const { shared, sent, answered } = await openShared({ isForAll });
      for (const it of [shared.join('1', 'k'), shared]) {
        const answer = JSON.stringify(await answered(it, request(1, 'tasks/list', {})));
        assert.match(answer, isForAll ? /Set stdio.share to \\"key\\"/ : /"result":\{\}/);
      }
      assert.equal(sent.length, isForAll ? 0 : 2);
    }
  });

  it('gets no message from a client that concerns all sessions, and no session request from callers without a session', async () => {
    const { shared, methods, answered, call } = await openShared();
    const options = { outbound, signal: new AbortController().signal };
    const [one] = [shared.join('1', 'k'), shared.join('2', 'k')];
    for (const it of ['initialized', 'cancelled', 'roots/list_changed', 'progress'])
      await one.send({ jsonrpc: '2.0', method: `notifications/${it}` }, options);
    shared.leave('2');
    await one.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, options);
    assert.deepEqual(methods(), ['notifications/roots/list_changed']);
    assert.match(JSON.stringify(await call(shared, request(1, 'logging/setLevel'))), /requires a session/);
    assert.deepEqual(await answered(shared, request(2)), { jsonrpc: '2.0', id: 2, result: {} });
  });

  it('ends for all of its sessions with the program, and for one of them with that session', async () => {
    const { shared, end, call } = await openShared();
    const [one, two] = [shared.join('1', 'k'), shared.join('2', 'k')];
    await one.close();
    assert.deepEqual([one.isClosed, two.isClosed, shared.isClosed, shared.size], [true, false, false, 1]);
    await assert.rejects(call(one, request(1)), { kind: 'ended', mayHaveRun: false });
    end();
    assert.deepEqual([two.isClosed, shared.isClosed], [true, true]);
  });
});
