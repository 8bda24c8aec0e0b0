import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostStorage, openStorage } from '../../../../../../sidecar/host/storage/hostStorage.ts';
import { openSearchThread } from '../../../../../../sidecar/host/storage/search/searchThread.ts';
import { TranscriptSearch } from '../../../../../../sidecar/host/storage/search/transcriptSearch.ts';
import { ManualTimers } from '../../../../../support/manualTimers.ts';
import { until } from '../../../../../support/until.ts';

const START_MS = 12_000;
const CHANGE_MS = 2_000;

describe('the thread of the index of transcripts', () => {
  let dataDir: string;
  let storage: HostStorage;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-search-thread-'));
    storage = openStorage({
      dataDir,
      now: '2026-01-02T03:04:05.678Z',
      onDamage: () => undefined,
      warn: () => undefined,
    });
  });
  afterEach(async () => {
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const addTurn = (n: number) =>
    storage.chats.insertTurn('c', n, `c/${n}`, JSON.stringify({ message: { text: 'a word' }, responseParts: [] }));

  it('answers each question by itself, also one that fails, and nothing any more once it is closed', async () => {
    const thread = openSearchThread(dataDir);
    const [page, failure, step] = await Promise.all([
      thread.search({ query: 'x', limit: 1 }),
      thread.search({ query: 'x', limit: 1, cursor: 'no number' }).catch((thrown: Error) => thrown.message),
      thread.step(),
    ]);
    assert.deepEqual(page, { items: [], isIndexing: false });
    assert.match(JSON.stringify(failure), /no number/);
    assert.deepEqual([step.hasMore, thread.isDead], [false, false]);
    const closing = thread.close();
    const late = assert.rejects(thread.step());
    await closing;
    await late;
    assert.equal(thread.isDead, true);
    await assert.rejects(thread.step(), /exited with code/);
    await thread.close();
  });

  it('is asked a while after the start and after a change, again until all is indexed, and never once it is closed', async () => {
    const timers = new ManualTimers();
    const warnings: string[] = [];
    const indexed: number[] = [];
    let changed = (): void => undefined;
    const search = new TranscriptSearch({
      dataDir,
      timers,
      turnChanges: {
        ...storage.turnChanges,
        indexedUpTo: (seq) => void indexed.push(seq),
        onChange: (listener) => void (changed = listener),
      },
      warn: (message) => void warnings.push(message),
    });
    for (let n = 0; n < 300; n += 1) addTurn(n);
    changed(); // it waits already, for its start
    assert.deepEqual([timers.count(START_MS), timers.count(CHANGE_MS)], [1, 0]);
    timers.pass(START_MS);
    await until('a step came to nothing after two that had something to do', () => indexed.length === 3);
    await new Promise(setImmediate);
    changed();
    changed();
    assert.equal(timers.count(CHANGE_MS), 1);
    await search.close();
    timers.pass(CHANGE_MS);
    await new Promise(setImmediate);
    changed();
    assert.deepEqual([timers.count(CHANGE_MS), warnings], [0, []]);
    await assert.rejects(search.search({ channel: 'host-root://', query: 'word' }, new AbortController().signal), {
      code: 'unavailable',
    });
  });

  it('is tried again with the next change where it failed', async () => {
    const timers = new ManualTimers();
    const warnings: string[] = [];
    let changed = (): void => undefined;
    const search = new TranscriptSearch({
      dataDir: join(dataDir, 'nowhere'),
      timers,
      turnChanges: { ...storage.turnChanges, onChange: (listener) => void (changed = listener) },
      warn: (message) => void warnings.push(message),
    });
    timers.pass(START_MS);
    await until('it failed', () => warnings.length === 1);
    changed();
    timers.pass(CHANGE_MS);
    await until('it failed again', () => warnings.length === 2);
    await search.close();
  });
});
