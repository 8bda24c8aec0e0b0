import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { chatPersistence } from '../../../../../sidecar/host/state/chatPersistence.ts';
import { sessionPersistence } from '../../../../../sidecar/host/state/sessionPersistence.ts';
import { Store, type Written } from '../../../../../sidecar/host/state/store.ts';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { AnyAction } from '../../../../../sidecar/protocol/envelope.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';

const SESSION = 'host-session:/1';
const CHAT = 'host-chat:/1';
const NOW = '2026-01-02T03:04:05.678Z';
const MAX_BEHIND = 1_000;
const RESERVED = 10_000;

interface Opened {
  readonly store: Store;
  readonly storage: HostStorage;
  readonly heard: Written[];
  later(): void;
}

describe('what happens in one tick of the store', () => {
  let root = '';
  let opened: Opened[] = [];
  let now = NOW;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-ticks-')));
  });
  afterEach(async () => {
    for (const it of opened) await it.storage.close();
    opened = [];
    rmSync(root, { recursive: true, force: true });
  });
  function open(name: string): Opened {
    const onDamage = () => assert.fail('no damage was done');
    const storage = openStorage({ dataDir: join(root, name), now: NOW, onDamage, warn: () => undefined });
    const scheduled: (() => void)[] = [];
    const store = new Store({
      storage,
      clock: { now: () => now },
      persistence: { session: sessionPersistence, chat: chatPersistence },
      derive: () => [],
      schedule: (work) => void scheduled.push(work),
      onTrouble: () => undefined,
      isPinned: () => false,
    });
    store.replay();
    const heard: Written[] = [];
    store.onWritten((it) => void heard.push(it));
    const it = { store, storage, heard, later: () => scheduled.splice(0).forEach((work) => void work()) };
    opened.push(it);
    return it;
  }
  function create({ store }: Opened, session = SESSION): void {
    const empty = { provider: 'p', title: '', status: 1, lifecycle: 'ready', chats: [], activeClients: [] } as const;
    store.create('session', session, { ...empty, chats: [], activeClients: [] });
    store.commit(session, { type: 'session/titleChanged', title: 'none' } as AnyAction);
    store.flush();
  }
  const titled = (title: string) => ({ type: 'session/titleChanged', title }) as AnyAction;
  const rename = ({ store }: Opened, title: string, session = SESSION) => {
    store.commit(session, titled(title));
    store.flush();
  };
  const kill = (from: string, to: string): Opened => {
    cpSync(join(root, from), join(root, to), { recursive: true });
    return open(to);
  };
  const title = ({ store }: Opened, session = SESSION) => store.state('session', session)?.title;
  const journal = (name: string) => readFileSync(join(root, name, 'host.journal'), 'utf8');
  const turn = (turnId: string): ChatAction[] => [
    { type: 'chat/turnStarted', turnId, startedAt: NOW, message: { text: turnId, origin: { kind: 'user' } } },
    { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'p', content: turnId } },
    { type: 'chat/turnComplete', turnId, duration: 1 },
  ];
  const createChat = ({ store }: Opened) => {
    store.create('chat', CHAT, { resource: CHAT, title: '', status: 1, modifiedAt: NOW, turns: [] }, { firstTurn: 0 });
    store.flush();
  };

  it('is seen by others only when it is on disk', () => {
    const it = open('a');
    create(it);
    it.store.commit(SESSION, titled('new'));
    assert.equal(title(it), 'new');
    const { state, fromSeq } = it.store.written(SESSION)!;
    assert.deepEqual([(state as { title: string }).title, fromSeq], ['none', it.heard.at(-1)?.envelope.serverSeq]);
    it.store.flush();
    assert.equal((it.store.written(SESSION)!.state as { title: string }).title, 'new');
  });

  it('takes a channel away at once, so that one of the same name can be made in it', () => {
    const it = open('a');
    create(it);
    it.store.remove(SESSION);
    assert.equal(it.store.has(SESSION), false);
    assert.throws(() => it.store.commit(SESSION, titled('x')), { code: 'not_found' });
    create(it);
    assert.equal(title(it), 'none');
    assert.equal(title(kill('a', 'b')), 'none');
  });

  it('is refused after the store was closed, whatever the disk has', () => {
    const it = open('a');
    create(it);
    it.store.close();
    assert.equal(it.store.has(SESSION), false);
    assert.throws(() => it.store.commit(SESSION, titled('x')), { code: 'not_found' });
  });

  it('is in rows when the store is closed, and the journal is empty', () => {
    const it = open('a');
    create(it);
    rename(it, 'one');
    assert.notEqual(journal('a'), '');
    it.store.close();
    assert.equal(journal('a'), '');
    assert.equal(title(kill('a', 'b')), 'one');
  });

  it('stays in memory while it is in the journal only, however many channels there are', () => {
    const it = open('a');
    const sessions = Array.from({ length: 300 }, (_, n) => `host-session:/${n}`);
    for (const session of sessions) create(it, session);
    for (const session of sessions) rename(it, `${session} now`, session);
    for (const session of sessions) assert.equal(title(it, session), `${session} now`);
    it.later();
    for (const session of sessions) assert.equal(title(it, session), `${session} now`);
  });

  it('becomes rows at once when too much waits for its rows', () => {
    const it = open('a');
    create(it);
    let most = 0;
    for (let n = 0; n <= MAX_BEHIND; n += 1) {
      rename(it, `${n}`);
      if (n >= MAX_BEHIND - 1) most = Math.max(most, journal('a').split('\n').length - 1);
    }
    assert.equal(most, MAX_BEHIND);
    assert.equal(journal('a'), '');
    assert.equal(title(kill('a', 'b')), `${MAX_BEHIND}`);
  });

  it('gets no number that was given before a kill, also where that was beyond those that were reserved', () => {
    const it = open('a');
    create(it);
    for (let n = 0; n < RESERVED - 3; n += 1) it.store.commit(SESSION, titled(`${n}`));
    it.store.flush();
    for (let n = 0; n < 20; n += 1) rename(it, `later ${n}`);
    const next = kill('a', 'b');
    assert.ok(next.store.serverSeq >= it.store.serverSeq, `${next.store.serverSeq} after ${it.store.serverSeq}`);
    assert.equal(title(next), 'later 19');
  });

  it('is refused while rows cannot be written, though the journal could take it', () => {
    const it = open('a');
    create(it);
    rename(it, 'y'.repeat(9_000));
    it.storage.limitPages(1);
    it.later();
    assert.equal(it.store.isStalled, true);
    it.store.commit(SESSION, titled('z'.repeat(9_000)), { clientId: 'c', clientSeq: 7 });
    it.store.flush();
    assert.match(it.heard.at(-1)?.envelope.rejectionReason ?? '', /^not saved/);
    assert.equal(title(it)?.[0], 'y');
    assert.equal(it.store.dispatched({ clientId: 'c', clientSeq: 7 }), undefined);
    it.storage.limitPages(0);
    it.store.flush();
    it.later();
    assert.equal(it.store.isStalled, false);
    assert.equal(title(kill('a', 'b'))?.[0], 'y');
  });

  it('takes a channel back that was made, and tries again what the host made itself', () => {
    const it = open('a');
    create(it);
    it.store.flush();
    it.storage.limitPages(1);
    const chat = { resource: CHAT, title: 'x'.repeat(50_000), status: 1, modifiedAt: NOW, turns: [] };
    it.store.create('chat', CHAT, chat);
    it.store.commit(SESSION, titled('of the host'));
    it.store.flush();
    assert.equal(it.store.has(CHAT), false);
    assert.deepEqual([title(it), it.heard.at(-1)?.envelope.rejectionReason], ['of the host', undefined]);
    it.storage.limitPages(0);
    it.store.flush();
    assert.equal(it.store.has(CHAT), false);
    assert.equal(title(kill('a', 'b')), 'of the host');
  });

  it('is remembered as dispatched over a kill, also where its channel is in memory only', () => {
    const it = open('a');
    create(it);
    const origin = { clientId: 'c', clientSeq: 3 };
    const number = it.store.commit(ROOT, { type: 'root/configChanged', config: {} } as AnyAction, origin).serverSeq;
    it.store.flush();
    const next = kill('a', 'b');
    assert.equal(next.store.dispatched(origin), number);
    assert.equal(next.store.dispatched({ clientId: 'd', clientSeq: 3 }), undefined);
    assert.equal(next.store.dispatched({ clientId: 'c', clientSeq: 0 }), undefined);
  });

  it('has one timestamp for all of it and another for the next, also when it is replayed from an earlier host', () => {
    const it = open('a');
    create(it);
    const at = () => it.heard.map(({ envelope }) => envelope._meta.at);
    const before = at().length;
    now = '2026-01-03T00:00:00.000Z';
    it.store.commit(SESSION, titled('one'));
    now = '2026-01-04T00:00:00.000Z';
    it.store.commit(SESSION, titled('two'));
    it.store.flush();
    rename(it, 'three');
    assert.deepEqual(at().slice(before), ['2026-01-03T00:00:00.000Z', '2026-01-03T00:00:00.000Z', now]);
    const chat = { resource: CHAT, title: '', status: 1, modifiedAt: NOW, turns: [] };
    it.store.create('chat', CHAT, chat, { firstTurn: 0 });
    it.store.flush();
    const [start] = turn('t0');
    const { startedAt: _startedAt, ...bare } = start as { type: string; startedAt: string };
    it.store.commit(CHAT, bare);
    it.store.flush();
    const expected = it.store.state('chat', CHAT);
    now = '2026-01-05T00:00:00.000Z';
    assert.deepEqual(kill('a', 'b').store.state('chat', CHAT), expected);
    now = NOW;
  });

  it('that an earlier host left in the journal becomes rows without anybody asking, and not for channels that are gone', async () => {
    const it = open('a');
    const gone = 'host-session:/gone';
    for (const session of [SESSION, gone]) create(it, session);
    rename(it, 'none any more', gone);
    rename(it, 'one');
    const lines = journal('a');
    cpSync(join(root, 'a'), join(root, 'b'), { recursive: true });
    const sql = new DatabaseSync(join(root, 'b', 'host.db'));
    sql.prepare('DELETE FROM session WHERE uri = ?').run(gone);
    sql.close();
    const next = open('b');
    next.later();
    assert.equal(journal('b'), lines, 'a power cut could take the rows');
    assert.equal(await next.storage.sync(), true);
    assert.equal(journal('b'), '');
    assert.equal(next.store.has(gone), false);
    assert.equal(title(next), 'one');
    assert.equal(title(kill('b', 'c')), 'one');
  });

  it('takes a removal that the host made again, and one that a command asked for back, while the disk is full', () => {
    const it = open('a');
    const other = 'host-session:/2';
    for (const session of [SESSION, other]) create(it, session);
    it.storage.limitPages(1);
    it.store.writeRows(() => it.storage.small.putText('large', 'x'.repeat(200_000)));
    it.store.remove(SESSION);
    it.store.remove(other, false);
    it.store.flush();
    assert.equal(it.store.isStalled, true);
    assert.deepEqual([it.store.has(SESSION), it.store.has(other)], [false, true]);
    it.storage.limitPages(0);
    it.store.flush();
    const next = kill('a', 'b');
    assert.deepEqual([next.store.has(SESSION), next.store.has(other)], [false, true]);
    assert.equal(next.storage.small.text('large')?.length, 200_000);
  });

  for (const { says, last } of [
    { says: 'by themselves', last: ({ later }: Opened) => later() },
    { says: 'with one that cannot wait', last: (it: Opened) => create(it, 'host-session:/2') },
    {
      says: 'with one of the same channel that cannot wait',
      last: ({ store }: Opened) => {
        for (const action of turn('t3')) store.commit(CHAT, action);
        store.create('session', 'host-session:/2', { ...store.state('session', SESSION)! });
        store.flush();
      },
    },
  ])
    it(`becomes rows together with many before it: ${says}`, () => {
      const it = open('a');
      create(it);
      createChat(it);
      for (const action of [...turn('t0'), ...turn('t1'), ...turn('t2').slice(0, 2)]) {
        it.store.commit(CHAT, action);
        it.store.flush();
      }
      const isOpen = !says.includes('same');
      if (!isOpen) it.store.commit(CHAT, turn('t2')[2]!);
      last(it);
      assert.equal(journal('a'), '');
      const expected = it.store.state('chat', CHAT);
      const next = kill('a', 'b');
      assert.deepEqual(next.store.state('chat', CHAT), expected);
      assert.deepEqual(
        expected?.turns.map((of) => of.id),
        isOpen ? ['t0', 't1'] : ['t0', 't1', 't2', 't3'],
      );
      assert.equal(expected?.activeTurn?.id, isOpen ? 't2' : undefined);
    });
});
