import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../../sidecar/protocol/channels/changeset/schema.ts';
import { files, inBench, three } from '../../../../../support/changes/changes.ts';

const names = (state: ChangesetState) =>
  state.files.map((it) => (it.edit.after ?? it.edit.before)!.uri.split('/').at(-1));
const canRedo = (state: ChangesetState) => state.operations!.some((it) => it.id === 'redo');

describe('the changesets of a session follow each other', () => {
  it('an undo of the session undoes the turn, and a redo brings both back', () =>
    inBench({}, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const before = bench.turnSet('t1').files;
      await bench.invoke('undo');
      assert.deepEqual([names(bench.turnSet('t1')), canRedo(bench.turnSet('t1'))], [[], true]);
      await bench.invoke('redo');
      assert.deepEqual(bench.turnSet('t1').files, before);
      assert.deepEqual([canRedo(bench.turnSet('t1')), canRedo(bench.sessionSet())], [false, false]);
    }));

  it('what was undone in the session can be redone in the turn, and the other way round', () =>
    inBench({}, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await bench.invoke('undo');
      await bench.invoke('redo', { turnId: 't1' });
      assert.deepEqual([bench.read('a.txt'), names(bench.sessionSet())], ['agent\n', ['a.txt']]);
      await bench.invoke('undo', { turnId: 't1' });
      assert.deepEqual([bench.read('a.txt'), names(bench.sessionSet())], [files['a.txt'], []]);
      await bench.invoke('redo');
      assert.deepEqual([bench.read('a.txt'), names(bench.turnSet('t1'))], ['agent\n', ['a.txt']]);
      assert.deepEqual([canRedo(bench.turnSet('t1')), canRedo(bench.sessionSet())], [false, false]);
    }));

  it('an undo of one file leaves the other files of the turn', () =>
    inBench({}, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('a.txt', 'agent\n');
        bench.write('new.txt', 'agent\n');
      });
      await bench.invoke('undo', { name: 'new.txt' });
      assert.deepEqual(names(bench.turnSet('t1')), ['a.txt']);
    }));

  it('an undo of one part changes that part in the turn', () =>
    inBench({}, async (bench) => {
      const agent = three.replace('line 10\n', 'ten\n').replace('line 200\n', '');
      await bench.turn('t1', () => bench.write('long.txt', agent));
      await bench.invoke('undo', { name: 'long.txt', range: [9, 10] });
      assert.deepEqual(bench.turnSet('t1').files[0]!.edit.diff, { added: 0, removed: 1 });
      assert.equal(canRedo(bench.turnSet('t1')), false);
    }));

  it('an undo of the session takes back only the latest of two turns that wrote the same file', () =>
    inBench({}, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'first\n'));
      await bench.turn('t2', () => bench.write('a.txt', 'second\n'));
      await bench.invoke('undo');
      assert.deepEqual([names(bench.turnSet('t1')), names(bench.turnSet('t2'))], [['a.txt'], []]);
      await bench.invoke('redo');
      assert.deepEqual(names(bench.turnSet('t2')), ['a.txt']);
    }));

  it('overwriting what a person wrote undoes the turn too', () =>
    inBench({}, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      bench.write('a.txt', 'mine\n');
      await bench.invoke('undo-overwrite');
      assert.deepEqual(names(bench.turnSet('t1')), []);
      await bench.invoke('redo', { turnId: 't1' });
      assert.equal(bench.read('a.txt'), 'mine\n');
      assert.deepEqual(names(bench.sessionSet()), ['a.txt']);
    }));
});
