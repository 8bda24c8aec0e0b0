import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';

describe('the rows of sessions, rules and dispatches', () => {
  let dataDir = '';
  let storage: HostStorage;
  const open = () =>
    openStorage({ dataDir, now: '2026-01-02T03:04:05.678Z', onDamage: () => undefined, warn: () => undefined });
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-rows-'));
    storage = open();
  });
  afterEach(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const session = (uri: string, more: Partial<Parameters<HostStorage['sessions']['put']>[0]> = {}) =>
    storage.sessions.put({
      uri,
      body: '{}',
      summary: `"${uri}"`,
      createdAt: '2026-01-01',
      modifiedAt: '2026-01-01',
      listed: true,
      busy: false,
      ...more,
    });

  it('gives pages of sessions of one time each once, however many share it', () => {
    for (const uri of ['a', 'b', 'c', 'd']) session(uri, { modifiedAt: uri === 'a' ? '2026-01-02' : '2026-01-01' });
    session('draft', { listed: false });
    const seen: string[] = [];
    for (let after: { modifiedAt: string; uri: string } | undefined; ; ) {
      const page = storage.sessions.page(2, after);
      seen.push(...page.map((it) => it.uri));
      after = page.at(-1);
      if (!after) break;
    }
    assert.deepEqual(seen, ['a', 'd', 'c', 'b']);
  });

  it('takes a session for abandoned only without a turn, and when it was made before the time', () => {
    session('old', { listed: false, createdAt: '2026-01-01', modifiedAt: '2026-01-09' });
    session('now', { listed: false, createdAt: '2026-01-02' });
    session('new', { listed: false, createdAt: '2026-01-03' });
    session('used', { createdAt: '2026-01-01' });
    assert.deepEqual(storage.sessions.unlistedBefore('2026-01-02'), ['old']);
  });

  it('writes a session over, all but the time when it was made', () => {
    session('a', { listed: false, busy: true });
    session('a', { body: '1', summary: '2', createdAt: '2027', modifiedAt: '2028', listed: true, busy: false });
    assert.deepEqual(storage.sessions.get('a'), { body: '1', summary: '2', createdAt: '2026-01-01', listed: true });
    assert.deepEqual(storage.sessions.busy(), []);
    assert.deepEqual(storage.sessions.page(1), [{ uri: 'a', modifiedAt: '2028', summary: '2' }]);
  });

  it('names each folder once in which a session works', () => {
    session('a', { summary: JSON.stringify({ workingDirectories: ['file:///x', 'file:///y'] }) });
    session('b', { summary: JSON.stringify({ workingDirectories: ['file:///y'] }), listed: false });
    session('c', { summary: '{}' });
    assert.deepEqual(storage.sessions.folders().toSorted(), ['file:///x', 'file:///y']);
  });

  it('answers rules in the order in which they were first granted, and whether one was there to be removed', () => {
    for (const [id, body] of [
      ['z', '1'],
      ['a', '2'],
      ['z', '3'],
    ] as const)
      storage.small.putRule(id, body);
    assert.deepEqual(storage.small.rules(), ['3', '2']);
    assert.deepEqual([storage.small.removeRule('z'), storage.small.removeRule('z')], [true, false]);
    assert.deepEqual(storage.small.rules(), ['2']);
  });

  it('forgets the oldest dispatches, a hundred at a time, and answers the newest 1,000 in their order', async () => {
    const remember = (from: number, to: number) =>
      storage.transaction(() => {
        for (let n = from; n <= to; n += 1) storage.dispatches.remember('c', n, n);
        storage.dispatches.trim();
      });
    const kept = () => {
      const all = storage.dispatches.all();
      return [all.length, all[0]?.serverSeq, all.at(-1)?.serverSeq];
    };
    remember(1, 1_050);
    assert.deepEqual(kept(), [1_000, 51, 1_050]);
    remember(1_051, 1_150);
    assert.deepEqual(kept(), [1_000, 151, 1_150]);
    await storage.close();
    storage = open();
    assert.deepEqual(kept(), [1_000, 151, 1_150]);
  });
});
