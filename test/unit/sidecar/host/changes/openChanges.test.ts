import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { describe, it } from 'mocha';
import { type BenchOptions, type ChangesBench, openBench, sha } from '../../../../support/changes.ts';

const lines = (count: number, ending = '\n') =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}${ending}`).join('');
const three = lines(300);
const pixels = Uint8Array.from({ length: 3000 }, (_, n) => n % 7);
const files = {
  'a.txt': 'one\ntwo\nthree\n',
  'long.txt': three,
  'crlf.txt': lines(20, '\r\n'),
  'bom.txt': '\xef\xbb\xbfbom\n',
  'noend.txt': 'no end',
  'image.bin': pixels,
  'dir/sub.txt': lines(40),
  'run.sh': '#!/bin/sh\n',
};
const withoutGit = { env: { PATH: '/nonexistent' } };

async function inBench(options: BenchOptions, work: (bench: ChangesBench) => Promise<void>): Promise<void> {
  const bench = await openBench({ files, ...options });
  try {
    await work(bench);
    assert.deepEqual(bench.reports, []);
  } finally {
    await bench.close();
  }
}

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
        (await turn.settleTool([])).map((it) => it.after?.uri),
        [bench.uri('a.txt')],
      );
      bench.write('long.txt', 'x\n');
      assert.deepEqual(
        (await turn.settleTool([])).map((it) => it.after?.uri),
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

  it('refuse an undo where the person changed the file since, name it, and overwrite when told to', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('a.txt', 'agent\n');
        bench.write('long.txt', 'agent\n');
      });
      bench.write('a.txt', 'mine\n');
      await assert.rejects(bench.invoke('undo'), (it: { code: string; data: unknown; message: string }) => {
        assert.equal(it.code, 'conflict');
        assert.deepEqual(it.data, { conflicts: [{ uri: bench.uri('a.txt'), name: 'a.txt' }] });
        return /a\.txt changed since/.test(it.message);
      });
      assert.equal(bench.read('long.txt'), 'agent\n');
      assert.equal(bench.sessionSet().operations!.find((it) => it.id === 'undo')!.status, 'error');
      await bench.invoke('undo-overwrite', { name: 'a.txt' });
      assert.equal(bench.read('a.txt'), files['a.txt']);
      await bench.invoke('redo', { name: 'a.txt' });
      assert.equal(bench.read('a.txt'), 'mine\n');
      await bench.invoke('undo', { name: 'long.txt' });
      assert.equal(bench.read('long.txt'), three);
    }));

  it('refuse undo while a turn runs, and allow keep', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't2', folders: [bench.folder] });
      assert.equal(bench.sessionSet().operations!.find((it) => it.id === 'undo')!.status, 'disabled');
      await assert.rejects(bench.invoke('undo'), { code: 'turn_in_progress' });
      await bench.invoke('keep');
      await turn.end();
      assert.equal(bench.sessionSet().files[0]!.reviewed, true);
      await bench.invoke('undo');
    }));

  it('keep marks reviewed everywhere until the agent edits again', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await bench.invoke('keep', { name: 'a.txt' });
      assert.deepEqual([bench.sessionSet().files[0]!.reviewed, bench.turnSet('t1').files[0]!.reviewed], [true, true]);
      assert.equal(bench.sessionSet().operations!.find((it) => it.id === 'keep')!.status, 'disabled');
      await bench.turn('t2', () => bench.write('a.txt', 'again\n'));
      assert.equal(bench.sessionSet().files[0]!.reviewed, undefined);
    }));

  it('undo and keep one hunk of several', () =>
    inBench({ git: true }, async (bench) => {
      const agent = three
        .replace('line 10\n', 'ten\n')
        .replace('line 100\n', 'hundred\nand more\n')
        .replace('line 200\n', '');
      await bench.turn('t1', () => bench.write('long.txt', agent));
      await bench.invoke('undo', { name: 'long.txt', range: [99, 101] });
      assert.equal(bench.read('long.txt'), agent.replace('hundred\nand more\n', 'line 100\n'));
      await bench.invoke('redo');
      assert.equal(bench.read('long.txt'), agent);
      await bench.invoke('keep', { name: 'long.txt', range: [9, 10], side: 'before' });
      assert.deepEqual(bench.sessionSet().files[0]!.edit.diff, { added: 2, removed: 2 });
      await bench.invoke('undo', { name: 'long.txt', range: [199, 200], side: 'before' });
      await bench.invoke('undo');
      assert.equal(bench.read('long.txt'), three.replace('line 10\n', 'ten\n'));
      await assert.rejects(bench.invoke('undo', { name: 'long.txt', range: [1, 2] }), { code: 'not_found' });
    }));

  it('refuse unknown operations, scopes and files by name of the field', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await assert.rejects(bench.invoke('merge'), { code: 'invalid_params', data: { field: 'operationId' } });
      await assert.rejects(bench.invoke('undo-overwrite', { name: 'a.txt', range: [0, 1] }), {
        code: 'invalid_params',
        data: { field: 'target.kind' },
      });
      await assert.rejects(bench.invoke('undo', { name: 'a.txt', range: [50, 51] }), {
        code: 'invalid_params',
        data: { field: 'target.range' },
      });
      await assert.rejects(bench.invoke('undo', { name: 'other.txt' }), { code: 'not_found' });
      await assert.rejects(bench.changes.readContent(`host-content:/${'0'.repeat(64)}/x`), {
        code: 'content_not_found',
      });
    }));

  for (const git of [true, false]) {
    it(`refuse to undo a file that was too large to keep, with the reason${git ? ' (git)' : ''}`, () =>
      inBench({ git, deps: { maxKeptBytes: 1000 } }, async (bench) => {
        await bench.turn('t1', () =>
          bench.write(
            'image.bin',
            pixels.map((n) => n + 1),
          ),
        );
        assert.equal(bench.sessionSet().files[0]!.edit.diff, undefined);
        const thrown = (await bench.invoke('undo').catch((it: { code: string; message: string }) => it)) as {
          code: string;
          message: string;
        };
        assert.equal(thrown.code, 'unavailable');
        assert.match(thrown.message, /too large/);
      }));
  }

  it('let go of the contents of a session that was deleted, after the next start', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const { uri } = bench.sessionSet().files[0]!.edit.after!.content;
      const again = await bench.reopen();
      assert.equal(Buffer.from(await again.changes.readContent(uri)).toString(), 'agent\n');
      await again.changes.forget(again.session);
      await assert.rejects(again.changes.readContent(uri), { code: 'content_not_found' });
      await again.close();
    }));

  it('never write through a folder that became a link to elsewhere', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('dir/sub.txt', 'agent\n'));
      const elsewhere = `${bench.folder}-elsewhere`;
      renameSync(bench.path('dir'), elsewhere);
      symlinkSync(elsewhere, bench.path('dir'));
      await assert.rejects(bench.invoke('undo'), { code: 'forbidden' });
      assert.equal(readFileSync(`${elsewhere}/sub.txt`, 'latin1'), 'agent\n');
    }));

  it('ignore paths outside the folders, also through a link', () =>
    inBench({ git: true }, async (bench) => {
      const outside = `${bench.folder}-outside`;
      mkdirSync(outside);
      symlinkSync(outside, bench.path('out'));
      await bench.turn('t1', () => void execFileSync('sh', ['-c', 'echo x > out/f'], { cwd: bench.folder }), [
        'out/f',
        '../x',
      ]);
      assert.deepEqual(bench.sessionSet().files, []);
    }));

  it('say when a folder without git holds too many files', () =>
    inBench({ deps: { limits: { files: 3, bytes: 1_000_000 } } }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      assert.match(turn.notices.join(), /more than 3 files/);
      await turn.end();
    }));

  it('say so when a folder is gone', () =>
    inBench({}, async (bench) => {
      const turn = await bench.changes.beginTurn({
        session: bench.session,
        turnId: 't1',
        folders: [bench.path('gone')],
      });
      await turn.end();
      assert.deepEqual(bench.sessionSet().files, []);
    }));

  it('survive a restart: kept, undone, still to be redone', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('a.txt', 'agent\n');
        bench.write('long.txt', 'agent\n');
      });
      await bench.invoke('keep', { name: 'long.txt' });
      await bench.invoke('undo', { name: 'a.txt' });
      const again = await bench.reopen();
      again.changes.recover(again.session);
      assert.deepEqual(
        again.sessionSet().files.map((it) => [it.id, it.reviewed]),
        [[again.uri('long.txt'), true]],
      );
      await again.invoke('redo');
      assert.equal(again.read('a.txt'), 'agent\n');
      await again.invoke('undo');
      assert.equal(again.read('a.txt') + again.read('long.txt'), files['a.txt'] + three);
      await again.close();
    }));

  it('are ready again after a host was killed in a turn', () =>
    inBench({ git: true }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      bench.write('a.txt', 'agent\n');
      await turn.settle();
      const again = await bench.reopen();
      assert.equal(again.turnSet('t1').status, 'computing');
      again.changes.recover(again.session);
      assert.equal(again.turnSet('t1').status, 'ready');
      await again.invoke('undo', { turnId: 't1' });
      assert.equal(again.read('a.txt'), files['a.txt']);
      await again.close();
    }));

  it('advertise a session changeset and a template for turns, both with review', () =>
    inBench({ git: true }, async (bench) => {
      await bench.turn('t1', () => undefined);
      const { changesets } = bench.store.state(bench.session) as {
        changesets: { changeKind: string; capabilities: object }[];
      };
      assert.deepEqual(
        changesets.map((it) => [it.changeKind, it.capabilities]),
        [
          ['session', { review: {} }],
          ['turn', { review: {} }],
        ],
      );
    }));
});
