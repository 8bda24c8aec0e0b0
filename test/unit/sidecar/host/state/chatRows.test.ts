import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { chatPersistence, TURNS_IN_MEMORY } from '../../../../../sidecar/host/state/chatPersistence.ts';
import { readSnapshot, readTurnPage } from '../../../../../sidecar/host/state/chatViews.ts';
import { Store } from '../../../../../sidecar/host/state/store.ts';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';
import type { ChatAction } from '../../../../../sidecar/protocol/channels/chat/actions.ts';
import type { ChatState } from '../../../../../sidecar/protocol/channels/chat/schema.ts';

const CHAT = 'host-chat:/1';
const NOW = '2026-01-02T03:04:05.678Z';
const starts = (turnId: string): ChatAction => ({
  type: 'chat/turnStarted',
  turnId,
  startedAt: NOW,
  message: { text: turnId, origin: { kind: 'user' } },
});
const says = (turnId: string): ChatAction[] => [
  { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'p', content: 'a' } },
  { type: 'chat/delta', turnId, partId: 'p', content: `nd ${turnId}` },
];
const ends = (turnId: string): ChatAction => ({ type: 'chat/turnComplete', turnId, duration: 1 });
const queued = (id: string): ChatAction => ({
  type: 'chat/pendingMessageSet',
  kind: 'queued',
  id,
  message: { text: id, origin: { kind: 'user' } },
});
const unqueued = (id: string): ChatAction => ({ type: 'chat/pendingMessageRemoved', kind: 'queued', id });
const draft = (text: string): ChatAction => ({ type: 'chat/draftChanged', draft: { text, origin: { kind: 'user' } } });

describe('the rows of a chat', () => {
  let root = '';
  let storage: HostStorage;
  let store: Store;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-chat-rows-')));
    const onDamage = () => assert.fail('no damage was done');
    storage = openStorage({ dataDir: root, now: NOW, onDamage, warn: () => undefined });
    open();
  });
  afterEach(async () => {
    store.close();
    await storage.close();
    rmSync(root, { recursive: true, force: true });
  });
  function open(): void {
    store = new Store({
      storage,
      clock: { now: () => NOW },
      persistence: { chat: chatPersistence },
      derive: () => [],
      schedule: () => undefined,
      onTrouble: (thrown) => assert.equal(thrown, undefined),
      isPinned: () => false,
    });
  }
  const create = (chat = CHAT) => {
    const state: ChatState = { resource: chat, title: '', status: 1, modifiedAt: NOW, turns: [] };
    store.create('chat', chat, state, { session: 'host-session:/1', firstTurn: 0 });
    store.flush();
  };
  const commit = (...actions: readonly ChatAction[]) => actions.forEach((it) => void store.commit(CHAT, it));
  /** Whoever reads rows makes rows of what is in the journal. */
  const makeRows = () => {
    store.flush();
    storage.chats.running();
  };
  const play = (...turnIds: readonly string[]) => {
    for (const it of turnIds) {
      commit(starts(it), ...says(it), ends(it));
      makeRows();
    }
  };
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `t${from + n}`);
  const allTurns = () => (readSnapshot(store, storage, CHAT)!.state as ChatState).turns.map((it) => it.id);

  it('say what the chat is, whichever of its actions are written together', () => {
    const actions = [
      starts('a'),
      draft('one'),
      ...says('a'),
      draft('two'),
      queued('q'),
      ends('a'),
      starts('b'),
      unqueued('q'),
      ...says('b'),
      draft('later'),
      ends('b'),
      starts('c'),
      ...says('c'),
    ];
    for (let from = 0; from < actions.length; from += 1)
      for (let to = from; to < actions.length; to += 1) {
        const title = `${from} to ${to}`;
        create();
        actions.forEach((action, at) => {
          commit(action);
          if (at >= from && at < to) return;
          store.flush();
          assert.deepEqual(chatPersistence.load(storage, CHAT)?.state, store.state('chat', CHAT), `${title}, at ${at}`);
        });
        store.remove(CHAT);
        store.flush();
        assert.deepEqual([chatPersistence.load(storage, CHAT), storage.chats.ops(CHAT)], [undefined, []]);
      }
  });

  it('hold a title that was given while a turn runs, also of a host that was killed in it', () => {
    create();
    commit(starts('a'), ...says('a'));
    store.flush();
    store.replaceState('chat', CHAT, (it) => ({ ...it, title: 'Mine' }));
    store.flush();
    assert.deepEqual(chatPersistence.load(storage, CHAT)?.state, store.state('chat', CHAT));
    assert.equal(chatPersistence.load(storage, CHAT)?.state.title, 'Mine');
    commit(ends('a'));
    store.flush();
    assert.equal(chatPersistence.load(storage, CHAT)?.state.title, 'Mine');
  });

  it('hold every turn, and memory the last ones', () => {
    create();
    play(...ids(0, 2 * TURNS_IN_MEMORY + 5));
    assert.deepEqual(
      store.state('chat', CHAT)?.turns.map((it) => it.id),
      ids(TURNS_IN_MEMORY + 5, 2 * TURNS_IN_MEMORY + 5),
    );
    assert.deepEqual(allTurns(), ids(0, 2 * TURNS_IN_MEMORY + 5));
    store.close();
    open();
    assert.deepEqual(allTurns(), ids(0, 2 * TURNS_IN_MEMORY + 5));
  });

  for (const { where, last } of [
    { where: 'in memory', last: 60 },
    { where: 'at the first in memory', last: 35 },
    { where: 'right before the first in memory', last: 34 },
    { where: 'on the disk only', last: 3 },
    { where: 'at the very first', last: 0 },
  ])
    for (const isTogether of [true, false])
      it(`end where the history was cut off ${where}, and go on from there (${isTogether ? 'with' : 'before'} the next turn)`, () => {
        create();
        play(...ids(0, 65));
        commit({ type: 'chat/truncated', turnId: `t${last}` });
        if (!isTogether) makeRows();
        play('new');
        const expected = [...ids(0, last + 1), 'new'];
        assert.deepEqual(allTurns(), expected);
        store.close();
        open();
        assert.deepEqual(allTurns(), expected);
        play('newer');
        assert.deepEqual(allTurns(), [...expected, 'newer']);
      });

  it('hold none where all was cut off, and begin anew', () => {
    create();
    play(...ids(0, 65));
    commit({ type: 'chat/truncated' });
    makeRows();
    assert.deepEqual(allTurns(), []);
    play('new');
    store.close();
    open();
    assert.deepEqual(allTurns(), ['new']);
  });

  it('are read in pages that meet, whatever a client has already', () => {
    create();
    play(...ids(0, 120));
    for (const turns of [0, 1, 29, 30, 31, 119, 120, 500]) {
      const state = readSnapshot(store, storage, CHAT, turns)!.state as ChatState;
      const got = state.turns.map((it) => it.id);
      assert.equal(got.length, Math.min(turns, 120));
      let cursor = state.turnsNextCursor;
      while (cursor !== undefined) {
        const page = readTurnPage(store, storage, CHAT, cursor);
        assert.ok(page.turns.length > 0);
        got.unshift(...page.turns.map((it) => it.id));
        cursor = page.nextCursor;
      }
      assert.deepEqual(got, ids(0, 120), `from ${turns}`);
    }
    for (const cursor of ['t0', 't121', 't01', 'x', 't-1', ''])
      assert.throws(() => readTurnPage(store, storage, CHAT, cursor), { code: 'invalid_params' });
  });

  it('of one chat are not those of another', () => {
    const other = 'host-chat:/2';
    for (const it of [CHAT, other]) create(it);
    play('t0');
    store.commit(other, starts('o'));
    store.flush();
    assert.deepEqual(storage.chats.running(), [other]);
    store.remove(CHAT);
    store.flush();
    assert.deepEqual(chatPersistence.load(storage, other)?.state, store.state('chat', other));
    assert.deepEqual(storage.chats.ofSession('host-session:/1'), [other]);
  });
});
