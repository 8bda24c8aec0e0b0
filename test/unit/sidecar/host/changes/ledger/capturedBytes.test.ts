import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'mocha';
import { type ChangesBench, folderKinds, inBench } from '../../../../../support/changes/changes.ts';

// Nobody looks after these: what they held is known from tool calls alone.
const files = { '.gitignore': 'node_modules\n', 'a.txt': 'a\n', 'node_modules/m.js': 'installed\n' };
const name = 'node_modules/m.js';

const begin = (bench: ChangesBench, turnId = 't1') =>
  bench.changes.beginTurn({ session: bench.session, turnId, folders: [bench.folder] });

for (const { where, git } of folderKinds) {
  describe(`a file that only tool calls know of ${where}`, () => {
    it('goes back to what it held before the first of several calls that follow each other without a look', () =>
      inBench({ git, files }, async (bench) => {
        const turn = await begin(bench);
        const path = bench.path(name);
        await turn.beginTool('one', [path]);
        bench.write(name, 'first\n');
        await turn.beginTool('two', [path]);
        bench.write(name, 'second\n');
        await turn.capture([path]);
        bench.write(name, 'third\n');
        await turn.end();
        assert.deepEqual(
          bench.turnSet('t1').files.map((it) => it.id),
          [bench.uri(name)],
        );
        await bench.invoke('undo');
        assert.equal(bench.read(name), 'installed\n');
      }));
  });
}

describe('a file that only tool calls know of', () => {
  it('is no change where the last call brought back what the first one found', () =>
    inBench({ files }, async (bench) => {
      const turn = await begin(bench);
      const path = bench.path(name);
      for (const text of ['first\n', 'installed\n']) {
        await turn.capture([path]);
        bench.write(name, text);
      }
      await turn.end();
      assert.deepEqual(bench.turnSet('t1').files, []);
    }));

  it('is removed by an undo where it was not there before the first call, whatever a later one found', () =>
    inBench({ files }, async (bench) => {
      const turn = await begin(bench);
      const path = bench.path('node_modules/new.js');
      await turn.capture([path]);
      bench.write('node_modules/new.js', 'first\n');
      await turn.capture([path]);
      bench.write('node_modules/new.js', 'second\n');
      await turn.end();
      await bench.invoke('undo');
      assert.equal('node_modules/new.js' in bench.tree(), false);
    }));

  it('begins anew in each turn', () =>
    inBench({ files }, async (bench) => {
      for (const [turnId, text] of [
        ['t1', 'first\n'],
        ['t2', 'second\n'],
      ] as const) {
        const turn = await begin(bench, turnId);
        await turn.capture([bench.path(name)]);
        bench.write(name, text);
        await turn.end();
      }
      await bench.invoke('undo', { turnId: 't2' });
      assert.equal(bench.read(name), 'first\n');
      await bench.invoke('undo');
      assert.equal(bench.read(name), 'installed\n');
    }));

  it('gives each of two calls at once its own edit', () =>
    inBench({ files }, async (bench) => {
      const turn = await begin(bench);
      const path = bench.path(name);
      const text = async (ref: { uri: string } | undefined) =>
        ref && Buffer.from(await bench.changes.readContent(ref.uri)).toString();
      const editOf = async (id: string) => {
        const [edit] = await turn.settleTool(id, [path]);
        return [await text(edit?.before?.content), await text(edit?.after?.content)];
      };
      await turn.beginTool('one', [path]);
      bench.write(name, 'first\n');
      await turn.beginTool('two', [path]);
      rmSync(path);
      assert.deepEqual(await editOf('two'), ['first\n', undefined]);
      bench.write(name, 'again\n');
      assert.deepEqual(await editOf('one'), ['installed\n', 'again\n']);
      // A call that said nothing of the file before: what moved since the last look.
      bench.write(name, 'once more\n');
      assert.deepEqual(await editOf('three'), ['again\n', 'once more\n']);
      bench.write(name, 'last\n');
      assert.deepEqual(await editOf('one'), ['once more\n', 'last\n']);
      await turn.end();
    }));

  it('goes back to what the folder held before the turn where that is known, whatever a later call found', () =>
    inBench({ files }, async (bench) => {
      for (const isSeen of [true, false]) {
        const turn = await begin(bench, isSeen ? 't1' : 't2');
        bench.write('a.txt', 'first\n');
        if (isSeen) await turn.settle();
        await turn.capture([bench.path('a.txt')]);
        bench.write('a.txt', 'second\n');
        await turn.end();
        await bench.invoke('undo', { turnId: isSeen ? 't1' : 't2' });
        assert.equal(bench.read('a.txt'), 'a\n');
      }
    }));
});
