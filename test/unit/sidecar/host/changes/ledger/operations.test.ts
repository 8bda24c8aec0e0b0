import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findRenames } from '../../../../../../sidecar/host/changes/ledger/renames.ts';
import { operationsFor, readUndone, type UndoneFile } from '../../../../../../sidecar/host/changes/ledger/undone.ts';
import { uncommittedOperations } from '../../../../../../sidecar/host/changes/ledger/viewOperations.ts';
import type { PathChange } from '../../../../../../sidecar/host/changes/snapshots/pathChange.ts';
import type { ChangesetFile } from '../../../../../../sidecar/protocol/channels/changeset/schema.ts';

const file = (more: object = {}) => ({ id: 'f', edit: {}, ...more }) as ChangesetFile;

describe('what can be done with a changeset', () => {
  const free = (
    files: readonly ChangesetFile[],
    isRunning = false,
    isInGit = false,
    undone: readonly UndoneFile[] = [],
  ) => operationsFor(files, undone, isRunning, isInGit).flatMap((it) => (it.status === 'idle' ? [it.id] : []));
  const undone: UndoneFile = {
    path: '/w/a\udce9',
    batch: 1,
    restored: { kind: 'absent' },
    replaced: { kind: 'absent' },
    change: { path: '/w/a\udce9', before: { kind: 'absent' }, after: { kind: 'absent' } },
  };

  for (const [says, ids, expected] of [
    ['is empty', free([]), []],
    ['has files', free([file()]), ['keep', 'undo', 'undo-overwrite', 'patch']],
    ['was reviewed', free([file({ reviewed: true })]), ['undo', 'undo-overwrite', 'patch']],
    ['is being written', free([file()], true), ['keep', 'patch']],
    ['is in a repository', free([file()], false, true), ['keep', 'undo', 'undo-overwrite', 'stage', 'commit', 'patch']],
    ['is written in a repository', free([file()], true, true), ['keep', 'patch']],
    ['was undone', free([], false, false, [undone]), ['redo']],
    ['was undone and is being written', free([], true, false, [undone]), []],
  ] as const)
    it(`that ${says}`, () => assert.deepEqual(ids, expected));

  it('keeps what was undone, also of names that are no UTF-8', () => {
    const operations = operationsFor([], [undone], false, false);
    assert.equal(JSON.stringify(operations).includes('\\udce9'), false);
    assert.deepEqual(readUndone(operations), [undone]);
    assert.deepEqual(readUndone([]), []);
  });
  for (const [states, expected] of [
    [[], []],
    [[{ staged: true, unstaged: false }], ['commit', 'patch']],
    [[{ staged: false, unstaged: true }], ['stage', 'patch']],
    [
      [
        { staged: false, unstaged: true },
        { staged: true, unstaged: false },
      ],
      ['stage', 'commit', 'patch'],
    ],
  ] as const)
    it(`that git has not, as ${JSON.stringify(states)}`, () => {
      const operations = uncommittedOperations(states.map((git) => file({ _meta: { git } })));
      assert.deepEqual(
        operations.filter((it) => it.status === 'idle').map((it) => it.id),
        expected,
      );
    });
});

describe('files that were moved', () => {
  const kept = (sha: string, size = 10, more: object = {}) =>
    ({ kind: 'file', mode: 0o644, sha, size, ...more }) as const;
  const gone = (path: string, sha: string, size?: number): PathChange => ({
    path,
    before: kept(sha, size),
    after: { kind: 'absent' },
  });
  const fresh = (path: string, sha: string, size?: number): PathChange => ({
    path,
    before: { kind: 'absent' },
    after: kept(sha, size),
  });
  const found = async (changes: readonly PathChange[], texts: Record<string, string> = {}) => {
    const pairs = await findRenames(changes, async (sha) => Buffer.from(texts[sha] ?? ''));
    return [...pairs].map(([to, from]) => `${from.path} ${to}`);
  };
  const lines = (...all: string[]) => all.map((it) => `${it.repeat(9)}\n`).join('');

  it('are found by their bytes, first where their name is the same, each once', async () => {
    const changes = [gone('/x/b', 's'), gone('/x/a', 's'), fresh('/y/a', 's'), fresh('/y/c', 's'), fresh('/y/d', 's')];
    assert.deepEqual(await found(changes), ['/x/a /y/a', '/x/b /y/c']);
  });
  it('are found where half of their text is the same, the most alike first', async () => {
    const texts = { old: lines('a', 'b', 'c', 'd'), half: lines('a', 'b', 'x', 'y'), most: lines('a', 'b', 'c', 'z') };
    const changes = [gone('/old', 'old', 40), fresh('/half', 'half', 40), fresh('/most', 'most', 40)];
    assert.deepEqual(await found(changes, texts), ['/old /most']);
    assert.deepEqual(await found(changes.slice(0, 2), texts), ['/old /half']);
  });
  it('are none where less is the same, lines count once, or a side is no text', async () => {
    const texts = { old: lines('a', 'b', 'c', 'd'), less: lines('a', 'x', 'y', 'z'), twice: lines('a', 'a', 'a', 'a') };
    for (const sha of ['less', 'twice'])
      assert.deepEqual(await found([gone('/old', 'old', 40), fresh('/new', sha, 40)], texts), [], sha);
    const binary = { old: `${lines('a', 'b')}\0`, same: `${lines('a', 'b')}\0\0` };
    assert.deepEqual(await found([gone('/old', 'old', 21), fresh('/new', 'same', 22)], binary), []);
  });
  it('are none where they are empty, or nobody kept them', async () => {
    assert.deepEqual(await found([gone('/a', 's', 0), fresh('/b', 's', 0)]), []);
    const unkept = { ...fresh('/b', 's'), after: kept('s', 10, { notKept: 'tooLarge' }) } as PathChange;
    assert.deepEqual(await found([gone('/a', 's'), unkept]), []);
  });
});
