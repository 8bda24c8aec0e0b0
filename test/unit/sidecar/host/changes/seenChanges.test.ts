import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, it } from 'mocha';
import { files, inBench, lines, pixels, sha } from '../../../../support/changes.ts';

describe('changes', () => {
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
      { git: true, files: { '.gitignore': '*.log\n', 'x.log': 'old\n' }, deps: { nowMs: () => Date.now() + 10_000 } },
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

  it('answer what one tool did, and all of the turn', () =>
    inBench({ git: true }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      bench.write('a.txt', 'x\n');
      assert.deepEqual(
        (await turn.settleTool('c1', [])).map((it) => it.after?.uri),
        [bench.uri('a.txt')],
      );
      bench.write('long.txt', 'x\n');
      assert.deepEqual(
        (await turn.settleTool('c2', [])).map((it) => it.after?.uri),
        [bench.uri('long.txt')],
      );
      assert.equal((await turn.settle()).length, 2);
      assert.equal((await turn.settle([bench.path('a.txt')])).length, 1);
      bench.write('a.txt', files['a.txt']);
      await turn.end();
      assert.deepEqual(
        bench.sessionSet().files.map((it) => it.id),
        [bench.uri('long.txt')],
      );
    }));

  it('give each tool call its own edits, and the changesets those of the whole turn', () =>
    inBench({ git: true }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      const path = bench.path('new.txt');
      const contents = async (content: { uri: string } | undefined) =>
        content && Buffer.from(await bench.changes.readContent(content.uri)).toString();
      const edits = async (id: string, work: () => void, paths = [path]) => {
        await turn.beginTool(id, paths);
        work();
        const [edit, ...others] = await turn.settleTool(id, paths);
        assert.deepEqual(others, []);
        return edit && [await contents(edit.before?.content), await contents(edit.after?.content), edit.diff];
      };
      const seven = lines(7);
      const changed = seven.replace('line 3\n', 'drei\n');
      assert.deepEqual(await edits('c1', () => bench.write('new.txt', seven)), [
        undefined,
        seven,
        { added: 7, removed: 0 },
      ]);
      assert.deepEqual(await edits('c2', () => bench.write('new.txt', changed)), [
        seven,
        changed,
        { added: 1, removed: 1 },
      ]);
      assert.equal(await edits('a look', () => undefined), undefined);
      assert.deepEqual(await edits('c3 undeclared', () => bench.write('new.txt', `${changed}eight\n`), []), [
        changed,
        `${changed}eight\n`,
        { added: 1, removed: 0 },
      ]);
      for (const { files: all } of [bench.turnSet('t1'), bench.sessionSet()]) {
        assert.deepEqual(
          all.map((it) => [it.id, it.edit.before, it.edit.diff]),
          [[bench.uri('new.txt'), undefined, { added: 8, removed: 0 }]],
        );
      }
      assert.deepEqual(await edits('c4', () => rmSync(path)), [
        `${changed}eight\n`,
        undefined,
        { added: 0, removed: 8 },
      ]);
      assert.deepEqual(bench.turnSet('t1').files, []);
      await turn.end();
    }));

  it('begin a tool call when it is allowed, not when it was announced', () =>
    inBench({}, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      await turn.beginTool('c1', [bench.path('a.txt')]);
      bench.write('a.txt', 'the person\n');
      await turn.beginTool('c1', [bench.path('a.txt')]);
      bench.write('a.txt', 'the person\nthe agent\n');
      const [edit] = await turn.settleTool('c1', [bench.path('a.txt')]);
      assert.deepEqual(edit?.diff, { added: 1, removed: 0 });
      await turn.end();
    }));

  it('collapse several turns to the first before and the last after', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'first\n'));
      await bench.turn('t2', () => bench.write('a.txt', 'second\n'));
      assert.equal(
        sha(await bench.changes.readContent(bench.turnSet('t2').files[0]!.edit.before!.content.uri)),
        sha('first\n'),
      );
      await bench.invoke('undo', { turnId: 't2' });
      assert.equal(bench.read('a.txt'), 'first\n');
      assert.equal(bench.sessionSet().files[0]!.edit.after!.content.nonce, sha('first\n'));
      await bench.invoke('redo', { turnId: 't2' });
      assert.equal(bench.sessionSet().files[0]!.edit.after!.content.nonce, sha('second\n'));
      await bench.invoke('undo');
      assert.equal(bench.read('a.txt'), files['a.txt']);
      assert.deepEqual(bench.totals.at(-1), { additions: 0, deletions: 0, files: 0 });
    }));
});
