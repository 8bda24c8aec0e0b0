import assert from 'node:assert/strict';
import { cpSync, ftruncateSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sessionPersistence } from '../../../../../sidecar/host/state/sessionPersistence.ts';
import { Store } from '../../../../../sidecar/host/state/store.ts';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import { type JournalFiles, systemJournalFiles } from '../../../../../sidecar/host/storage/journal.ts';
import type { SessionState } from '../../../../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { verifies } from '../../../../support/verifies.ts';

const SESSION = 'host-session:/1';
const NOW = '2026-01-02T03:04:05.678Z';

/** A store whose rows are written when a test says so. */
interface Opened {
  readonly store: Store;
  readonly storage: HostStorage;
  readonly troubles: unknown[];
  /** Runs what was scheduled to be done later. */
  later(): void;
}

describe('what the host acknowledged', () => {
  let root = '';
  let opened: Opened[] = [];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-durable-')));
  });
  afterEach(async () => {
    for (const it of opened) await it.storage.close();
    opened = [];
    rmSync(root, { recursive: true, force: true });
  });

  function open(name: string, journalFiles?: JournalFiles): Opened {
    const storage = openStorage({
      dataDir: join(root, name),
      now: NOW,
      onDamage: () => assert.fail('no damage was done'),
      warn: () => undefined,
      ...(journalFiles && { journalFiles }),
    });
    const scheduled: (() => void)[] = [];
    const troubles: unknown[] = [];
    const store = new Store({
      storage,
      clock: { now: () => NOW },
      persistence: { session: sessionPersistence },
      derive: () => [],
      schedule: (work, delayMs) => void (delayMs > 0 && scheduled.push(work)),
      onTrouble: (thrown) => troubles.push(thrown),
      isPinned: () => true,
    });
    store.replay();
    const later = () => scheduled.splice(0).forEach((work) => void work());
    const it = { store, storage, troubles, later };
    opened.push(it);
    return it;
  }
  /** The first action that a host numbers goes to rows, with the numbers that it reserves. */
  function create({ store }: Opened): void {
    store.create('session', SESSION, {
      provider: 'p',
      title: '',
      status: 1,
      lifecycle: 'ready',
      chats: [],
      activeClients: [],
    });
    store.commit(SESSION, { type: 'session/titleChanged', title: 'none' } as AnyAction);
    store.flush();
  }
  function rename({ store }: Opened, title: string, clientSeq: number): void {
    const action = { type: 'session/titleChanged', title } as AnyAction;
    store.commit(SESSION, action, { clientId: 'c', clientSeq });
    store.flush();
  }
  /** What a host finds that starts after this one was killed. */
  function kill(from: string, to: string): Opened {
    cpSync(join(root, from), join(root, to), { recursive: true });
    return open(to);
  }
  const title = ({ store }: Opened) => store.state('session', SESSION)?.title;
  const titleInRows = ({ storage }: Opened) =>
    (JSON.parse(storage.sessions.get(SESSION)?.body ?? '{}') as SessionState).title;
  const journal = (name: string) => readFileSync(join(root, name, 'host.journal'), 'utf8');

  it('is there after a kill before it became rows, and is remembered as dispatched', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    rename(first, 'two', 2);
    assert.equal(journal('a').split('\n').length, 3);
    const next = kill('a', 'b');
    assert.equal(title(next), 'two');
    assert.ok(next.store.dispatched({ clientId: 'c', clientSeq: 2 })! > 0);
    assert.equal(titleInRows(next), 'two');
  });

  it('survives a second kill before the first one was made good', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    kill('a', 'b');
    const third = kill('b', 'c');
    assert.equal(title(third), 'one');
  });

  it('becomes rows a moment later, and leaves the journal', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    assert.notEqual(journal('a'), '');
    first.later();
    assert.equal(journal('a'), '');
    assert.equal(title(kill('a', 'b')), 'one');
  });

  it('is not applied again where rows were written and the journal was not yet cleared', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    cpSync(join(root, 'a', 'host.journal'), join(root, 'kept'));
    rename(first, 'two', 2);
    first.later();
    cpSync(join(root, 'a'), join(root, 'b'), { recursive: true });
    cpSync(join(root, 'kept'), join(root, 'b', 'host.journal'));
    assert.equal(title(open('b')), 'two');
  });

  it('is there where the journal still holds lines before it that are in rows already', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    rename(first, 'two', 2);
    const inRows = journal('a');
    first.later();
    rename(first, 'three', 3);
    assert.equal(title(openWith('a', 'b', inRows + journal('a'))), 'three');
  });

  it('is numbered once where rows have all that the journal still holds', () => {
    verifies('host.storage.torn-journal');
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    rename(first, 'two', 2);
    cpSync(join(root, 'a', 'host.journal'), join(root, 'kept'));
    first.later();
    cpSync(join(root, 'a'), join(root, 'b'), { recursive: true });
    const cleared = kill('a', 'c');
    cpSync(join(root, 'kept'), join(root, 'b', 'host.journal'));
    const uncleared = open('b');
    assert.equal(uncleared.store.serverSeq, cleared.store.serverSeq);
    assert.equal(title(uncleared), 'two');
  });

  it('stays, and nothing of it is taken back, where rows were written and the disk does not let go of the journal', () => {
    verifies('host.storage.torn-journal');
    let mayTruncate = true;
    const truncate = (fd: number, length: number) => {
      if (!mayTruncate) throw Object.assign(new Error('an error of the disk'), { code: 'EIO' });
      ftruncateSync(fd, length);
    };
    const first = open('a', { ...systemJournalFiles, truncate });
    create(first);
    rename(first, 'one', 1);
    mayTruncate = false;
    const long = 'y'.repeat(20_000); // longer than the journal takes: rows at once
    rename(first, long, 2);
    assert.deepEqual([title(first) === long, titleInRows(first) === long, first.store.isStalled], [true, true, false]);
    assert.ok(first.store.dispatched({ clientId: 'c', clientSeq: 2 }));
    rename(first, 'three', 3);
    first.later();
    assert.deepEqual([title(first), titleInRows(first), first.store.isStalled], ['three', 'three', false]);
    const { serverSeq } = first.store;
    const next = kill('a', 'b');
    assert.equal(title(next), 'three');
    assert.ok(next.store.serverSeq >= serverSeq);
    mayTruncate = true;
    rename(first, 'four', 4);
    first.later();
    assert.equal(journal('a'), '');
  });

  it('is in rows for whoever reads them', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    assert.equal(titleInRows(first), 'one');
  });

  it('is in rows at once where a power cut must cost nothing', () => {
    const first = open('a');
    create(first);
    first.storage.setDurability('full');
    rename(first, 'one', 1);
    assert.equal(journal('a'), '');
    assert.equal(title(kill('a', 'b')), 'one');
  });

  it('stays in the journal while the disk takes no rows, is told, and is there after a kill', () => {
    const first = open('a');
    create(first);
    rename(first, 'y'.repeat(9_000), 1);
    first.storage.limitPages(1);
    first.later();
    assert.equal(first.troubles.length, 1);
    assert.equal(first.store.isStalled, true);
    assert.equal(title(kill('a', 'b'))?.length, 9_000);
    first.storage.limitPages(0);
    first.later();
    assert.deepEqual([first.troubles.length, first.troubles[1], first.store.isStalled], [2, undefined, false]);
    assert.equal(journal('a'), '');
  });

  /** `two` is on its way while `one` becomes rows, and is written then. */
  function openWithRowsBetween(): Opened {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    first.store.commit(SESSION, { type: 'session/titleChanged', title: 'two' } as AnyAction);
    assert.equal(titleInRows(first), 'one');
    first.store.flush();
    return first;
  }

  it('is not mixed with what is not written yet when rows are made in the middle of a tick', () => {
    assert.equal(titleInRows(openWithRowsBetween()), 'two');
  });

  it('is there after a kill also where rows were made while it was on its way', () => {
    openWithRowsBetween();
    assert.notEqual(journal('a'), '');
    assert.equal(title(kill('a', 'b')), 'two');
  });

  it('ends at a line that the disk spoiled', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    rename(first, 'two', 2);
    cpSync(join(root, 'a'), join(root, 'b'), { recursive: true });
    const [one = '', two = ''] = journal('b').split('\n');
    writeFileSync(join(root, 'b', 'host.journal'), `${one}\n${two.slice(0, 20)}\n${two}\n`);
    assert.equal(title(open('b')), 'one');
  });

  /** What a host finds whose files are those of `from`, with another journal. */
  function openWith(from: string, to: string, lines: string): Opened {
    cpSync(join(root, from), join(root, to), { recursive: true });
    writeFileSync(join(root, to, 'host.journal'), lines);
    return open(to);
  }
  /** Three lines that are in no rows. */
  function threeLines(): string[] {
    const first = open('a');
    create(first);
    for (const [n, it] of ['one', 'two', 'three'].entries()) rename(first, it, n + 1);
    return journal('a').split(/(?<=\n)/);
  }

  for (const { says, spoil } of [
    { says: 'is not there', spoil: () => '' },
    { says: 'is zeros', spoil: (line: string) => `${'\0'.repeat(line.length - 1)}\n` },
    { says: 'has other words', spoil: (line: string) => line.replace('two', 'owt') },
  ])
    it(`ends where the next line of the journal ${says} after a power cut, and goes on from there`, () => {
      const [one = '', two = '', three = ''] = threeLines();
      const next = openWith('a', 'b', `${one}${spoil(two)}${three}`);
      assert.equal(title(next), 'one');
      assert.equal(journal('b'), one);
      rename(next, 'four', 4);
      assert.equal(title(kill('b', 'c')), 'four');
    });

  it('ends before lines that follow rows which a power cut took', () => {
    const first = open('a');
    create(first);
    cpSync(join(root, 'a'), join(root, 'earlier'), { recursive: true });
    rename(first, 'y'.repeat(20_000), 1); // longer than the journal takes: rows at once
    rename(first, 'two', 2);
    const next = openWith('earlier', 'b', journal('a'));
    assert.equal(title(next), 'none');
    rename(next, 'three', 3);
    assert.equal(title(kill('b', 'c')), 'three');
  });

  it('is there where a power cut took its rows and left all of its lines', () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    cpSync(join(root, 'a'), join(root, 'earlier'), { recursive: true });
    const one = journal('a');
    first.later();
    rename(first, 'two', 2);
    assert.equal(title(openWith('earlier', 'b', one + journal('a'))), 'two');
  });

  it('is there where version 0.1.0 left it in the journal, and so is what comes behind it', () => {
    const [one = '', two = '', three = ''] = threeLines().map((it) => it.replace(/^[0-9a-f]{8} /, ''));
    const next = openWith('a', 'b', `${one}${two}`);
    assert.equal(title(next), 'two');
    rename(next, 'four', 4); // rows, with the numbers that are reserved
    rename(next, 'five', 5);
    assert.match(journal('b'), /^\{.*\n\{.*\n[0-9a-f]{8} \{.*\n$/);
    const third = kill('b', 'c');
    assert.equal(title(third), 'five');
    third.later();
    assert.equal(titleInRows(third), 'five');
    // What is in rows is not played again, also where the lines come back.
    assert.equal(title(openWith('c', 'd', `${one}${two}${three}`)), 'five');
  });

  it('waits for the disk soon after the start, since the host before may have been killed', async () => {
    const first = open('a');
    create(first);
    rename(first, 'one', 1);
    const next = kill('a', 'b');
    assert.equal(next.storage.needsSync, true);
    next.later();
    assert.equal(next.storage.needsSync, false);
    assert.equal(await next.storage.sync(), true);
    assert.equal(journal('b'), '');
  });
});
