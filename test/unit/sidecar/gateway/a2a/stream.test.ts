import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { RelayedStream, type RelayedStreamOptions } from '../../../../../sidecar/gateway/a2a/stream.ts';
import type { FlowReader } from '../../../../../sidecar/platform/httpMessages.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

const comment = ': keepalive\n\n';
const keepAliveMs = 15_000;

/** An agent whose bytes the test sends, and a caller who has room as the test says. Each character is an event. */
function open(onAnswer: RelayedStreamOptions['onAnswer'] = () => undefined) {
  const ends: string[] = [];
  const seen: string[] = [];
  const written: string[] = [];
  const agent = { resumed: 0, isClosed: false };
  const caller = { hasRoom: true };
  let from: FlowReader | undefined;
  const stream = new RelayedStream({
    source: {
      flow(reader) {
        from = reader;
        return () => (agent.resumed += 1);
      },
      destroy: () => void (agent.isClosed = true),
    },
    *read(piece) {
      for (const result of String(Buffer.from(piece))) {
        if (result === '!') throw new Error('garbage');
        yield { answer: { jsonrpc: '2.0', id: 7, result }, text: `data: ${result}\n\n` };
      }
    },
    onAnswer,
    onWritten: (text) => void written.push(text),
    onEnd: (how) => void ends.push(how),
    brokenEvent: (cause) => `data: ${cause instanceof Error ? cause.message : 'unknown'}\n\n`,
    keepAliveMs,
    timers: systemTimers,
  });
  const resume = stream.flow({
    chunk(bytes) {
      seen.push(String(bytes));
      return caller.hasRoom;
    },
    end: () => void seen.push('<end>'),
    fail: (thrown) => void seen.push(String(thrown)),
  });
  const say = (text: string) => from!.chunk(Buffer.from(text));
  const fail = () => from!.fail(new Error('reset'));
  return { stream, say, fail, end: () => from!.end(), agent, caller, resume, seen, written, ends };
}

describe('a stream on its way to the caller', () => {
  const pass = (times: number) => mock.timers.tick(keepAliveMs * times);
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('has comments in its pauses, from the beginning on, which are not part of the answer', () => {
    const { say, seen, written } = open();
    pass(2);
    assert.deepEqual(seen, [comment]);
    say('1');
    pass(2);
    assert.deepEqual(seen, [comment, 'data: 1\n\n', comment]);
    assert.deepEqual(written, ['data: 1\n\n']);
  });

  it('has none while it flows', () => {
    const { say, seen, end } = open();
    for (const it of ['1', '2', '3']) {
      say(it);
      pass(1);
    }
    end();
    pass(10);
    assert.deepEqual(seen, ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n', '<end>']);
  });

  it('gathers no comments for a caller who does not read', () => {
    const { caller, seen, say, resume } = open();
    caller.hasRoom = false;
    pass(100);
    assert.deepEqual(seen, [comment]);
    caller.hasRoom = true;
    resume();
    say('1');
    assert.deepEqual(seen, [comment, 'data: 1\n\n']);
  });

  it('takes no more from the agent than the caller reads', () => {
    const { say, caller, resume, agent } = open();
    assert.equal(say('1'), true);
    caller.hasRoom = false;
    assert.equal(say('2'), false);
    assert.equal(agent.resumed, 0);
    resume();
    assert.equal(agent.resumed, 1);
  });

  it('is written in one piece if it arrived in one piece', () => {
    const { say, seen, written } = open();
    say('12');
    assert.deepEqual([seen, written], [['data: 1\n\ndata: 2\n\n'], ['data: 1\n\ndata: 2\n\n']]);
  });

  it('sends an answer after its owner is stored, and the answers before it at once', async () => {
    const kept = Promise.withResolvers<void>();
    const { say, seen, agent, resume } = open(({ result }) => (result === '2' ? kept.promise : undefined));
    assert.equal(say('123'), false);
    resume();
    await turn();
    assert.deepEqual([seen, agent.resumed], [['data: 1\n\n'], 0]);
    kept.resolve();
    await turn();
    assert.deepEqual([seen, agent.resumed], [['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n'], 1]);
  });

  it('does not resume the agent after an owner is stored until the caller has room', async () => {
    const { say, seen, agent, caller, resume } = open(({ result }) => (result === '1' ? Promise.resolve() : undefined));
    caller.hasRoom = false;
    say('1');
    await turn();
    assert.deepEqual([seen, agent.resumed], [['data: 1\n\n'], 0]);
    resume();
    assert.equal(agent.resumed, 1);
  });

  it('breaks if the owner of an answer cannot be stored, and does not send that answer', async () => {
    const { say, seen, ends, agent } = open(() => Promise.reject(new Error('no disk')));
    say('12');
    await turn();
    assert.deepEqual([seen, ends, agent.isClosed], [['data: no disk\n\n', '<end>'], ['broken'], true]);
  });

  it('sends nothing to a caller who left while an owner was being stored', async () => {
    const kept = Promise.withResolvers<void>();
    const { say, seen, stream, ends } = open(() => kept.promise);
    say('12');
    stream.destroy();
    kept.resolve();
    await turn();
    assert.deepEqual([seen, ends], [[], ['left']]);
  });

  it('ends at an invalid event, after those before it, and reads nothing behind it', () => {
    const { say, fail, seen, written, ends, agent } = open();
    assert.equal(say('1!2'), false);
    assert.equal(say('3'), false);
    fail();
    assert.deepEqual(seen, ['data: 1\n\n', 'data: garbage\n\n', '<end>']);
    assert.deepEqual([written, ends, agent.isClosed], [['data: 1\n\n'], ['broken'], true]);
  });

  it('ends once: whole, broken or left, and its timer with it', () => {
    const [began, cleared] = [mock.method(globalThis, 'setInterval'), mock.method(globalThis, 'clearInterval')];
    const [whole, broken, left] = [open(), open(), open()];
    whole.say('1');
    for (const it of [whole, broken, left]) {
      if (it === whole) it.end();
      if (it === broken) it.fail();
      it.stream.destroy();
      it.stream.destroy();
      it.fail();
      it.end();
    }
    assert.deepEqual([whole.ends, broken.ends, left.ends], [['whole'], ['broken'], ['left']]);
    assert.deepEqual(whole.seen, ['data: 1\n\n', '<end>']);
    assert.deepEqual(broken.seen, ['data: reset\n\n', '<end>']);
    assert.deepEqual([left.seen, left.agent.isClosed], [[], true]);
    const timers = began.mock.calls.map((it) => it.result);
    assert.equal(timers.length, 3);
    assert.deepEqual(
      cleared.mock.calls.map((it) => it.arguments[0]),
      timers,
    );
  });
});
