import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'mocha';
import { type ChangesBench, inBench, openBench } from '../../../../../support/changes/changes.ts';
import { until } from '../../../../../support/until.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
const begin = (bench: ChangesBench, turnId: string) =>
  bench.changes.beginTurn({ session: bench.session, turnId, folders: [bench.folder] });
const statusOf = (bench: ChangesBench, id: string) =>
  bench.sessionSet().operations?.find((it) => it.id === id)?.status ?? 'absent';

describe('the end of a turn', () => {
  it('counts once, so that nothing is undone while another turn runs', () =>
    inBench({ files }, async (bench) => {
      const first = await begin(bench, 't1');
      bench.write('a.txt', 'agent\n');
      await Promise.all([first.end(), first.end()]);
      await first.end();
      const second = await begin(bench, 't2');
      await assert.rejects(bench.invoke('undo'), { code: 'turn_in_progress' });
      assert.deepEqual([bench.sessionSet().status, statusOf(bench, 'undo')], ['recomputing', 'disabled']);
      await second.end();
      await bench.invoke('undo');
      assert.equal(bench.read('a.txt'), 'a\n');
    }));

  it('of one of two leaves the changeset of the session busy, and that of the turn ready', () =>
    inBench({ files }, async (bench) => {
      const [first, second] = [await begin(bench, 't1'), await begin(bench, 't2')];
      bench.write('a.txt', 'agent\n');
      await first.end();
      assert.deepEqual([bench.sessionSet().status, bench.turnSet('t1').status], ['computing', 'ready']);
      assert.equal(bench.turnSet('t2').status, 'computing');
      await assert.rejects(bench.invoke('undo', { turnId: 't1' }), { code: 'turn_in_progress' });
      await second.end();
      assert.deepEqual([bench.sessionSet().status, statusOf(bench, 'undo')], ['ready', 'idle']);
    }));

  /** Runs `work` while a folder of the host's data is not there. */
  async function without(bench: ChangesBench, name: string, work: () => Promise<void>): Promise<void> {
    const folder = join(dirname(bench.folder), 'data', name);
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, 'no folder');
    await work();
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
  }

  it('is one also where what it wrote could not be kept: the session can be undone again', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await bench.turn('t2', () => bench.write('b.txt', 'agent\n'));
      const turn = await begin(bench, 't3');
      bench.write('b.txt', 'what nobody kept yet\n');
      await without(bench, 'content', () => assert.rejects(turn.end(), Error));
      assert.deepEqual([bench.sessionSet().status, bench.turnSet('t3').status], ['ready', 'ready']);
      await bench.invoke('undo', { name: 'a.txt' });
      assert.equal(bench.read('a.txt'), 'a\n');
    }));

  it('reports that what was there before could not be handed over, and says that not all can be seen', async () => {
    const bench = await openBench({ files });
    try {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const turn = await begin(bench, 't2');
      bench.write('b.txt', 'agent\n');
      await without(bench, 'baselines', () => turn.end());
      assert.equal(bench.reports.length, 1);
      assert.match(
        turn.notices.join(),
        /Some changes from this turn may be missing because the folder could not be compared/,
      );
      assert.equal(bench.turnSet('t2').status, 'ready');
    } finally {
      await bench.close();
    }
  });

  it('is what an undo has to wait for that was asked for right before the turn began', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const undo = bench.invoke('undo');
      const beginning = begin(bench, 't2');
      await assert.rejects(undo, { code: 'turn_in_progress' });
      assert.equal(bench.read('a.txt'), 'agent\n');
      await (await beginning).end();
      assert.equal(statusOf(bench, 'undo'), 'idle');
    }));

  it('of a turn that could not begin is not waited for', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const folders = [`${bench.folder}\0`];
      await assert.rejects(bench.changes.beginTurn({ session: bench.session, turnId: 't2', folders }), Error);
      await bench.invoke('undo');
      assert.equal(bench.read('a.txt'), 'a\n');
      await bench.turn('t3', () => bench.write('a.txt', 'agent\n'));
      assert.equal(bench.sessionSet().status, 'ready');
    }));

  it('of a turn that could not begin leaves nothing busy, and the next turn begins once the disk allows it', async () => {
    const place = mkdtempSync(join(tmpdir(), 'end-of-turn-'));
    const blocked = join(place, 'blocked');
    writeFileSync(blocked, 'a file where the data of the host go');
    try {
      await inBench({ files, deps: { dataDir: join(blocked, 'data') } }, async (bench) => {
        await assert.rejects(begin(bench, 't1'), Error);
        assert.deepEqual([bench.sessionSet().status, bench.turnSet('t1').status], ['ready', 'ready']);
        rmSync(blocked);
        await bench.turn('t2', () => bench.write('a.txt', 'agent\n'));
        await bench.invoke('undo');
        assert.equal(bench.read('a.txt'), 'a\n');
      });
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  it('of a turn that could not begin leaves another that runs busy', () =>
    inBench({ files }, async (bench) => {
      const first = await begin(bench, 't1');
      const folders = [`${bench.folder}\0`];
      await assert.rejects(bench.changes.beginTurn({ session: bench.session, turnId: 't2', folders }), Error);
      assert.deepEqual([bench.sessionSet().status, statusOf(bench, 'undo')], ['computing', 'disabled']);
      await assert.rejects(bench.invoke('undo'), { code: 'turn_in_progress' });
      await first.end();
      assert.equal(bench.sessionSet().status, 'ready');
    }));

  it('takes what can be redone of a file away where the agent wrote that file again, and of no other', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => {
        for (const name of ['a.txt', 'b.txt']) bench.write(name, 'agent\n');
      });
      await bench.invoke('undo');
      await bench.turn('t2', () => bench.write('a.txt', 'agent again\n'));
      await assert.rejects(bench.invoke('redo', { name: 'a.txt' }), { code: 'not_found' });
      await bench.invoke('redo');
      assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], ['agent again\n', 'agent\n']);
      assert.equal(statusOf(bench, 'redo'), 'absent');
      await bench.invoke('undo');
      assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], ['a\n', 'b\n']);
    }));

  it('leaves a folder that was there before when the file in it is undone, and none that came with it', () =>
    inBench({ files }, async (bench) => {
      mkdirSync(bench.path('old'));
      // A folder counts as new if it was made less than 10 ms before the turn, because the clock of a file system runs behind.
      const { birthtimeMs } = statSync(bench.path('old'));
      await until('the folder is older than that', () => Date.now() - birthtimeMs > 15);
      await bench.turn('t1', () => bench.write('b.txt', 'agent\n'));
      await bench.turn('t2', () => {
        bench.write('old/x.txt', 'agent\n');
        bench.write('old/new/deep/y.txt', 'agent\n');
      });
      await bench.invoke('undo');
      assert.deepEqual(Object.keys(bench.tree()), ['a.txt', 'b.txt', 'old']);
      await bench.invoke('redo');
      assert.equal(bench.read('old/new/deep/y.txt'), 'agent\n');
      await bench.invoke('undo', { turnId: 't2' });
      assert.deepEqual(Object.keys(bench.tree()), ['a.txt', 'b.txt', 'old']);
    }));
});

describe('an undo of a part of a file', () => {
  it('that the disk does not allow takes nothing away of what can be redone', () =>
    inBench({ files: { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' } }, async (bench) => {
      const agent = 'ONE\ntwo\nTHREE\nfour\nFIVE\n';
      await bench.turn('t1', () => bench.write('a.txt', agent));
      await bench.invoke('undo', { name: 'a.txt', range: [0, 1] });
      const half = bench.read('a.txt');
      bench.write('a.txt', 'mine\n');
      await assert.rejects(bench.invoke('undo', { name: 'a.txt', range: [4, 5] }), { code: 'conflict' });
      assert.equal(statusOf(bench, 'redo'), 'idle');
      bench.write('a.txt', half);
      await bench.invoke('redo');
      assert.equal(bench.read('a.txt'), agent);
    }));

  it('can be redone once for the file, from the last of several', () =>
    inBench({ files: { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n' } }, async (bench) => {
      await bench.turn('t1', () => {
        bench.write('a.txt', 'ONE\ntwo\nthree\nfour\nFIVE\n');
        bench.write('b.txt', 'agent\n');
      });
      await bench.invoke('undo', { name: 'b.txt' });
      await bench.invoke('undo', { name: 'a.txt', range: [0, 1] });
      const half = bench.read('a.txt');
      await bench.invoke('undo', { name: 'a.txt' });
      assert.equal(bench.read('a.txt'), 'one\ntwo\nthree\nfour\nfive\n');
      await bench.invoke('redo', { name: 'a.txt' });
      assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], [half, 'b\n']);
      await bench.invoke('redo');
      assert.deepEqual([bench.read('a.txt'), bench.read('b.txt')], [half, 'agent\n']);
      assert.equal(statusOf(bench, 'redo'), 'absent');
    }));
});
