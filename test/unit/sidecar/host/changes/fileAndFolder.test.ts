import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { type ChangesBench, folderKinds, inBench } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

const files = { 'a.txt': 'a\n', 'dir/one.txt': 'one\n', 'dir/deep/two.sh': '#!/bin/sh\n', 'z.txt': 'z\n' };

/** Names by what became of them: `+` came, `-` went, `~` changed, `>` was moved here. */
const namesOf = (bench: ChangesBench, state: ChangesetState) =>
  state.files
    .map(({ edit }) => {
      const name = (uri: string) => relative(bench.folder, decodeURIComponent(new URL(uri).pathname));
      if (!edit.after) return `-${name(edit.before!.uri)}`;
      if (!edit.before) return `+${name(edit.after.uri)}`;
      return edit.before.uri === edit.after.uri
        ? `~${name(edit.after.uri)}`
        : `${name(edit.before.uri)}>${name(edit.after.uri)}`;
    })
    .toSorted((a, b) => a.localeCompare(b));

const remove = (bench: ChangesBench, name: string) => rmSync(bench.path(name), { recursive: true });
const swaps: {
  says: string;
  play: (bench: ChangesBench) => void;
  changes: readonly string[];
  /** Each stands in the way of another, so only all of them can be undone. */
  isCircle?: boolean;
  /** What comes is too large to be kept, so no redo brings it back. */
  isLost?: boolean;
}[] = [
  {
    says: 'a folder with a file in place of a file',
    play(bench) {
      remove(bench, 'a.txt');
      bench.write('a.txt/inner.txt', 'something else altogether\n');
    },
    changes: ['-a.txt', '+a.txt/inner.txt'],
  },
  {
    says: 'a folder that holds the file in place of the file',
    play(bench) {
      remove(bench, 'a.txt');
      bench.write('a.txt/inner.txt', 'a\n');
    },
    changes: ['a.txt>a.txt/inner.txt'],
  },
  {
    says: 'an empty folder in place of a file',
    play(bench) {
      remove(bench, 'a.txt');
      mkdirSync(bench.path('a.txt/empty'), { recursive: true });
    },
    changes: ['-a.txt'],
  },
  {
    says: 'a file in place of a folder',
    play(bench) {
      remove(bench, 'dir');
      bench.write('dir', 'a file now\n', 0o755);
    },
    changes: ['-dir/deep/two.sh', '-dir/one.txt', '+dir'],
  },
  {
    says: 'a link in place of a folder that moved, with the same names behind it',
    play(bench) {
      renameSync(bench.path('dir'), bench.path('moved'));
      symlinkSync('moved', bench.path('dir'));
    },
    changes: ['+dir', 'dir/deep/two.sh>moved/deep/two.sh', 'dir/one.txt>moved/one.txt'],
  },
  {
    says: 'a link to nothing in place of a file and a folder in place of a link',
    play(bench) {
      remove(bench, 'a.txt');
      symlinkSync('nowhere', bench.path('a.txt'));
      remove(bench, 'link');
      bench.write('link/inner.txt', 'inner\n');
    },
    changes: ['-link', '+link/inner.txt', '~a.txt'],
  },
  {
    says: 'a file that is too large to keep in place of a folder',
    play(bench) {
      remove(bench, 'dir');
      bench.write('dir', 'x'.repeat(5_000));
    },
    changes: ['-dir/deep/two.sh', '-dir/one.txt', '+dir'],
    isLost: true,
  },
  {
    says: 'two names swapped, of a file and of a folder',
    play(bench) {
      renameSync(bench.path('a.txt'), bench.path('tmp'));
      renameSync(bench.path('dir'), bench.path('a.txt'));
      renameSync(bench.path('tmp'), bench.path('dir'));
    },
    changes: ['a.txt>dir', 'dir/deep/two.sh>a.txt/deep/two.sh', 'dir/one.txt>a.txt/one.txt'],
    isCircle: true,
  },
];

for (const { where, git } of folderKinds) {
  describe(`a file and a folder that take each other's place ${where}`, () => {
    const inSwaps = (work: (bench: ChangesBench) => Promise<void>) =>
      inBench({ git, files, links: { link: 'a.txt' }, deps: { maxKeptBytes: 4_000 } }, work);

    it('links that lead to each other in the place of a folder are undone, also after another turn', () => {
      verifies('host.changes.file-and-folder');
      return inSwaps(async (bench) => {
        const before = withoutFolders(bench.tree());
        await bench.turn('t1', () => {
          rmSync(bench.path('dir'), { recursive: true });
          symlinkSync('round', bench.path('dir'));
          symlinkSync('dir/deep', bench.path('round'));
        });
        await bench.turn('t2', () => {});
        await bench.invoke('undo');
        assert.deepEqual(withoutFolders(bench.tree()), before);
      });
    });

    for (const { says, play, changes, isCircle, isLost } of swaps) {
      it(`${says}: every change is listed, undone and redone exactly`, () => {
        verifies('host.changes.file-and-folder');
        return inSwaps(async (bench) => {
          // A folder that was moved stays behind without files: it is as old as it was.
          const tree = () => withoutFolders(bench.tree());
          const before = tree();
          await bench.turn('t1', () => play(bench));
          const after = tree();
          const sorted = changes.toSorted((a, b) => a.localeCompare(b));
          assert.deepEqual(namesOf(bench, bench.turnSet('t1')), sorted);
          assert.deepEqual(namesOf(bench, bench.sessionSet()), sorted);
          await bench.invoke('undo');
          assert.deepEqual(tree(), before);
          assert.deepEqual(bench.sessionSet().files, []);
          if (isLost) return;
          await bench.invoke('redo');
          assert.deepEqual(tree(), after);
          assert.deepEqual(namesOf(bench, bench.sessionSet()), sorted);
          await bench.invoke('undo', { turnId: 't1' });
          assert.deepEqual(tree(), before);
        });
      });

      it(`${says}: what came back in the next turn is no change of the session`, () => {
        verifies('host.changes.file-and-folder');
        return inSwaps(async (bench) => {
          execFileSync('cp', ['-a', bench.folder, `${bench.folder}-copy`]);
          await bench.turn('t1', () => play(bench));
          await bench.turn('t2', () => {
            for (const name of ['a.txt', 'dir', 'link', 'moved', 'tmp'])
              rmSync(bench.path(name), { recursive: true, force: true });
            for (const name of ['a.txt', 'dir', 'link'])
              execFileSync('cp', ['-a', `${bench.folder}-copy/${name}`, bench.path(name)]);
          });
          assert.deepEqual(namesOf(bench, bench.sessionSet()), []);
          assert.equal(bench.turnSet('t2').files.length, changes.length);
        });
      });

      if (isCircle || isLost) continue;
      it(`${says}: it can be kept, and undone file by file in either order`, () => {
        verifies('host.changes.file-and-folder');
        return inSwaps(async (bench) => {
          const before = withoutFolders(bench.tree());
          await bench.turn('t1', () => play(bench));
          const after = withoutFolders(bench.tree());
          await bench.invoke('keep');
          assert.ok(bench.sessionSet().files.every((it) => it.reviewed));
          assert.deepEqual(withoutFolders(bench.tree()), after);
          for (const isReversed of [false, true]) {
            let left = bench.sessionSet().files;
            while (left.length > 0) {
              const order = isReversed ? left.toReversed() : left;
              for (const { edit } of order) {
                const name = relative(bench.folder, new URL((edit.after ?? edit.before)!.uri).pathname);
                // What stands in the way of another file is undone before it.
                await bench.invoke('undo', { name }).catch((it: { code: string }) => assert.equal(it.code, 'conflict'));
              }
              assert.ok(bench.sessionSet().files.length < left.length, 'none could be undone');
              left = bench.sessionSet().files;
            }
            assert.deepEqual(withoutFolders(bench.tree()), before);
            while (bench.sessionSet().operations!.some((it) => it.id === 'redo')) await bench.invoke('redo');
            assert.deepEqual(withoutFolders(bench.tree()), after);
          }
        });
      });
    }

    it('a file of a person in the folder keeps the undo of the file whose place it took, and loses nothing', () => {
      verifies('host.changes.file-and-folder');
      return inSwaps(async (bench) => {
        await bench.turn('t1', () => {
          remove(bench, 'a.txt');
          bench.write('a.txt/inner.txt', 'agent\n');
          bench.write('z.txt', 'agent\n');
        });
        bench.write('a.txt/mine.txt', 'mine\n');
        await bench.invoke('undo');
        assert.deepEqual([bench.read('a.txt/mine.txt'), bench.read('z.txt')], ['mine\n', 'z\n']);
        assert.deepEqual(namesOf(bench, bench.sessionSet()), ['-a.txt']);
        remove(bench, 'a.txt/mine.txt');
        await bench.invoke('undo');
        assert.equal(bench.read('a.txt'), 'a\n');
      });
    });

    it('a tool call that was to write to a folder and put a file there lists that file', () =>
      inSwaps(async (bench) => {
        const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
        await turn.beginTool('c0', [bench.path('dir')]);
        await turn.settleTool('c0', [bench.path('dir')]);
        await turn.beginTool('c1', [bench.path('dir')]);
        remove(bench, 'dir');
        bench.write('dir', 'a file now\n');
        const edits = await turn.settleTool('c1', [bench.path('dir')]);
        await turn.end();
        assert.ok(edits.some((it) => it.after?.uri === bench.uri('dir') && !it.before));
        assert.ok(namesOf(bench, bench.sessionSet()).includes('+dir'));
        await bench.invoke('undo');
        assert.equal(bench.read('dir/one.txt'), 'one\n');
      }));
  });
}

describe('a repository of its own in place of a file of a repository', () => {
  it('is the removal of the file, and the undo leaves the repository alone', () => {
    verifies('host.changes.file-and-folder');
    return inBench({ git: true, files }, async (bench) => {
      await bench.turn('t1', () => {
        remove(bench, 'a.txt');
        mkdirSync(bench.path('a.txt'));
        bench.write('a.txt/inner.txt', 'inner\n');
        for (const args of [
          ['init', '-q'],
          ['add', '-A'],
          ['commit', '-q', '-m', 'inner'],
        ])
          bench.git('-C', bench.path('a.txt'), ...args);
        bench.write('z.txt', 'agent\n');
      });
      assert.deepEqual(namesOf(bench, bench.sessionSet()), ['-a.txt', '~z.txt']);
      await bench.invoke('undo');
      assert.deepEqual([bench.read('a.txt/inner.txt'), bench.read('z.txt')], ['inner\n', 'z\n']);
      assert.deepEqual(namesOf(bench, bench.sessionSet()), ['-a.txt']);
    });
  });

  it('of which ignored files are all that stands there is the removal of the file too', () =>
    inBench({ git: true, files: { ...files, '.gitignore': 'out/\n' } }, async (bench) => {
      await bench.turn('t1', () => {
        remove(bench, 'a.txt');
        bench.write('a.txt/out/cache.bin', 'cache\n');
      });
      assert.deepEqual(namesOf(bench, bench.sessionSet()), ['-a.txt']);
      await assert.rejects(bench.invoke('undo'), { code: 'conflict' });
      assert.equal(bench.read('a.txt/out/cache.bin'), 'cache\n');
    }));
});

function withoutFolders(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([, it]) => it !== 'folder'));
}
