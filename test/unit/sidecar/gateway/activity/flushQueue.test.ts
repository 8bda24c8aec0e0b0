import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { FLUSH_RECORDS, FlushQueue } from '../../../../../sidecar/gateway/activity/flushQueue.ts';
import { endedCall } from '../../../../../sidecar/gateway/storage/activity/endedCall.ts';
import * as records from '../../../../support/gateway/activityLines.ts';

const second = Date.parse('2026-03-04T10:00:00.000Z');
const DAY = '2026-03-04';
const at = `${DAY}T10:00:00.000Z`;

describe('what waits to be written', () => {
  let queue: FlushQueue;
  beforeEach(() => {
    queue = new FlushQueue('w1');
  });
  const line = (request_id: string) => endedCall(records.line(request_id, at, 1));

  const items: readonly [what: string, put: (it: FlushQueue) => void][] = [
    ['a line', (it) => it.add(line('r'))],
    ['a refused caller', (it) => it.refuse(DAY, '/mcp')],
    ['an amount spent', (it) => it.spend('key/k', second, 1)],
    ['a used allowance', (it) => it.use('minute', 1)],
  ];
  for (const [what, put] of items)
    it(`is something as long as ${what} is not written, also while it is on its way`, () => {
      assert.deepEqual([queue.isEmpty, queue.next(1)], [true, undefined]);
      put(queue);
      assert.equal(queue.isEmpty, false);
      const batch = queue.next(5)!;
      assert.deepEqual([batch.writer, batch.seq, batch.atMs, queue.isEmpty], ['w1', 1, 5, false]);
      queue.done(batch);
      assert.deepEqual([queue.isEmpty, queue.next(6)], [true, undefined]);
    });

  it('goes as the same batch until that is written; what comes meanwhile is in the next one, and nothing in both', () => {
    for (const [, put] of items) put(queue);
    const batch = queue.next(1)!;
    for (const [, put] of items) put(queue);
    assert.equal(queue.next(2), batch);
    queue.done(batch);
    const next = queue.next(3)!;
    queue.done(batch); // heard twice: the next one is still on its way
    assert.equal(queue.next(4), next);
    for (const it of [batch, next])
      assert.deepEqual(
        [
          records.requestsOf(it),
          it.sums.calls.map((day) => day.spend),
          it.spendings,
          it.used,
          it.sums.edge.map((edge) => edge.failed_requests),
        ],
        [['r'], [1], [{ scope: 'key/k', atMs: second, amount: 1 }], [{ counter: 'minute', amount: 1 }], [1]],
      );
    assert.deepEqual([batch.seq, next.seq, next.atMs], [1, 2, 3]);
  });

  it('keeps what calls of one kind have in common once, and each line is that of its call, however many kinds there are', () => {
    const kinds = Array.from({ length: 100 }, (_, n) => endedCall(records.line('', at, 1, { api_key: `k${n}` })));
    const calls = [0, 1, 99].flatMap((n) =>
      kinds.map((kind, k) => ({ ...kind, request_id: `${n} of ${k}`, spend: n })),
    );
    for (const it of [kinds[0]!, kinds[0]!, ...calls]) queue.add(it);
    queue.add({ ...kinds[0]!, prompt_tokens: 3, total_tokens: 3 });
    const { lines } = queue.next(1)!;
    const read = lines.own.map((_, position) => lines.read(position));
    assert.deepEqual(
      read.slice(2, -1).map((it) => [it.request_id, it.api_key, it.spend]),
      calls.map((it) => [it.request_id, it.facts.of.api_key, it.spend]),
    );
    assert.deepEqual([read[1], read.at(-1)?.prompt_tokens], [records.line('', at, 1, { api_key: 'k0' }), 3]);
    const [first, second, third] = lines.own.map((it) => (JSON.parse(it) as unknown[]).at(-1));
    assert.deepEqual([first, second, third], [0, 0, 0]);
  });

  it('counts its lines also while they are on their way, and holds no more in a batch than one may', () => {
    for (let n = 0; n < FLUSH_RECORDS + 2; n += 1) queue.add(line(`r${n}`));
    const batch = queue.next(1)!;
    const spent = ({ sums }: typeof batch) => sums.calls.map((it) => it.spend);
    assert.deepEqual([batch.lines.length, spent(batch), queue.length], [FLUSH_RECORDS, [FLUSH_RECORDS], 2_002]);
    queue.done(batch);
    const next = queue.next(2)!;
    assert.deepEqual([queue.length, records.requestsOf(next), spent(next)], [2, ['r2000', 'r2001'], [2]]);
  });

  it('gathers what one owner spent within a second, and counts it in windows from their start until before their end', () => {
    queue.spend('a', second, 1);
    queue.spend('a', second + 999, 2);
    queue.spend('a', second + 1_000, 4);
    queue.spend('b', second, 8);
    const batch = queue.next(1)!;
    assert.deepEqual(batch.spendings, [
      { scope: 'a', atMs: second, amount: 3 },
      { scope: 'b', atMs: second, amount: 8 },
      { scope: 'a', atMs: second + 1_000, amount: 4 },
    ]);
    queue.spend('a', second + 500, 16);
    const inside = (startMs: number, endMs: number) => queue.waitingFor('a', startMs, endMs);
    assert.deepEqual(
      [inside(second, second + 1_000), inside(second, second + 1_001), inside(second + 1_000, second + 2_000)],
      [19, 23, 4],
    );
    assert.deepEqual([inside(second + 1, second + 1_000), queue.waitingFor('c', 0, Infinity)], [0, 0]);
    queue.done(batch);
    assert.equal(inside(0, Infinity), 16);
  });

  it('adds up the allowances of each counter that are used and not written', () => {
    queue.use('a', 1);
    queue.use('a', 2);
    queue.use('b', 4);
    const batch = queue.next(1)!;
    assert.deepEqual(batch.used, [
      { counter: 'a', amount: 3 },
      { counter: 'b', amount: 4 },
    ]);
    queue.use('a', 8);
    assert.deepEqual([queue.waitingUse('a'), queue.waitingUse('b'), queue.waitingUse('c')], [11, 4, 0]);
    queue.done(batch);
    assert.deepEqual([queue.waitingUse('a'), queue.waitingUse('b')], [8, 0]);
  });
});
