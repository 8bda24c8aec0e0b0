import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { describe, it } from 'mocha';
import type { ChangesetFile, ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { InvokeChangesetOperationResult } from '../../../../../sidecar/protocol/commands.ts';
import { type ChangesBench, folderKinds, inBench } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

const namesOf = (files: readonly ChangesetFile[]) => new Set(files.map((it) => it.id.split('/').at(-1)));
const names = (state: ChangesetState) => namesOf(state.files);
const operation = (state: ChangesetState, id: string) => state.operations!.find((it) => it.id === id);
const markOf = (files: readonly ChangesetFile[], name: string) =>
  files.find((it) => it.id.endsWith(`/${name}`))?._meta?.['left'];
const keptOf = (files: readonly ChangesetFile[], name: string) =>
  (files.find((it) => it.id.endsWith(`/${name}`))?._meta?.['before'] as { notKept?: string } | undefined)?.notKept ??
  'kept';
const invoke = async (bench: ChangesBench, id: string, more?: Parameters<ChangesBench['invoke']>[1]) =>
  (await bench.invoke(id, more)) as InvokeChangesetOperationResult;
const thrownBy = async (work: Promise<unknown>) => {
  const thrown: unknown = await work.then(
    () => undefined,
    (it: unknown) => it,
  );
  assert.ok(thrown instanceof Error, 'it did not fail');
  return thrown as Error & { code: string; data: { conflicts?: unknown; left: { name: string; reason: string }[] } };
};

describe('what a folder without git keeps of its files', () => {
  it('is everything but the files that are too large, wherever they stand', () => {
    verifies('host.changes.baseline-budget');
    const files = { 'a-huge.bin': 'x'.repeat(5_000), 'b.txt': 'b\n', 'z.txt': 'z'.repeat(600) };
    const deps = { maxKeptBytes: 2_000, limits: { files: 100, bytes: 1_000 } };
    return inBench({ files, deps }, async (bench) => {
      await bench.turn('t1', () => {
        for (const name of ['b.txt', 'z.txt']) bench.write(name, 'agent\n');
      });
      await bench.invoke('undo');
      assert.deepEqual([bench.read('b.txt'), bench.read('z.txt')], ['b\n', 'z'.repeat(600)]);
    });
  });

  it('is the small ones first, where it is more than can be kept', () => {
    verifies('host.changes.baseline-budget');
    const files = { 'a.bin': 'a'.repeat(700), 'b.bin': 'b'.repeat(600), 'c.txt': 'c\n', 'd.txt': 'd\n' };
    return inBench({ files, deps: { limits: { files: 100, bytes: 1_000 } } }, async (bench) => {
      await bench.turn('t1', () => {
        for (const name of Object.keys(files)) bench.write(name, 'agent\n');
      });
      const { files: changed } = bench.sessionSet();
      assert.deepEqual(
        Object.keys(files).map((name) => keptOf(changed, name)),
        ['overBudget', 'kept', 'kept', 'kept'],
      );
    });
  });

  it('grows when room was made', () =>
    inBench(
      { files: { 'a.bin': 'a'.repeat(700), 'b.bin': 'b'.repeat(600) }, deps: { limits: { files: 100, bytes: 1_000 } } },
      async (bench) => {
        await bench.turn('t1', () => rmSync(bench.path('b.bin')));
        await bench.turn('t2', () => bench.write('a.bin', 'agent\n'));
        await bench.invoke('undo', { turnId: 't2' });
        assert.equal(bench.read('a.bin'), 'a'.repeat(700));
      },
    ));

  it('is also what a tool call saw before it wrote, where the folder is more than can be kept', () => {
    verifies('host.changes.tool-before');
    const files = { 'a.bin': 'a'.repeat(700), 'b.bin': 'b'.repeat(700) };
    return inBench({ files, deps: { limits: { files: 100, bytes: 100 } } }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      await turn.beginTool('c1', [bench.path('b.bin')]);
      bench.write('b.bin', 'agent\n', 0o755);
      await turn.settleTool('c1', [bench.path('b.bin')]);
      await turn.beginTool('c2', [bench.path('b.bin')]);
      bench.write('b.bin', 'agent again\n');
      await turn.settleTool('c2', [bench.path('b.bin')]);
      await turn.end();
      await bench.invoke('undo');
      assert.equal(bench.read('b.bin'), files['b.bin']);
      assert.equal(statSync(bench.path('b.bin')).mode & 0o777, 0o644);
    });
  });
});

for (const { where, git } of folderKinds) {
  describe(`undo of all ${where}`, () => {
    it('does what it can, and lists the rest with the reason of each file', () => {
      verifies('host.changes.undo-partly');
      const files = {
        'a.txt': 'a\n',
        'b.txt': 'b\n',
        'mine.txt': 'm\n',
        'big.bin': 'x'.repeat(3_000),
        'gone.txt': 'g\n',
      };
      return inBench({ git, files, deps: { maxKeptBytes: 1_000 } }, async (bench) => {
        await bench.turn('t1', () => {
          for (const name of ['a.txt', 'b.txt', 'mine.txt', 'big.bin', 'new.txt']) bench.write(name, 'agent\n');
          rmSync(bench.path('gone.txt'));
        });
        const before = bench.sessionSet().files;
        bench.write('mine.txt', 'mine\n');
        const { message, _meta } = await invoke(bench, 'undo');
        assert.ok(typeof message === 'string');
        assert.match(message, /^4 files were undone\. Left unchanged: /);
        assert.match(message, /mine\.txt \(it has changed since the agent wrote it\)/);
        assert.match(message, /big\.bin \(it was too large to save\)/);
        const left = [
          { uri: bench.uri('big.bin'), name: 'big.bin', reason: 'notKept', message: 'it was too large to save' },
          {
            uri: bench.uri('mine.txt'),
            name: 'mine.txt',
            reason: 'conflict',
            message: 'it has changed since the agent wrote it',
          },
        ];
        const inOrder = (it: unknown) => (it as typeof left).toSorted((a, b) => a.uri.localeCompare(b.uri));
        assert.deepEqual(inOrder(_meta!['left']), left);
        assert.equal(bench.read('a.txt') + bench.read('b.txt') + bench.read('gone.txt'), 'a\nb\ng\n');
        assert.deepEqual([bench.read('mine.txt'), bench.read('big.bin')], ['mine\n', 'agent\n']);
        assert.equal('new.txt' in bench.tree(), false);

        const state = bench.sessionSet();
        assert.deepEqual(names(state), new Set(['big.bin', 'mine.txt']));
        assert.deepEqual(names(bench.turnSet('t1')), new Set(['big.bin', 'mine.txt']));
        assert.deepEqual(markOf(state.files, 'big.bin'), { reason: 'notKept', message: 'it was too large to save' });
        const { status, error } = operation(state, 'undo')!;
        assert.deepEqual([status, error!.errorType, error!.message], ['error', 'partial', message]);
        assert.deepEqual(inOrder(error!._meta!['left']), left);

        await invoke(bench, 'redo');
        assert.deepEqual([bench.read('a.txt'), bench.read('new.txt')], ['agent\n', 'agent\n']);
        assert.equal('gone.txt' in bench.tree(), false);
        assert.deepEqual([bench.read('mine.txt'), bench.read('big.bin')], ['mine\n', 'agent\n']);
        assert.deepEqual(names(bench.sessionSet()), namesOf(before));
      });
    });

    it('says why when nothing can be undone, and changes nothing', () => {
      verifies('host.changes.undo-partly', 'host.error.-32011');
      return inBench({ git, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } }, async (bench) => {
        await bench.turn('t1', () => {
          for (const name of ['a.txt', 'b.txt']) bench.write(name, 'agent\n');
        });
        for (const name of ['a.txt', 'b.txt']) bench.write(name, 'mine\n');
        const before = bench.tree();
        const { code, data, message } = await thrownBy(bench.invoke('undo'));
        assert.equal(code, 'conflict');
        assert.match(message, /^Nothing was undone\./);
        assert.deepEqual(data.conflicts, [
          { uri: bench.uri('a.txt'), name: 'a.txt' },
          { uri: bench.uri('b.txt'), name: 'b.txt' },
        ]);
        assert.deepEqual(bench.tree(), before);
        assert.equal(operation(bench.sessionSet(), 'undo')!.error!.errorType, 'conflict');
        assert.equal(operation(bench.sessionSet(), 'redo'), undefined);
      });
    });

    it('forgets why it left a file when that file is undone, or changed by the agent again', () =>
      inBench({ git, files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' } }, async (bench) => {
        await bench.turn('t1', () => {
          for (const name of ['a.txt', 'b.txt', 'c.txt']) bench.write(name, 'agent\n');
        });
        for (const name of ['a.txt', 'b.txt']) bench.write(name, 'mine\n');
        await invoke(bench, 'undo');
        await bench.turn('t2', () => bench.write('a.txt', 'agent again\n'));
        assert.equal(markOf(bench.sessionSet().files, 'a.txt'), undefined);
        await invoke(bench, 'undo-overwrite', { name: 'b.txt' });
        await invoke(bench, 'redo', { name: 'b.txt' });
        assert.equal(bench.read('b.txt'), 'mine\n');
        assert.equal(markOf(bench.sessionSet().files, 'b.txt'), undefined);
      }));

    it('records what it did before a file could not be written, so that it can be redone', () => {
      verifies('host.changes.undo-recorded');
      return inBench({ git, files: { 'a.txt': 'a\n', 'sub/b.txt': 'b\n', 'z.txt': 'z\n' } }, async (bench) => {
        await bench.turn('t1', () => {
          for (const name of ['a.txt', 'z.txt']) bench.write(name, 'agent\n');
          rmSync(bench.path('sub'), { recursive: true });
        });
        bench.write('sub', 'a file of mine where the folder was\n');
        const { _meta } = await invoke(bench, 'undo');
        assert.deepEqual(
          (_meta!['left'] as { name: string; reason: string }[]).map((it) => [it.name, it.reason]),
          [['b.txt', 'conflict']],
        );
        assert.deepEqual([bench.read('a.txt'), bench.read('z.txt')], ['a\n', 'z\n']);
        assert.equal(bench.read('sub'), 'a file of mine where the folder was\n');
        for (const state of [bench.sessionSet(), bench.turnSet('t1')])
          assert.deepEqual(names(state), new Set(['b.txt']));
        await invoke(bench, 'redo');
        assert.deepEqual([bench.read('a.txt'), bench.read('z.txt')], ['agent\n', 'agent\n']);
        assert.deepEqual(names(bench.sessionSet()), new Set(['a.txt', 'b.txt', 'z.txt']));
      });
    });

    it('leaves both sides of a rename as they are when one of them holds something else by now', () =>
      inBench({ git, files: { 'old.txt': 'a\nb\nc\n', 'other.txt': 'o\n' } }, async (bench) => {
        await bench.turn('t1', () => {
          rmSync(bench.path('old.txt'));
          bench.write('new.txt', 'a\nb\nc\n');
          bench.write('other.txt', 'agent\n');
        });
        bench.write('new.txt', 'a\nb\nmine\n');
        await invoke(bench, 'undo');
        assert.deepEqual(Object.keys(bench.tree()), ['new.txt', 'other.txt']);
        assert.deepEqual([bench.read('new.txt'), bench.read('other.txt')], ['a\nb\nmine\n', 'o\n']);
      }));

    it('takes back what it can, also behind the undo of a file that nobody kept', () => {
      verifies('host.changes.undo-recorded');
      return inBench(
        { git, files: { 'a.txt': 'a\n', 'b.txt': 'b\n' }, deps: { maxKeptBytes: 1_000 } },
        async (bench) => {
          await bench.turn('t1', () => {
            bench.write('a.txt', 'agent\n');
            bench.write('b.txt', 'x'.repeat(2_000));
          });
          await invoke(bench, 'undo', { name: 'a.txt' });
          await invoke(bench, 'undo', { name: 'b.txt' });
          assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], ['a\n', 'b\n']);
          await invoke(bench, 'redo');
          assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], ['agent\n', 'b\n']);
          for (const state of [bench.sessionSet(), bench.turnSet('t1')])
            assert.equal(operation(state, 'redo'), undefined);
        },
      );
    });

    it('overwrites nothing that cannot be kept', () => {
      verifies('host.changes.overwrite-kept');
      return inBench({ git, files: { 'a.txt': 'a\n' }, deps: { maxKeptBytes: 1_000 } }, async (bench) => {
        await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
        const mine = 'm'.repeat(2_000);
        bench.write('a.txt', mine);
        const { code, data } = await thrownBy(bench.invoke('undo-overwrite', { name: 'a.txt' }));
        assert.equal(code, 'conflict');
        assert.deepEqual(data.conflicts, [{ uri: bench.uri('a.txt'), name: 'a.txt' }]);
        assert.equal(bench.read('a.txt'), mine);
        assert.deepEqual(names(bench.sessionSet()), new Set(['a.txt']));
      });
    });
  });
}
