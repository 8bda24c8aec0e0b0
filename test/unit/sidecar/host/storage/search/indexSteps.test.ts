import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostStorage, openStorage } from '../../../../../../sidecar/host/storage/hostStorage.ts';
import { type SearchPage, TranscriptIndex } from '../../../../../../sidecar/host/storage/search/transcriptIndex.ts';

describe('the steps of the index of transcripts', () => {
  let dataDir = '';
  let storage: HostStorage;
  let index: TranscriptIndex;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-search-steps-'));
    const now = '2026-01-02T03:04:05.678Z';
    storage = openStorage({ dataDir, now, onDamage: () => undefined, warn: () => undefined });
    index = new TranscriptIndex(dataDir);
  });
  afterEach(async () => {
    index.close();
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  /** A turn that began so many seconds after the first, in a chat of a session of its own. */
  function addTurn(chat: string, n: number, text: string, seconds = n): void {
    const [createdAt, modifiedAt, summary] = ['2026-01-01', '2026-01-01', '{"title":"T"}'];
    if (!storage.chats.head(chat)) {
      storage.sessions.put({ uri: `s-${chat}`, body: '{}', summary, createdAt, modifiedAt, listed: true, busy: false });
      storage.chats.putHead(chat, `s-${chat}`, '{}');
    }
    const startedAt = new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
    const body = JSON.stringify({ startedAt, message: { text }, responseParts: [] });
    storage.chats.insertTurn(chat, n, `${chat}/${n}`, body);
  }
  function stepToEnd(): number {
    for (let last = index.step(); ; last = index.step()) if (!last.hasMore) return last.indexed;
  }
  const search = (query: string, limit = 50): SearchPage => index.search({ query, limit });
  const turnsWith = (query: string) => search(query).items.map((it) => it.turnId);
  function reopen(): void {
    index.close();
    index = new TranscriptIndex(dataDir);
  }

  it('make room for turns that began at the same time, also where one of them went', () => {
    const lines = (word: string, count: number) => Array.from({ length: count }, () => word.padEnd(99, '.')).join('\n');
    addTurn('a', 0, 'alpha', 7);
    addTurn('b', 0, lines('beta', 200), 7);
    stepToEnd();
    storage.chats.deleteTurnsFrom('a', 0);
    addTurn('a', 0, lines('gamma', 400), 7);
    addTurn('c', 0, 'delta', 7);
    assert.deepEqual(['alpha', 'beta', 'gamma', 'delta'].map(turnsWith), [[], ['b/0'], ['a/0'], ['c/0']]);
  });

  it('go on once a turn is gone that could not be read', () => {
    addTurn('c', 0, 'word one');
    storage.chats.insertTurn('c', 1, 'c/1', 'no JSON');
    assert.throws(() => index.step(), SyntaxError);
    storage.chats.deleteTurnsFrom('c', 1);
    stepToEnd();
    assert.deepEqual(turnsWith('word'), ['c/0']);
  });

  it('take over no more than about a million characters at once, of new turns and of old ones', () => {
    const long = (word: string) => `${word}\n${`${'x'.repeat(99)}\n`.repeat(6_000)}`;
    for (let n = 0; n < 5; n += 1) addTurn('c', n, long(`word${n}`));
    assert.deepEqual(
      [index.step(), index.step(), index.step()].map((it) => it.indexed),
      [2, 4, 5],
    );
    index.close();
    rmSync(join(dataDir, 'search.db'));
    index = new TranscriptIndex(dataDir);
    const older = [index.step(), index.step(), index.step(), index.step()].map((it) => it.hasMore);
    const found = [0, 1, 2, 3, 4].filter((n) => search(`word${n}`).items.length > 0);
    assert.deepEqual(
      [older, found],
      [
        [true, true, true, false],
        [0, 1, 2, 3, 4],
      ],
    );
  });

  it('have a turn once that was written anew before the older ones were added', () => {
    addTurn('c', 0, 'word old');
    addTurn('c', 1, 'word old');
    index.close();
    rmSync(join(dataDir, 'search.db'));
    index = new TranscriptIndex(dataDir);
    storage.chats.deleteTurnsFrom('c', 1);
    addTurn('c', 1, 'word new');
    stepToEnd();
    assert.deepEqual(
      search('word').items.map((it) => it.line),
      ['word new', 'word old'],
    );
  });

  it('do not begin anew with a restart after which nothing is new', () => {
    for (let n = 0; n < 600; n += 1) addTurn('c', n, 'a word');
    storage.turnChanges.indexedUpTo(stepToEnd());
    addTurn('c', 600, 'a word');
    stepToEnd();
    reopen();
    assert.deepEqual([index.step().hasMore, search('word', 1).isIndexing], [false, false]);
  });
});
