import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, it } from 'mocha';
import { inBench, lines, pixels, sha } from '../../../../support/changes/changes.ts';

describe('changes in a git repository', () => {
  it('count as git diff --numstat does', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('long.txt', lines(300).split('\n').toSorted().join('\n'));
        bench.write('crlf.txt', lines(25, '\r\n').replaceAll('line 1', 'LINE 1'));
        bench.write('dir/sub.txt', lines(40).split('\n').reverse().join('\n'));
        bench.write(
          'image.bin',
          pixels.map((n) => n + 1),
        );
        rmSync(bench.path('a.txt'));
        bench.write('fresh', 'x');
      });
      bench.git('add', '-A', '-N');
      const expected = bench
        .git('-c', 'core.autocrlf=false', 'diff', 'HEAD', '--no-renames', '--numstat')
        .trim()
        .split('\n')
        .sort();
      const found = bench.sessionSet().files.map(({ id, edit }) => {
        const name = decodeURIComponent(id.slice(bench.uri('').length)).replace(/^\//, '');
        return `${edit.diff?.added ?? '-'}\t${edit.diff?.removed ?? '-'}\t${name}`;
      });
      assert.deepEqual(found.sort(), expected);
    }));

  it('leave the index, the refs and the objects of the repository alone', () =>
    inBench({ git: true }, async (bench) => {
      const index = () => [
        sha(readFileSync(bench.path('.git/index'))),
        bench.git('for-each-ref'),
        bench.git('count-objects', '-v'),
      ];
      const before = index();
      await bench.turn('t1', () => bench.write('a.txt', 'x\n'));
      assert.deepEqual(index(), before);
    }));

  it('give back the bytes of the disk where git converts line ends', () =>
    inBench(
      { git: true, files: { '.gitattributes': '* text=auto eol=crlf\n', 'w.txt': lines(5, '\r\n') } },
      async (bench) => {
        assert.equal(bench.git('ls-files', '--eol', 'w.txt').startsWith('i/lf    w/crlf'), true);
        await bench.turn('t1', () => bench.write('w.txt', 'x'));
        await bench.invoke('undo');
        assert.equal(bench.read('w.txt'), lines(5, '\r\n'));
      },
    ));

  it('see untracked files, and ignored ones that a tool names', () =>
    inBench({ git: true, files: { '.gitignore': '*.log\n', 'x.log': 'old\n', 'y.log': 'old\n' } }, async (bench) => {
      bench.write('untracked.txt', 'u\n');
      await bench.turn('t1', () => {
        bench.write('untracked.txt', 'v\n');
        bench.write('x.log', 'new\n');
        bench.write('y.log', 'new\n');
      }, ['x.log']);
      assert.deepEqual(
        bench
          .sessionSet()
          .files.map((it) => it.id)
          .sort(),
        [bench.uri('untracked.txt'), bench.uri('x.log')],
      );
      await bench.invoke('undo');
      assert.deepEqual([bench.read('untracked.txt'), bench.read('x.log')], ['u\n', 'old\n']);
    }));

  it('do not take a file for new that only stopped being ignored', () =>
    // Ten seconds ahead: the files are older than the turn by more than the slack of the comparison.
    inBench(
      {
        git: true,
        files: { '.gitignore': '*.log\n', 'x.log': 'old\n' },
        deps: { clock: { nowMs: () => Date.now() + 10_000 } },
      },
      async (bench) => {
        const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
        bench.write('.gitignore', '\n');
        await turn.end();
        assert.deepEqual(
          bench.sessionSet().files.map((it) => it.id),
          [bench.uri('.gitignore')],
        );
        assert.equal(turn.notices.length, 1);
      },
    ));

  it('see inside a nested repository and a repository without a commit', () =>
    inBench({ git: true }, async (bench) => {
      for (const inner of ['inner', 'fresh']) {
        bench.write(`${inner}/i.txt`, 'i\n');
        execFileSync('git', ['init', '-q'], { cwd: bench.path(inner) });
      }
      execFileSync('git', ['add', '-A'], { cwd: bench.path('inner') });
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t', 'commit', '-qm', 'x'], {
        cwd: bench.path('inner'),
      });
      await bench.turn('t1', () => {
        bench.write('inner/i.txt', 'j\n');
        bench.write('fresh/i.txt', 'j\n');
      });
      assert.deepEqual(
        bench
          .sessionSet()
          .files.map((it) => it.id)
          .sort(),
        [bench.uri('fresh/i.txt'), bench.uri('inner/i.txt')],
      );
      await bench.invoke('undo');
      assert.equal(bench.read('inner/i.txt') + bench.read('fresh/i.txt'), 'i\ni\n');
    }));

  it('keep permission bits that git does not know, also through a deletion', () =>
    inBench({ git: true }, async (bench) => {
      chmodSync(bench.path('a.txt'), 0o600);
      await bench.turn('t1', () => rmSync(bench.path('a.txt')));
      await bench.invoke('undo');
      assert.equal(statSync(bench.path('a.txt')).mode & 0o777, 0o600);
    }));
});
