import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type HostStorage, openStorage } from '../../../../../sidecar/host/storage/hostStorage.ts';

// Three owners of the same things, the one in the middle changed: rows of what sorts before and after it stay.
const OWNERS = ['a', 'b', 'c'] as const;

describe('the rows of the host database', () => {
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

  interface Case {
    readonly says: string;
    readonly fill: (owner: string) => void;
    readonly change: () => void;
    readonly look: (owner: string) => unknown;
    /** Of `b`, and of the others. */
    readonly becomes: unknown;
    readonly stays: unknown;
  }
  const chats = () => storage.chats;
  const cases: readonly Case[] = [
    {
      says: 'loses the turns of one chat from a number on, that number included',
      fill: (chat) => [0, 1, 2, 3].forEach((n) => void chats().insertTurn(chat, n, `t${n}`, '{}')),
      change: () => chats().deleteTurnsFrom('b', 2),
      look: (chat) =>
        chats()
          .turnsBefore(chat, 99, 99)
          .map((it) => it.n),
      becomes: [0, 1],
      stays: [0, 1, 2, 3],
    },
    {
      says: 'answers the number of a turn in its own chat',
      fill: (chat) => chats().insertTurn(chat, OWNERS.indexOf(chat as 'a'), 'same', '{}'),
      change: () => chats().deleteTurnsFrom('b', 0),
      look: (chat) => chats().numberOfTurn(chat, 'same') !== undefined,
      becomes: false,
      stays: true,
    },
    {
      says: 'clears what a running turn of one chat did, in the order of its numbers elsewhere',
      fill: (chat) => [10, 9, 11].forEach((seq) => void chats().appendOp(chat, seq, `"${seq}"`)),
      change: () => chats().clearOps('b'),
      look: (chat) => [chats().ops(chat), chats().running().includes(chat)],
      becomes: [[], false],
      stays: [['"9"', '"10"', '"11"'], true],
    },
    {
      says: 'removes a chat with its turns, its running turn, what it resumes and what its messages attach',
      fill: (chat) => {
        chats().putHead(chat, 's', '{}');
        chats().insertTurn(chat, 0, 't', '{}');
        chats().appendOp(chat, 1, '{}');
        chats().putAttached(chat, 'm', new Map([[0, 'text']]));
        storage.small.putResumeId(chat, 'r');
      },
      change: () => chats().remove('b'),
      look: (chat) => [
        chats().head(chat) !== undefined,
        chats().turnsBefore(chat, 99, 99).length,
        chats().ops(chat).length,
        chats().attaching(chat),
        storage.small.resumeId(chat),
      ],
      becomes: [false, 0, 0, [], undefined],
      stays: [true, 1, 1, ['m'], 'r'],
    },
    {
      says: 'replaces what a message attaches, each at its place',
      fill: (chat) =>
        chats().putAttached(
          chat,
          'm',
          new Map([
            [0, 'zero'],
            [2, 'two'],
          ]),
        ),
      change: () => chats().putAttached('b', 'm', new Map([[1, 'one']])),
      look: (chat) => [[...chats().attached(chat, 'm')], chats().attaching(chat)],
      becomes: [[[1, 'one']], ['m']],
      stays: [
        [
          [0, 'zero'],
          [2, 'two'],
        ],
        ['m'],
      ],
    },
    {
      says: 'forgets what one message attaches, and not what another one of the chat does',
      fill: (chat) => ['l', 'm', 'n'].forEach((it) => void chats().putAttached(chat, it, new Map([[0, it]]))),
      change: () => chats().removeAttached('b', 'm'),
      look: (chat) => ['l', 'm', 'n'].map((it) => chats().attached(chat, it).get(0)),
      becomes: ['l', undefined, 'n'],
      stays: ['l', 'm', 'n'],
    },
    {
      says: 'removes one file of one changeset, and keeps the order of the others as it was last written',
      fill: (uri) => {
        storage.changesets.put(uri, `s-${uri}`, '{}');
        for (const [n, id] of ['z', 'y', 'x'].entries()) storage.changesets.putFile(uri, { id, n, body: `"${id}"` });
        storage.changesets.putFile(uri, { id: 'z', n: 3, body: '"z"' });
      },
      change: () => storage.changesets.removeFile('b', 'y'),
      look: (uri) => storage.changesets.files(uri),
      becomes: ['"x"', '"z"'],
      stays: ['"y"', '"x"', '"z"'],
    },
    {
      says: 'removes one changeset with its files',
      fill: (uri) => {
        storage.changesets.put(uri, `s-${uri}`, '{}');
        storage.changesets.putFile(uri, { id: 'x', n: 0, body: '"x"' });
      },
      change: () => storage.changesets.remove('b'),
      look: (uri) => [storage.changesets.files(uri), storage.changesets.ofSession(`s-${uri}`).length],
      becomes: [[], 0],
      stays: [['"x"'], 1],
    },
    {
      says: 'removes one remark of one session, and keeps the others in their order',
      fill: (uri) => ['z', 'y', 'x'].forEach((id, n) => void storage.annotations.put(uri, id, n, `"${id}"`)),
      change: () => storage.annotations.remove('b', 'y'),
      look: (uri) => storage.annotations.ofSession(uri),
      becomes: ['"z"', '"x"'],
      stays: ['"z"', '"y"', '"x"'],
    },
    {
      says: 'removes all remarks of one session',
      fill: (uri) => storage.annotations.put(uri, 'x', 0, '"x"'),
      change: () => storage.annotations.removeAll('b'),
      look: (uri) => storage.annotations.ofSession(uri),
      becomes: [],
      stays: ['"x"'],
    },
    {
      says: 'forgets what one session refers to, and answers what nobody refers to any more',
      fill: (uri) => {
        storage.small.rememberContent(uri, 'shared', 1);
        storage.small.rememberContent(uri, `own-${uri}`, 2);
        storage.small.rememberContent(uri, `own-${uri}`, 2);
      },
      change: () => assert.deepEqual(storage.small.forgetContent('b'), ['own-b']),
      look: (uri) => [
        storage.small.contentOf(uri).map((it) => [it.sha.slice(0, 3), it.size]),
        storage.small.usesContent(`own-${uri}`),
        storage.small.usesContent('shared'),
      ],
      becomes: [[], false, true],
      stays: [
        [
          ['own', 2],
          ['sha', 1],
        ],
        true,
        true,
      ],
    },
    {
      says: 'removes one session, the others counted and in the list',
      fill: (uri) => session(uri, { busy: true }),
      change: () => storage.sessions.remove('b'),
      look: (uri) => [
        storage.sessions.get(uri) !== undefined,
        storage.sessions.busy().includes(uri),
        storage.sessions.page(9).filter((it) => it.uri === uri).length,
        storage.sessions.count(),
      ],
      becomes: [false, false, 0, 2],
      stays: [true, true, 1, 2],
    },
  ];
  for (const { says, fill, change, look, becomes, stays } of cases)
    it(says, () => {
      for (const it of OWNERS) fill(it);
      change();
      assert.deepEqual(
        OWNERS.map((it) => look(it)),
        OWNERS.map((it) => (it === 'b' ? becomes : stays)),
      );
    });
});

describe('rows that something has to be settled for before they are read', () => {
  it('are settled by every table of sessions, and not within a transaction', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-rows-'));
    const storage = openStorage({ dataDir, now: '2026', onDamage: () => undefined, warn: () => undefined });
    let settled = 0;
    storage.onUse(() => (settled += 1));
    const counts = [
      () => storage.sessions.count(),
      () => storage.chats.running(),
      () => storage.changesets.files('a'),
      () => storage.annotations.ofSession('a'),
      () => storage.transaction(() => [storage.sessions.count(), storage.chats.running()]),
    ].map((look) => {
      settled = 0;
      look();
      return settled;
    });
    assert.deepEqual(counts, [1, 1, 1, 1, 0]);
    await storage.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
