import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'mocha';
import type { Dispatcher } from 'undici';
import { wholeText } from '../../../../../../sidecar/gateway/backends/net/answerBody.ts';
import { exchange } from '../../../../../../sidecar/gateway/backends/net/exchange.ts';

type Handler = Required<Dispatcher.DispatchHandler>;

/** A request whose socket is the test's. */
function exchanged(signal: AbortSignal, body?: AsyncIterable<Uint8Array>) {
  let handler: Handler | undefined;
  const aborted: unknown[] = [];
  const controller = {
    abort(reason: Error) {
      aborted.push(reason.message);
      handler?.onResponseError(controller, reason);
    },
    pause: () => undefined,
    resume: () => undefined,
  } as unknown as Dispatcher.DispatchController;
  const dispatcher = {
    dispatch(_: unknown, given: Handler) {
      handler = given;
      return true;
    },
  } as unknown as Dispatcher;
  let sent = 0;
  let read = 0;
  let failed = 0;
  const answer = exchange(
    dispatcher,
    { origin: 'http://backend.test', path: '/at' },
    { method: 'POST', url: 'http://backend.test/at', headers: {}, ...(body && { body }), onSent: () => (sent += 1) },
    signal,
    { onRead: () => (read += 1), onFailed: () => (failed += 1) },
  );
  answer.catch(() => undefined);
  return {
    answer,
    aborted,
    socket: () => handler!,
    controller,
    failures: () => failed,
    counts: () => ({ sent, read, listeners: getEventListeners(signal, 'abort').length }),
  };
}

describe('one request over a socket', () => {
  it('listens to its caller until its answer is there, and no longer', async () => {
    const caller = new AbortController();
    const { answer, socket, controller, counts, aborted } = exchanged(caller.signal);
    socket().onRequestStart(controller, {});
    socket().onResponseStart(controller, 200, {}, 'OK');
    assert.deepEqual(counts(), { sent: 1, read: 0, listeners: 1 });
    socket().onResponseData(controller, Buffer.from('whole'));
    socket().onResponseEnd(controller, {});
    assert.equal(await wholeText((await answer).body, 100), 'whole');
    assert.deepEqual(counts(), { sent: 1, read: 1, listeners: 0 });
    caller.abort(new Error('left'));
    assert.deepEqual(aborted, []);
  });

  it('that fails lets go of its caller, and of the bytes that it was to send', async () => {
    let letGo = 0;
    const bytes = {
      next: async () => ({ done: false as const, value: Buffer.from('x') }),
      async return() {
        letGo += 1;
        return { done: true as const, value: undefined };
      },
    };
    const flow = { [Symbol.asyncIterator]: () => bytes };
    const { answer, socket, controller, counts } = exchanged(new AbortController().signal, flow);
    socket().onRequestStart(controller, {});
    socket().onResponseError(controller, new Error('the socket broke'));
    await assert.rejects(answer, /the socket broke/);
    await new Promise(setImmediate);
    assert.deepEqual([counts().listeners, letGo], [0, 1]);
  });

  it('waits for the answer that follows an interim one', async () => {
    const { answer, socket, controller } = exchanged(new AbortController().signal);
    socket().onRequestStart(controller, {});
    socket().onResponseStart(controller, 103, { link: 'x' }, 'Early Hints');
    socket().onResponseStart(controller, 201, { a: 'b' }, 'Created');
    const { status, headers } = await answer;
    assert.deepEqual([status, headers], [201, { a: 'b' }]);
  });

  it('that is taken back before it has a socket fails once, and sends nothing once it has one', async () => {
    const caller = new AbortController();
    const { answer, socket, controller, counts, aborted, failures } = exchanged(caller.signal);
    caller.abort(new Error('left'));
    await assert.rejects(answer, /left/);
    socket().onRequestStart(controller, {});
    assert.deepEqual([aborted, counts()], [['left'], { sent: 0, read: 0, listeners: 0 }]);
    assert.equal(failures(), 1);
  });

  it('that is taken back before it begins has no socket and no listener', async () => {
    const { answer, counts } = exchanged(AbortSignal.abort(new Error('left')));
    await assert.rejects(answer, /left/);
    assert.deepEqual(counts(), { sent: 0, read: 0, listeners: 0 });
  });

  it('whose caller leaves in the midst of the answer is ended, and its reader hears why', async () => {
    const caller = new AbortController();
    const { answer, socket, controller, aborted, counts } = exchanged(caller.signal);
    socket().onRequestStart(controller, {});
    socket().onResponseStart(controller, 200, {}, 'OK');
    socket().onResponseData(controller, Buffer.from('a part'));
    const text = wholeText((await answer).body, 100);
    caller.abort(new Error('left'));
    await assert.rejects(text, /left/);
    assert.deepEqual([aborted, counts()], [['left'], { sent: 1, read: 1, listeners: 0 }]);
  });
});
