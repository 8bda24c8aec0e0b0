import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  liveStream,
  type McpFrontSetup,
  mcpFrontUnderTest,
  messageOf,
  readStream,
  request,
} from '../../../../../support/mcp/frontUnderTest.ts';
import { until } from '../../../../../support/until.ts';
import { verifies } from '../../../../../support/verifies.ts';

type Live = ReturnType<typeof liveStream>;
const newest = { 'mcp-protocol-version': '2025-11-25' };
const note = (data: string) => ({ method: 'notifications/message', params: { level: 'info', data } });
const answer = (id: number) => ({ id, result: { content: [{ type: 'text', text: `answer ${id}` }] } });
const call = (id: number) => request('tools/call', { name: 'x' }, id);
const idOf = (text: string | undefined): string => /^id: (.*)$/m.exec(text ?? '')?.[1] ?? assert.fail(`no id: ${text}`);
const keepMs = 7_000;

/** Calls of one session whose streams a test writes to, by the id of the call. */
async function calling(more: McpFrontSetup = {}) {
  const lives = new Map<unknown, Live>();
  const gateway = mcpFrontUnderTest({
    ...more,
    options: { keepMs, ...more.options },
    answer: (seen) => {
      if (seen.method !== 'tools/call') return more.answer?.(seen);
      const live = liveStream();
      lives.set(seen.id, live);
      return live.stream;
    },
  });
  const session = await gateway.initialize('/web/mcp');
  const liveOf = (id: number) => lives.get(id) ?? assert.fail(`no call ${id}`);
  const begin = async (id: number, key = 'key-1', of = session) =>
    readStream(await gateway.post('/web/mcp', call(id), { session: of, headers: newest, key }));
  const resume = async (last: string, of = session, key = 'key-1') =>
    readStream(
      await gateway.fetch('GET', '/web/mcp', undefined, { session: of, key, headers: { 'last-event-id': last } }),
    );
  const recordOf = (at: number) => gateway.records.filter((it) => it.call_type === 'mcp:tools/call')[at];
  const cancelled = () =>
    gateway.seen.filter((it) => it.method === 'notifications/cancelled').map((it) => it.params?.['requestId']);
  return { gateway, session, liveOf, begin, resume, recordOf, cancelled };
}

describe('the answer to a call of a session whose connection breaks', () => {
  it('reaches the client that reconnects, with everything that followed on its own stream', async () => {
    verifies('gateway.streams.cut-goes-on');
    const { liveOf, begin, resume, recordOf, cancelled } = await calling();
    const [one, two] = [await begin(1), await begin(2)];
    assert.match((await one.next()) ?? '', /^id: .*\ndata: \n\n$/);
    liveOf(1).write(note('first'), 'theirs-1');
    const first = await one.next();
    assert.match(first ?? '', /"data":"first"/);
    await one.leave();
    liveOf(1).write(note('second'));
    liveOf(2).write(note('of two'));
    liveOf(1).write(answer(1));
    await until('the call is on record', () => recordOf(0)?.status);
    assert.deepEqual([recordOf(0)?.status, cancelled()], ['success', []]);
    const again = await resume(idOf(first));
    assert.equal((await again.message())?.params?.['data'], 'second');
    assert.deepEqual((await again.message())?.result, answer(1).result);
    assert.equal(await again.next(), undefined);
    assert.equal((await two.message())?.params?.['data'], 'of two');
  });

  it('reaches a client that got only the first event and reconnected before the answer', async () => {
    const { gateway, liveOf, begin, resume } = await calling();
    const stream = await begin(1);
    const primed = await stream.next();
    await stream.leave();
    const again = await resume(idOf(primed));
    assert.equal(gateway.timers.count(keepMs), 0);
    liveOf(1).write(note('only'));
    liveOf(1).write(answer(1));
    assert.equal((await again.message())?.params?.['data'], 'only');
    assert.equal((await again.message())?.id, 1);
    assert.equal(await again.next(), undefined);
  });

  it('is read on the newest connection, even before the gateway knows that the previous one is gone', async () => {
    const { gateway, liveOf, begin, resume, recordOf } = await calling();
    const stream = await begin(1);
    const primed = await stream.next();
    const waiting = stream.next();
    const again = await resume(idOf(primed));
    liveOf(1).write(answer(1));
    assert.equal((await again.message())?.id, 1);
    assert.equal(await waiting, undefined);
    await stream.leave();
    assert.equal(recordOf(0)?.status, 'success');
    assert.equal(gateway.timers.count(keepMs), 0);
  });

  it('is kept until it was read, and at most until the time limit', async () => {
    const { gateway, liveOf, begin, resume } = await calling();
    const stream = await begin(1);
    const primed = idOf(await stream.next());
    liveOf(1).write(answer(1));
    assert.equal((await stream.message())?.id, 1);
    assert.equal(await stream.next(), undefined);
    const gone = async (at: string) => (await (await resume(at)).message())?.error?.message;
    assert.match((await gone(primed)) ?? '', /no longer has the messages/);
    const other = await begin(2);
    const place = idOf(await other.next());
    await other.leave();
    liveOf(2).write(answer(2));
    gateway.timers.pass(keepMs);
    assert.match((await gone(place)) ?? '', /no longer has the messages/);
  });

  it('is given neither to another session of the key nor to another key', async () => {
    const { gateway, liveOf, begin, resume } = await calling();
    const stream = await begin(1);
    const place = idOf(await stream.next());
    await stream.leave();
    const other = await gateway.initialize('/web/mcp');
    const theirs = await gateway.initialize('/web/mcp', { key: 'key-2' });
    liveOf(1).write(answer(1));
    for (const [session, key] of [
      [other, 'key-1'],
      [theirs, 'key-2'],
    ] as const)
      assert.match((await (await resume(place, session, key)).message())?.error?.message ?? '', /no longer has/);
  });

  it('does not begin with an empty event for a client of an older version, but its events have IDs', async () => {
    const { gateway, session, liveOf } = await calling();
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    const stream = readStream(await gateway.post('/web/mcp', call(1), { session, headers }));
    liveOf(1).write(answer(1));
    assert.match((await stream.next()) ?? '', /^id: .+\ndata: \{/);
  });

  it('is resumed at the server, from the server’s last event, if the server supports that', async () => {
    const listened: (string | undefined)[] = [];
    const { liveOf, begin, resume } = await calling({
      answer: ({ http, headers }) => {
        if (http === 'GET') listened.push(headers['last-event-id']);
        return undefined;
      },
    });
    const stream = await begin(1);
    await stream.next();
    liveOf(1).write(note('one'), 'theirs-7');
    const last = idOf(await stream.next());
    liveOf(1).end();
    assert.equal(await stream.next(), undefined);
    await resume(last);
    await until('the server was asked', () => listened.length > 0);
    assert.deepEqual(listened, ['theirs-7']);
  });
});

describe('a call of a session without a connection', () => {
  it('is canceled if its client does not reconnect in time, and the record says so', async () => {
    verifies('gateway.streams.cut-limits');
    const { gateway, begin, recordOf, cancelled } = await calling();
    const stream = await begin(1);
    await stream.leave();
    assert.equal(recordOf(0)?.status, undefined);
    gateway.timers.pass(keepMs);
    await until('it is on record', () => recordOf(0)?.status);
    assert.deepEqual(cancelled(), [1]);
    assert.deepEqual(
      [recordOf(0)?.error_code, recordOf(0)?.error],
      ['caller_left', 'The caller disconnected and did not come back within 7 seconds.'],
    );
  });

  it('is canceled if it is the first of nine of its key, and calls of other keys are not', async () => {
    verifies('gateway.streams.cut-limits');
    const { gateway, begin, recordOf, cancelled } = await calling();
    const theirs = await gateway.initialize('/web/mcp', { key: 'key-2' });
    await (await begin(100, 'key-2', theirs)).leave();
    const second = await gateway.initialize('/web/mcp');
    for (let id = 1; id <= 8; id += 1) await (await begin(id, 'key-1', id % 2 === 0 ? second : undefined)).leave();
    assert.deepEqual(cancelled(), []);
    await (await begin(9)).leave();
    await until('one is on record', () => recordOf(1)?.status);
    assert.deepEqual(cancelled(), [1]);
    assert.match(recordOf(1)?.error ?? '', /^The caller disconnected, and 8 newer calls of its key did too\.$/);
    assert.equal(gateway.timers.count(keepMs), 9);
  });

  it('is canceled if it sends more than is kept, after events that were already sent are dropped', async () => {
    verifies('gateway.streams.cut-limits');
    const { liveOf, begin, resume, recordOf, cancelled } = await calling({ options: { keepBytes: 2_000 } });
    const long = 'x'.repeat(500);
    const stream = await begin(1);
    const primed = idOf(await stream.next());
    for (let at = 0; at < 5; at += 1) {
      liveOf(1).write(note(`${at}${long}`));
      assert.ok(await stream.message());
    }
    await stream.leave();
    liveOf(1).write(note(`5${long}`));
    liveOf(1).write(note(`6${long}`));
    const again = await resume(primed);
    const first = (await again.message())?.params?.['data'];
    assert.match(String(first), /^[3-6]x/);
    await again.leave();
    assert.deepEqual(cancelled(), []);
    for (let at = 7; at < 12; at += 1) liveOf(1).write(note(`${at}${long}`));
    await until('it is on record', () => recordOf(0)?.status);
    assert.deepEqual(cancelled(), [1]);
    assert.match(recordOf(0)?.error ?? '', /sent more than is kept/);
  });

  for (const [how, end] of [
    [
      'by its client',
      (gateway: Gateway, session: string) =>
        gateway.post(
          '/web/mcp',
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
          { session },
        ),
    ],
    [
      'with its session',
      (gateway: Gateway, session: string) => gateway.fetch('DELETE', '/web/mcp', undefined, { session }),
    ],
  ] as const)
    it(`is cancelled ${how}`, async () => {
      const { gateway, session, begin, recordOf, cancelled } = await calling();
      await (await begin(1)).leave();
      await end(gateway, session);
      await until('it is on record', () => recordOf(0)?.status);
      assert.deepEqual([recordOf(0)?.error_code, cancelled()], ['cancelled', [1]]);
    });

  it('runs to its end if its answer is JSON, and the record says how it ended', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => void (letGo = resolve));
    const gateway = mcpFrontUnderTest({
      options: { keepMs },
      answer: async ({ method }) => {
        if (method === 'tools/call') await held;
        return undefined;
      },
    });
    const session = await gateway.initialize('/web/mcp');
    const caller = new AbortController();
    const answered = gateway.post('/web/mcp', call(1), { session, signal: caller.signal });
    await until('it is under way', () => gateway.methods().includes('tools/call'));
    caller.abort();
    assert.equal(gateway.timers.count(keepMs), 1);
    letGo();
    assert.equal((await messageOf(await answered)).id, 1);
    assert.equal(gateway.records[1]?.status, 'success');
    assert.ok(!gateway.methods().includes('notifications/cancelled'));
  });

  it('in a batch continues with the others', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => void (letGo = resolve));
    const gateway = mcpFrontUnderTest({
      answer: async ({ method, id }) => {
        if (method === 'tools/call' && id === 1) await held;
        return undefined;
      },
    });
    const session = await gateway.initialize('/web/mcp');
    const caller = new AbortController();
    const answered = gateway.post('/web/mcp', [call(1), call(2)], { session, signal: caller.signal });
    await until('the first is under way', () => gateway.methods().includes('tools/call'));
    caller.abort();
    letGo();
    assert.equal((await answered).status, 200);
    assert.deepEqual(
      gateway.records.slice(1).map((it) => it.status),
      ['success', 'success'],
    );
  });

  it('ends with the gateway, and is recorded', async () => {
    const { gateway, begin, recordOf } = await calling();
    await (await begin(1)).leave();
    await gateway.front.close();
    await until('it is on record', () => recordOf(0)?.status);
    assert.match(recordOf(0)?.error ?? '', /then the gateway was stopped/);
  });
});
type Gateway = ReturnType<typeof mcpFrontUnderTest>;
