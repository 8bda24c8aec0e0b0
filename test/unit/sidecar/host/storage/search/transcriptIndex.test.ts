import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostStorage, openStorage } from '../../../../../../sidecar/host/storage/hostStorage.ts';
import { type SearchPage, TranscriptIndex } from '../../../../../../sidecar/host/storage/search/transcriptIndex.ts';

const FIRST_MS = Date.UTC(2026, 0, 1);

describe('the index of transcripts', () => {
  let dataDir = '';
  let storage: HostStorage;
  let index: TranscriptIndex;
  const openHost = () =>
    openStorage({ dataDir, now: '2026-01-02T03:04:05.678Z', onDamage: () => undefined, warn: () => undefined });
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-search-'));
    storage = openHost();
    index = new TranscriptIndex(dataDir);
  });
  afterEach(async () => {
    index.close();
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** A chat in a session of its own, named after it. */
  function addChat(chat: string): void {
    const [createdAt, modifiedAt] = ['2026-01-01', '2026-01-01'];
    const summary = JSON.stringify({ title: `Title of ${chat}` });
    storage.sessions.put({ uri: `s-${chat}`, body: '{}', summary, createdAt, modifiedAt, listed: true, busy: false });
    storage.chats.putHead(chat, `s-${chat}`, '{}');
  }
  /** A turn that began so many seconds after the first, with this prompt. */
  function addTurn(chat: string, n: number, text: string, seconds = n, responseParts: readonly object[] = []): void {
    const startedAt = new Date(FIRST_MS + seconds * 1_000).toISOString();
    if (!storage.chats.head(chat)) addChat(chat);
    storage.chats.insertTurn(chat, n, `${chat}/${n}`, JSON.stringify({ startedAt, message: { text }, responseParts }));
  }
  function stepToEnd(): number {
    for (let count = 0; count < 10_000; count += 1) {
      const { hasMore, indexed } = index.step();
      if (!hasMore) return indexed;
    }
    throw new Error('the index never has all');
  }
  const search = (query: string, limit = 50, cursor?: string): SearchPage =>
    index.search({ query, limit, ...(cursor !== undefined && { cursor }) });
  const turnsWith = (query: string) => search(query).items.map((it) => it.turnId);
  function reopen(): void {
    index.close();
    index = new TranscriptIndex(dataDir);
  }

  const lines: readonly (readonly [says: string, text: string, query: string, found: string | undefined])[] = [
    ['a word', 'Repair the login page', 'login', 'Repair the [login] page'],
    ['a part of a word', 'Repair the authentication', 'thentic', 'Repair the au[thentic]ation'],
    ['capital and small letters as one', 'Repair the LOGIN page', 'lOgIn', 'Repair the [LOGIN] page'],
    ['all words in any order', 'Repair the login page', 'page repair', '[Repair] the login [page]'],
    ['words of one line only', 'Repair it\nthe page', 'repair page', undefined],
    ['a phrase as it is', 'the login page', '"login page"', 'the [login page]'],
    ['no phrase that is interrupted', 'the login of a page', '"login page"', undefined],
    ['a phrase without its second quotation mark', 'the login page', '"login page', 'the [login page]'],
    ['the line of several', 'first\nsecond line\nthird', 'second', '[second] line'],
    ['signs', 'call foo->bar()', 'foo->bar', 'call [foo->bar]()'],
    ['a whole word of two letters', 'let us go on', 'go', 'let us [go] on'],
    ['no part of a word by two letters', 'the goal is near', 'go', undefined],
    ['two characters of Chinese', '我们修复登录页面', '登录', '我们修复[登录]页面'],
    ['one character of Chinese', '我们修复登录页面', '页', '我们修复登录[页]面'],
    ['more characters of Chinese', '我们修复登录页面', '修复登录', '我们[修复登录]页面'],
    ['two characters of Japanese', 'ログイン画面を直す', '画面', 'ログイン[画面]を直す'],
    ['Chinese beside English', '修复login页面', '修复 login', '[修复login]页面'],
    ['letters that have two as small ones', 'İstanbul is far', 'far', 'İstanbul is [far]'],
    ['what is quoted in a query of FTS', 'say "NEAR(a b)" now', 'near(a', 'say "[NEAR(a] b)" now'],
    ['nothing for signs alone', 'a -> b', '->', undefined],
    ['nothing where a word is missing', 'Repair the login page', 'login house', undefined],
  ];
  for (const [says, text, query, found] of lines) {
    it(`finds ${says}`, () => {
      addTurn('c', 0, text);
      const [match] = search(query).items;
      assert.equal(match && marked(match), found);
    });
  }

  it('finds the answer, the title of a tool, its command and a short output, and no long output', () => {
    const call = (toolInput: string, output: string) => ({
      kind: 'toolCall',
      toolCall: { displayName: 'Shell', pastTenseMessage: { markdown: 'Ran it' }, toolInput, content: [text(output)] },
    });
    const text = (it: string) => ({ type: 'text', text: it });
    const answer = { kind: 'markdown', content: 'An answer' };
    addTurn('c', 0, 'prompt', 0, [answer, call('npm test', 'briefly'), call('ls', `lengthy ${'.'.repeat(2_000)}`)]);
    const found = ['prompt', 'answer', 'shell', 'ran it', 'npm', 'briefly', 'lengthy'].filter(
      (it) => search(it).items.length > 0,
    );
    assert.deepEqual(found, ['prompt', 'answer', 'shell', 'ran it', 'npm', 'briefly']);
  });

  it('names session, title, chat, turn and time of a match', () => {
    addTurn('c', 3, 'a word', 5);
    assert.deepEqual(search('word').items, [
      {
        session: 's-c',
        title: 'Title of c',
        chat: 'c',
        turnId: 'c/3',
        atMs: FIRST_MS + 5_000,
        line: 'a word',
        ranges: [[2, 6]],
      },
    ]);
  });

  it('cuts a long line around its match', () => {
    addTurn('c', 0, `${'before '.repeat(2_000)}needle${' after'.repeat(2_000)}`);
    const [match] = search('needle').items;
    assert.match(marked(match!), /^….{60}\[needle\].{234}…$/);
  });

  it('marks no more of a long line than what is shown of it', () => {
    addTurn('c', 0, `needle ${'.'.repeat(290)}needle ${'.'.repeat(99)} needle`);
    const [match] = search('needle').items;
    assert.equal(match && marked(match), `[needle] ${'.'.repeat(290)}[nee]…`);
    assert.equal(match?.ranges.length, 2);
  });

  it('knows a tool by what it did once that is known, and before by what it does', () => {
    const call = (more: object) => ({ kind: 'toolCall', toolCall: { invocationMessage: 'Reads it', ...more } });
    addTurn('c', 0, 'prompt', 0, [call({})]);
    addTurn('c', 1, 'prompt', 1, [call({ pastTenseMessage: 'Has read it' })]);
    assert.deepEqual([turnsWith('"reads it"'), turnsWith('"has read it"')], [['c/0'], ['c/1']]);
  });

  it('finds each turn once, by its first line that matches', () => {
    addTurn('c', 0, Array.from({ length: 2_000 }, (_, at) => `word ${at}`).join('\n'));
    addTurn('c', 1, 'word at last');
    assert.deepEqual(
      search('word').items.map((it) => it.line),
      ['word at last', 'word 0'],
    );
  });

  it('pages through all matches, newest first, whatever is written between', () => {
    for (let n = 0; n < 25; n += 1) addTurn('c', n, `word ${n}`);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = search('word', 10, cursor);
      pages.push(page.items.map((it) => it.line));
      cursor = page.nextCursor;
      addTurn('d', pages.length, 'word of later', 100 + pages.length);
    } while (cursor !== undefined && pages.length < 10);
    assert.deepEqual(
      pages.flat(),
      Array.from({ length: 25 }, (_, at) => `word ${24 - at}`),
    );
  });

  it('no longer finds a turn that was cut off, and finds what came in its place', () => {
    addTurn('c', 0, 'word first');
    addTurn('c', 1, 'word second');
    assert.deepEqual(turnsWith('word'), ['c/1', 'c/0']);
    storage.chats.deleteTurnsFrom('c', 1);
    addTurn('c', 1, 'other words');
    assert.deepEqual(
      search('word').items.map((it) => it.line),
      ['other words', 'word first'],
    );
  });

  it('no longer finds any of the turns that were cut off at once', () => {
    for (let n = 0; n < 4; n += 1) addTurn('c', n, 'a word');
    addTurn('d', 3, 'a word');
    stepToEnd();
    storage.chats.deleteTurnsFrom('c', 1);
    assert.deepEqual(turnsWith('word').toSorted(), ['c/0', 'd/3']);
  });

  it('finds turns whatever they say of when they began, in that order', () => {
    const startedAt = ['+275760-09-13T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '1901-01-01T00:00:00.000Z', 'never'];
    addChat('c');
    for (const [n, it] of startedAt.entries()) {
      const message = { text: 'a word' };
      storage.chats.insertTurn('c', n, `c/${n}`, JSON.stringify({ startedAt: it, message, responseParts: [] }));
    }
    assert.deepEqual(turnsWith('word').slice(0, 2), ['c/0', 'c/1']);
    assert.deepEqual(turnsWith('word').toSorted(), ['c/0', 'c/1', 'c/2', 'c/3']);
  });

  it('finds words wherever the lines of a long turn and a long line are divided', () => {
    const line = Array.from({ length: 1_500 }, (_, at) => `mark${at}`).join(' ');
    const short = Array.from({ length: 900 }, (_, at) => `sign${at} ${'.'.repeat(at % 37)}`).join('\n');
    addTurn('c', 0, `${short}\n${line}\n${short.replaceAll('sign', 'last')}`);
    const marks = Array.from({ length: 1_499 }, (_, at) => `"mark${at} mark${at + 1}"`);
    const signs = Array.from({ length: 900 }, (_, at) => [`"sign${at} "`, `"last${at} "`]).flat();
    for (const it of [...marks, ...signs]) assert.equal(search(it).items.length, 1, it);
  });

  it('no longer finds any piece of a long turn that was cut off, nor the pieces of another in its place', () => {
    const text = (word: string) => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`).join('\n');
    addTurn('c', 0, text('first'));
    stepToEnd();
    storage.chats.deleteTurnsFrom('c', 0);
    addTurn('c', 0, text('second'));
    assert.deepEqual([turnsWith('first'), turnsWith('"first 0"'), turnsWith('"second 1999"')], [[], [], ['c/0']]);
    storage.chats.deleteTurnsFrom('c', 0);
    assert.deepEqual(turnsWith('second'), []);
  });

  it('no longer finds a chat that was deleted, also before its lines are gone', () => {
    addTurn('c', 0, 'a word');
    addTurn('d', 0, 'a word', 1);
    stepToEnd();
    storage.sessions.remove('s-c');
    assert.deepEqual(turnsWith('word'), ['d/0']);
    storage.chats.remove('d');
    assert.deepEqual(turnsWith('word'), []);
  });

  it('goes on after a restart where it stopped', () => {
    addTurn('c', 0, 'word one');
    const indexed = stepToEnd();
    index.close();
    addTurn('c', 1, 'word two');
    storage.turnChanges.indexedUpTo(indexed);
    addTurn('c', 2, 'word three'); // what the index has goes from the host's rows
    index = new TranscriptIndex(dataDir);
    assert.equal(search('word').isIndexing, false);
    assert.deepEqual(turnsWith('word'), ['c/2', 'c/1', 'c/0']);
  });

  it('adds the turns of an older database step by step, newest first, and says so', () => {
    for (let n = 0; n < 600; n += 1) addTurn('c', n, `word ${n}`);
    index.close();
    rmSync(join(dataDir, 'search.db'));
    index = new TranscriptIndex(dataDir);
    index.step();
    const page = search('word', 1);
    assert.deepEqual([page.isIndexing, page.items[0]?.line], [true, 'word 599']);
    stepToEnd();
    assert.deepEqual([search('word').isIndexing, search('"word 0"').items.length], [false, 1]);
  });

  const losses: readonly (readonly [says: string, lose: () => void | Promise<void>])[] = [
    ['is missing', () => rmSync(join(dataDir, 'search.db'))],
    ['is no database', () => writeFileSync(join(dataDir, 'search.db'), 'no database at all, but some text'.repeat(99))],
    ['is of another host', () => openHostAnew()],
    ['misses changes that the host forgot', () => forgetChanges()],
    ['has more than a database that was put back', () => putBack()],
  ];
  for (const [says, lose] of losses) {
    it(`is made anew when it ${says}`, async () => {
      addTurn('c', 0, 'word one');
      stepToEnd();
      index.close();
      await lose();
      index = new TranscriptIndex(dataDir);
      stepToEnd();
      assert.deepEqual(
        turnsWith('word').toSorted(),
        says === 'is of another host' ? ['e/0'] : says.startsWith('misses') ? ['c/0', 'c/1'] : ['c/0'],
      );
    });
  }
  async function putBack(): Promise<void> {
    await storage.close();
    copyFileSync(join(dataDir, 'host.db'), join(dataDir, 'kept.db'));
    storage = openHost();
    addTurn('c', 1, 'word two');
    index = new TranscriptIndex(dataDir);
    stepToEnd();
    index.close();
    await storage.close();
    for (const it of ['host.db-wal', 'host.db-shm']) rmSync(join(dataDir, it), { force: true });
    copyFileSync(join(dataDir, 'kept.db'), join(dataDir, 'host.db'));
    storage = openHost();
  }
  async function openHostAnew(): Promise<void> {
    await storage.close();
    for (const it of ['host.db', 'host.db-wal', 'host.db-shm']) rmSync(join(dataDir, it), { force: true });
    storage = openHost();
    addTurn('e', 0, 'word elsewhere');
  }
  function forgetChanges(): void {
    addTurn('c', 1, 'word two');
    storage.turnChanges.indexedUpTo(2);
    addTurn('c', 2, 'nothing');
  }

  it('is mended when it turns out damaged in use', () => {
    for (let n = 0; n < 300; n += 1) addTurn('c', n, `word ${n} ${'more '.repeat(100)}`);
    stepToEnd();
    index.close();
    const file = join(dataDir, 'search.db');
    assert.ok(existsSync(file));
    damage(file);
    index = new TranscriptIndex(dataDir);
    addTurn('c', 300, 'word 300');
    stepToEnd();
    assert.equal(search('"word 299"').items.length + search('"word 300"').items.length, 2);
  });

  it('finds what a look at all lines finds, in the order of time, whatever was written and taken away', () => {
    const word = fc.constantFrom('alpha', 'beta', 'al', '登录', '修复登', 'Γάμμα', 'x');
    const text = fc
      .array(fc.tuple(word, fc.constantFrom(' ', '\n', '')), { maxLength: 8 })
      .map((it) => it.flat().join(''));
    const action = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ what: fc.constant('add' as const), chat: fc.nat(2), text, seconds: fc.nat(20) }),
      },
      fc.record({ what: fc.constant('cut' as const), chat: fc.nat(2), n: fc.nat(3) }),
      fc.record({ what: fc.constant('step' as const) }),
      fc.record({ what: fc.constant('reopen' as const) }),
    );
    let run = 0;
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), word, (actions, query) => {
        run += 1;
        const kept = new Map<string, { text: string; seconds: number }[]>();
        for (const it of actions) {
          if (it.what === 'step') index.step();
          else if (it.what === 'reopen') reopen();
          else {
            const chat = `${run}-${it.chat}`;
            const turns = kept.get(chat) ?? [];
            kept.set(chat, turns);
            if (it.what === 'add') {
              addTurn(chat, turns.length, it.text, it.seconds);
              turns.push(it);
            } else {
              turns.splice(it.n);
              storage.chats.deleteTurnsFrom(chat, it.n);
            }
          }
        }
        const expected = [...kept].flatMap(([chat, turns]) =>
          turns.flatMap((it, n) => (hasWord(it.text, query) ? [{ id: `${chat}/${n}`, seconds: it.seconds }] : [])),
        );
        const found = search(query).items.filter((it) => it.chat.startsWith(`${run}-`));
        assert.deepEqual(found.map((it) => it.turnId).toSorted(), expected.map((it) => it.id).toSorted());
        const times = found.map((it) => it.atMs);
        assert.deepEqual(
          times,
          times.toSorted((a, b) => b - a),
        );
        for (const chat of kept.keys()) storage.chats.deleteTurnsFrom(chat, 0);
      }),
      { numRuns: 60 },
    );
  });
});

function marked({ line, ranges }: Pick<SearchPage['items'][number], 'line' | 'ranges'>): string {
  return ranges
    .toReversed()
    .reduce((it, [start, end]) => `${it.slice(0, start)}[${it.slice(start, end)}]${it.slice(end)}`, line);
}

/** By the rules of the index, without one: short words of scripts with spaces are whole words. */
function hasWord(text: string, word: string): boolean {
  const isWhole = /^[a-z]{1,2}$/.test(word);
  const letter = String.raw`(?:(?![\p{sc=Han}])[\p{L}\p{N}])`;
  return isWhole
    ? new RegExp(`(?<!${letter})${word}(?!${letter})`, 'iu').test(text)
    : text.toLowerCase().includes(word.toLowerCase());
}

/** Writes over the middle of a file. */
function damage(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 8_192, bytes.length - 4_096);
  writeFileSync(file, bytes);
}
