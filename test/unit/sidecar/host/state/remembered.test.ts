import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Dispatched } from '../../../../../sidecar/host/state/dispatched.ts';
import { LoadedChannels } from '../../../../../sidecar/host/state/loadedChannels.ts';
import type { Persistence } from '../../../../../sidecar/host/state/persistence.ts';
import { ReplayRing } from '../../../../../sidecar/host/state/replayRing.ts';
import { StorageHealth } from '../../../../../sidecar/host/state/storageHealth.ts';
import type { Written } from '../../../../../sidecar/host/state/store.ts';
import { REMEMBERED_DISPATCHES } from '../../../../../sidecar/host/storage/dispatchRows.ts';
import type { HostStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { StorageFault } from '../../../../../sidecar/host/storage/storageFault.ts';

const NOW = '2026-01-02T03:04:05.678Z';

describe('the envelopes that are kept for clients that come back', () => {
  const written = (serverSeq: number, length = 10): Written => ({
    envelope: { channel: 'c', action: { type: 'x' }, serverSeq, _meta: { at: NOW } },
    text: 'x'.repeat(length),
  });
  const fill = (ring: ReplayRing, from: number, to: number, length?: number) => {
    for (let n = from; n <= to; n += 1) ring.add(written(n, length));
  };
  const numbers = (ring: ReplayRing, since: number, last: number) =>
    ring.since(since, last)?.map((it) => it.envelope.serverSeq);

  it('are those after the number that a client has, and none that this process did not see', () => {
    const ring = new ReplayRing(5);
    fill(ring, 6, 8);
    for (const [since, expected] of [
      [4, undefined],
      [5, [6, 7, 8]],
      [6, [7, 8]],
      [8, []],
      [9, undefined],
    ] as const)
      assert.deepEqual(numbers(ring, since, 8), expected, `since ${since}`);
  });

  it('are the last thousand, however many there were', () => {
    const ring = new ReplayRing(0);
    let added = 0;
    for (const last of [1_000, 1_001, 1_999, 2_000, 2_001, 5_500]) {
      fill(ring, added + 1, last);
      added = last;
      const first = Math.max(1, last - 999);
      if (first > 1) assert.equal(numbers(ring, first - 2, last), undefined, `${last}`);
      const kept = numbers(ring, first - 1, last)!;
      assert.deepEqual([kept.length, kept[0], kept.at(-1)], [Math.min(last, 1_000), first, last]);
    }
  });
  it('are as many as four million characters hold, also after large ones were let go', () => {
    const ring = new ReplayRing(0);
    fill(ring, 1, 10, 1024 * 1024);
    assert.deepEqual(numbers(ring, 6, 10), [7, 8, 9, 10]);
    assert.equal(numbers(ring, 5, 10), undefined);
    fill(ring, 11, 20, 10); // the small ones push one large one out, and no more
    assert.equal(numbers(ring, 7, 20)?.length, 13);
    fill(ring, 21, 21, 5 * 1024 * 1024);
    assert.equal(numbers(ring, 20, 21), undefined);
    assert.deepEqual(numbers(ring, 21, 21), []);
    fill(ring, 22, 23, 10);
    assert.deepEqual(numbers(ring, 21, 23), [22, 23]);
  });
});

describe('the dispatches that are remembered', () => {
  const open = (rows: { clientId: string; clientSeq: number; serverSeq: number }[] = []) =>
    new Dispatched({ all: () => rows, remember: () => undefined, trim: () => undefined });
  const origin = (clientSeq: number, clientId = 'c') => ({ clientId, clientSeq });

  it('are distinguished by client and by number, and none has the number 0', () => {
    const dispatched = open([{ ...origin(1), serverSeq: 11 }]);
    dispatched.remember(origin(2), 12);
    dispatched.remember(origin(1, 'd'), 13);
    dispatched.remember(origin(0), 14);
    const found = [origin(1), origin(2), origin(1, 'd'), origin(2, 'd'), origin(0)].map((it) => dispatched.number(it));
    assert.deepEqual(found, [11, 12, 13, undefined, undefined]);
    dispatched.forget(origin(2));
    assert.deepEqual([dispatched.number(origin(2)), dispatched.number(origin(1))], [undefined, 11]);
  });

  it('are the last thousand at least, and never more than twice as many', () => {
    const dispatched = open();
    const isKnown = (n: number) => dispatched.number(origin(n)) !== undefined;
    const count = 2 * REMEMBERED_DISPATCHES;
    for (let n = 1; n <= count; n += 1) dispatched.remember(origin(n), n);
    dispatched.trim();
    assert.equal(isKnown(1), true);
    dispatched.remember(origin(count + 1), count + 1);
    dispatched.trim();
    const kept = Array.from({ length: count + 1 }, (_, n) => n + 1).filter((n) => isKnown(n));
    assert.deepEqual([kept.length, kept[0]], [REMEMBERED_DISPATCHES, count + 2 - REMEMBERED_DISPATCHES]);
  });
});

describe('the channels in memory', () => {
  const stored: Persistence = { load: () => undefined, write: () => undefined, remove: () => undefined };
  const open = (pinned: readonly string[] = []) =>
    new LoadedChannels({
      storage: {} as HostStorage,
      persistence: { session: stored },
      isPinned: (channel) => pinned.includes(channel),
    });
  const session = (n: number) => `host-session:/${n}`;
  const fill = (channels: LoadedChannels, count: number) => {
    for (let n = 0; n < count; n += 1) channels.put(session(n), { state: n, metadata: {} });
  };
  const kept = (channels: LoadedChannels, count: number) =>
    Array.from({ length: count }, (_, n) => n).filter((n) => channels.peek(session(n)) !== undefined);

  it('all stay up to 256 of them; of more those stay that were used last', () => {
    const channels = open();
    fill(channels, 256);
    channels.evict();
    assert.equal(kept(channels, 256).length, 256);
    for (const n of [0, 1]) assert.equal(channels.get(session(n))?.state, n);
    channels.peek(session(2));
    channels.put(session(256), { state: 256, metadata: {} });
    channels.evict();
    const left = kept(channels, 257);
    assert.equal(left.length, 224);
    assert.deepEqual(left.slice(0, 3), [0, 1, 35]);
    assert.equal(left.at(-1), 256);
  });

  it('stay where somebody looks at them, or where no disk has them', () => {
    const channels = open([session(0), session(7)]);
    channels.put('host-terminal:/1', { state: 't', metadata: {} });
    fill(channels, 400);
    channels.evict();
    assert.equal(channels.peek('host-terminal:/1')?.state, 't');
    assert.deepEqual(kept(channels, 400).slice(0, 2), [0, 7]);
    channels.drop(session(0));
    assert.equal(channels.peek(session(0)), undefined);
    channels.clear();
    assert.deepEqual(kept(channels, 400), []);
  });
});

describe('the health of the storage', () => {
  it('is reported when it changes, with the reason, and whoever waits goes on when it is good again', async () => {
    const told: (string | undefined)[] = [];
    const health = new StorageHealth((it) => void told.push(it?.failure));
    await health.whenOver();
    health.end();
    assert.deepEqual([told, health.delayMs], [[], 0]);
    health.begin(new StorageFault('full'));
    health.begin(new StorageFault('readOnly'));
    let over = 0;
    const waiting = [health.whenOver(), health.whenOver()].map((it) => it.then(() => (over += 1)));
    await Promise.resolve();
    assert.deepEqual([over, health.isThere, health.delayMs > 0], [0, true, true]);
    assert.match(health.failureReason, /^not saved: .*read-only/);
    health.end();
    health.end();
    await Promise.all(waiting);
    await health.whenOver();
    assert.deepEqual([over, told, health.isThere, health.delayMs], [2, ['full', 'readOnly', undefined], false, 0]);
  });
});
