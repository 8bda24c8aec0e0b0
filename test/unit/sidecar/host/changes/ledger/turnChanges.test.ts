import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, it } from 'mocha';
import {
  type BenchOptions,
  type ChangesBench,
  inBench,
  lines,
  pixels,
  sha,
  three,
} from '../../../../../support/changes/changes.ts';

const withoutGit = { env: { PATH: '/nonexistent' } };

const kinds = [
  { name: 'a git repository', options: { git: true } },
  { name: 'a folder without git', options: {} },
  { name: 'a git repository on a machine without git', options: { git: true, deps: withoutGit } },
] satisfies { name: string; options: BenchOptions }[];

for (const { name, options } of kinds) {
  describe(`changes of a turn in ${name}`, () => {
    const table: {
      says: string;
      work: (bench: ChangesBench) => void;
      shape: string;
      file: string;
      from?: string;
      diff: string;
    }[] = [
      {
        says: 'creates a file',
        work: (it) => it.write('new/x.txt', 'a\nb\n'),
        shape: 'create',
        file: 'new/x.txt',
        diff: '2 0',
      },
      {
        says: 'edits line 150 of 300',
        work: (it) => it.write('long.txt', three.replace('line 150\n', 'changed\n')),
        shape: 'edit',
        file: 'long.txt',
        diff: '1 1',
      },
      {
        says: 'edits a file with CRLF',
        work: (it) => it.write('crlf.txt', it.read('crlf.txt').replace('line 3\r', 'drei\r')),
        shape: 'edit',
        file: 'crlf.txt',
        diff: '1 1',
      },
      {
        says: 'turns CRLF into LF',
        work: (it) => it.write('crlf.txt', lines(20)),
        shape: 'edit',
        file: 'crlf.txt',
        diff: '20 20',
      },
      {
        says: 'edits after a byte order mark',
        work: (it) => it.write('bom.txt', '\xef\xbb\xbfbom\nx\n'),
        shape: 'edit',
        file: 'bom.txt',
        diff: '1 0',
      },
      {
        says: 'adds the missing line end',
        work: (it) => it.write('noend.txt', 'no end\n'),
        shape: 'edit',
        file: 'noend.txt',
        diff: '1 1',
      },
      {
        says: 'edits a binary',
        work: (it) =>
          it.write(
            'image.bin',
            pixels.map((n) => n ^ 1),
          ),
        shape: 'edit',
        file: 'image.bin',
        diff: '-',
      },
      {
        says: 'runs sed -i',
        work: (it) => void execFileSync('sed', ['-i', 's/two/zwei/', it.path('a.txt')]),
        shape: 'edit',
        file: 'a.txt',
        diff: '1 1',
      },
      {
        says: 'deletes',
        work: (it) => rmSync(it.path('dir/sub.txt')),
        shape: 'delete',
        file: 'dir/sub.txt',
        diff: '0 40',
      },
      {
        says: 'renames',
        work: (it) => renameSync(it.path('long.txt'), it.path('moved.txt')),
        shape: 'rename',
        file: 'moved.txt',
        from: 'long.txt',
        diff: '0 0',
      },
      {
        says: 'renames and edits',
        work: (it) => {
          rmSync(it.path('long.txt'));
          it.write('moved.txt', three.replace('line 9\n', 'nine\n'));
        },
        shape: 'rename',
        file: 'moved.txt',
        from: 'long.txt',
        diff: '1 1',
      },
      {
        says: 'makes executable',
        work: (it) => chmodSync(it.path('run.sh'), 0o755),
        shape: 'edit',
        file: 'run.sh',
        diff: '0 0',
      },
      {
        says: 'makes private',
        work: (it) => chmodSync(it.path('a.txt'), 0o600),
        shape: 'edit',
        file: 'a.txt',
        diff: '0 0',
      },
      {
        says: 'makes a link',
        work: (it) => symlinkSync('a.txt', it.path('link')),
        shape: 'create',
        file: 'link',
        diff: '1 0',
      },
      {
        says: 'rewrites in place several times',
        work: (it) => {
          it.write('a.txt', 'x\n');
          it.write('a.txt', 'one\ntwo\n3\n');
        },
        shape: 'edit',
        file: 'a.txt',
        diff: '1 1',
      },
    ];
    for (const { says, work, shape, file, from, diff } of table) {
      it(`${says}: one ${shape} with ${diff} lines, undone and redone exactly`, () =>
        inBench(options, async (bench) => {
          const before = bench.tree();
          await bench.turn('t1', () => work(bench));
          const after = bench.tree();
          for (const set of [bench.turnSet('t1'), bench.sessionSet()]) {
            assert.equal(set.status, 'ready');
            assert.equal(set.files.length, 1);
            const { edit } = set.files[0]!;
            const found = !edit.before
              ? 'create'
              : !edit.after
                ? 'delete'
                : edit.before.uri === edit.after.uri
                  ? 'edit'
                  : 'rename';
            assert.equal(found, shape);
            assert.equal((edit.after ?? edit.before)!.uri, bench.uri(file));
            if (from) assert.equal(edit.before!.uri, bench.uri(from));
            assert.equal(edit.diff ? `${edit.diff.added} ${edit.diff.removed}` : '-', diff);
            if (edit.after && !after[file]!.startsWith('->')) {
              assert.equal(
                sha(await bench.changes.readContent(edit.after.content.uri)),
                sha(readFileSync(bench.path(file))),
              );
            }
          }
          await bench.invoke('undo');
          assert.deepEqual(bench.tree(), before);
          assert.deepEqual(bench.sessionSet().files, []);
          await bench.invoke('redo');
          assert.deepEqual(bench.tree(), after);
          assert.equal(bench.sessionSet().files.length, 1);
          assert.equal(
            bench.sessionSet().operations!.some((it) => it.id === 'redo'),
            false,
          );
        }));
    }
  });
}
