import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'mocha';
import type { ChangesetState } from '../../../../../sidecar/protocol/channels/changeset/schema.ts';
import type { InvokeChangesetOperationResult } from '../../../../../sidecar/protocol/commands.ts';
import { compareTurnsTemplate, parseSessionUri, turnChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { type ChangesBench, inBench } from '../../../../support/changes/changes.ts';
import { until } from '../../../../support/until.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
const begin = (bench: ChangesBench, turnId: string) =>
  bench.changes.beginTurn({ session: bench.session, turnId, folders: [bench.folder] });
const reviewed = ({ files: all }: ChangesetState) =>
  all.filter((it) => it.reviewed).map((it) => it.id.split('/').at(-1));
const comparison = (bench: ChangesBench, original: string, modified: string) =>
  compareTurnsTemplate(parseSessionUri(bench.session)!)
    .replace('{originalTurnId}', original)
    .replace('{modifiedTurnId}', modified);
const statusOf = ({ operations = [] }: ChangesetState, id: string) => operations.find((it) => it.id === id)?.status;

describe('the changesets of a session', () => {
  it('are kept by file: another one with the same bytes is still to be looked at', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => {
        for (const name of ['a.txt', 'b.txt', 'c.txt']) bench.write(name, 'agent\n');
      });
      await bench.invoke('keep', { name: 'b.txt' });
      assert.deepEqual(reviewed(bench.sessionSet()), ['b.txt']);
      assert.deepEqual(reviewed(bench.turnSet('t1')), ['b.txt']);
    }));

  it('are kept by bytes: what an earlier turn wrote was not looked at with what a later one did', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'first\n'));
      await bench.turn('t2', () => bench.write('a.txt', 'second\n'));
      await bench.invoke('keep');
      assert.deepEqual(reviewed(bench.sessionSet()), ['a.txt']);
      assert.deepEqual(reviewed(bench.turnSet('t2')), ['a.txt']);
      assert.deepEqual(reviewed(bench.turnSet('t1')), []);
    }));

  it('are worked on one operation after the other, in the order in which they were asked for', () => {
    let count = 0;
    // The first time it takes longest to find out where the folders are.
    const foldersOf = async () => {
      count += 1;
      for (let n = count; n < 3; n += 1) await new Promise((resolve) => void setImmediate(resolve));
      return [folder];
    };
    let folder = '';
    return inBench({ files, deps: { foldersOf } }, async (bench) => {
      folder = bench.folder;
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await Promise.all([bench.invoke('undo'), bench.invoke('redo')]);
      assert.equal(bench.read('a.txt'), 'agent\n');
      await assert.rejects(bench.invoke('merge'), { code: 'invalid_params' }); // a failure is in nobody's way
      await bench.invoke('undo');
      assert.equal(bench.read('a.txt'), 'a\n');
    });
  });

  it('still say what can be redone after a turn that touched none of it', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await bench.invoke('undo');
      await bench.turn('t2', () => bench.write('b.txt', 'agent\n'));
      await bench.invoke('redo');
      assert.equal(bench.read('a.txt'), 'agent\n');
    }));

  it('offer no undo while a turn runs, whichever turn they are of, and offer it again after a kill', () =>
    inBench({ files, deps: { isWatched: () => true } }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      assert.equal(statusOf(bench.turnSet('t1'), 'undo'), 'idle');
      const turn = await begin(bench, 't2');
      const all = (of: ChangesBench) => [of.sessionSet(), of.turnSet('t1')].map((it) => statusOf(it, 'undo'));
      assert.deepEqual(all(bench), ['disabled', 'disabled']);
      bench.write('b.txt', 'agent\n');
      await turn.settle();
      const again = await bench.reopen();
      assert.deepEqual(all(again), ['disabled', 'disabled']);
      again.changes.recover(again.session);
      assert.deepEqual(all(again), ['idle', 'idle']);
      assert.equal(statusOf(again.turnSet('t2'), 'undo'), 'idle');
      assert.deepEqual([again.sessionSet().status, again.turnSet('t2').status], ['ready', 'ready']);
      await again.close();
    }));

  it('cost a turn the same however many there are: those that nobody looks at change when somebody does', () => {
    let watched: string | undefined;
    return inBench({ files, deps: { isWatched: (it) => it === watched } }, async (bench) => {
      const channels: string[] = [];
      bench.store.onWritten(({ envelope }) => void channels.push(envelope.channel));
      const committed = () => {
        bench.store.flush();
        return new Set(channels.splice(0));
      };
      const uriOf = (turnId: string) => turnChangesetUri(parseSessionUri(bench.session)!, turnId);
      for (const turnId of ['t1', 't2', 't3']) await bench.turn(turnId, () => bench.write('a.txt', `${turnId}\n`));
      committed();
      watched = uriOf('t2');
      await bench.changes.look(watched, true);
      const turn = await begin(bench, 't4');
      const undo = () => ['t1', 't2', 't3'].map((it) => statusOf(bench.turnSet(it), 'undo'));
      assert.deepEqual(undo(), ['idle', 'disabled', 'idle']);
      const third = uriOf('t3');
      const touched = committed();
      assert.deepEqual(
        [uriOf('t1'), third].filter((it) => touched.has(it)),
        [],
      );

      watched = third;
      await bench.changes.look(third, true);
      assert.deepEqual(undo(), ['idle', 'disabled', 'disabled']);
      await turn.end();
      assert.deepEqual(undo(), ['idle', 'idle', 'idle']);
      committed();
      await bench.turn('t5', () => undefined);
      assert.deepEqual([...committed()].filter((it) => it.startsWith(uriOf(''))).sort(), [third, uriOf('t5')]);
    });
  });

  it('offer no undo while a turn runs also after an operation that reached those that nobody looks at', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const turn = await begin(bench, 't2');
      await bench.invoke('keep');
      assert.deepEqual(
        ['keep', 'undo'].map((it) => statusOf(bench.turnSet('t1'), it)),
        ['disabled', 'disabled'],
      );
      await turn.end();
      assert.deepEqual(
        ['keep', 'undo'].map((it) => statusOf(bench.turnSet('t1'), it)),
        ['disabled', 'idle'],
      );
    }));

  it('are counted for the session as soon as something changed, and after each operation', () =>
    inBench({ files }, async (bench) => {
      const turn = await begin(bench, 't1');
      bench.write('a.txt', 'agent\nmore\n');
      await turn.settle();
      assert.deepEqual(bench.totals.at(-1), { additions: 2, deletions: 1, files: 1 });
      await turn.end();
      await bench.invoke('undo');
      assert.deepEqual(bench.totals.at(-1), { additions: 0, deletions: 0, files: 0 });
      await bench.invoke('redo', { turnId: 't1' });
      assert.deepEqual(bench.totals.at(-1), { additions: 2, deletions: 1, files: 1 });
    }));

  it('are advertised once, however many turns there are', () =>
    inBench({ files }, async (bench) => {
      const types: string[] = [];
      bench.store.onWritten(({ envelope }) => void types.push(envelope.action.type));
      for (const turnId of ['t1', 't2', 't3']) await bench.turn(turnId, () => undefined);
      bench.store.flush();
      assert.equal(types.filter((it) => it === 'session/changesetsChanged').length, 1);
    }));

  it('become a patch also while a turn runs', () =>
    inBench({ files, git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const turn = await begin(bench, 't2');
      const { followUp } = (await bench.invoke('patch')) as InvokeChangesetOperationResult;
      const patch = Buffer.from(await bench.changes.readContent(followUp!.content.uri)).toString();
      assert.match(patch, /^-a\n\+agent$/m);
      await assert.rejects(bench.invoke('stage'), { code: 'turn_in_progress' });
      await turn.end();
      assert.equal(bench.git('status', '--porcelain'), ' M a.txt\n');
    }));

  it('leave the other side of a rename where the file could not be put back', () =>
    inBench({ files: { 'old.txt': 'one\ntwo\nthree\nfour\n' } }, async (bench) => {
      await bench.turn('t1', () => {
        rmSync(bench.path('old.txt'));
        bench.write('new.txt', 'one\ntwo\nthree\nFOUR\n');
      });
      const { nonce = '' } = bench.sessionSet().files[0]!.edit.before!.content;
      rmSync(join(dirname(bench.folder), 'data', 'content', nonce.slice(0, 2), nonce));
      await assert.rejects(bench.invoke('undo'), { code: 'content_not_found' });
      assert.deepEqual(Object.keys(bench.tree()), ['new.txt']);
      assert.equal(bench.sessionSet().files.length, 1);
    }));

  it('name what is kept for a session by its last name only', () =>
    inBench({ files }, async (bench) => {
      const { uri } = await bench.changes.keepContent(bench.session, '/home/me/out.txt', Buffer.from('x'));
      assert.match(uri, /^host-content:\/[0-9a-f]{64}\/out\.txt$/);
    }));
});

describe('two turns that are compared', () => {
  it('are compared again whenever something changed in the session, as long as somebody looks', () => {
    let isWatched = true;
    return inBench({ files, deps: { isWatched: () => isWatched } }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 't1\n'));
      const turn = await begin(bench, 't2');
      const view = comparison(bench, 't1', 't2');
      const shown = () => bench.store.state('changeset', view)?.files.map((it) => it.id.split('/').at(-1));
      const shows = (count: number) =>
        until(`${count} files differ`, () => shown()?.length === count, {
          seen: () => bench.store.state('changeset', view),
        });
      await bench.changes.ensureChannel(view);
      await bench.changes.look(view, false);
      await until('it was compared', () => bench.store.state('changeset', view)?.status === 'ready');
      await bench.changes.ensureChannel(comparison(bench, 't2', 't1')); // another view lets go of none
      bench.write('a.txt', 't2\n');
      await turn.settle();
      await shows(1);
      await turn.end();
      await bench.invoke('undo', { turnId: 't2' });
      await shows(0);
      await bench.invoke('redo', { turnId: 't2' });
      await shows(1);
      isWatched = false;
      bench.changes.sweep();
      assert.equal(shown(), undefined);
      isWatched = true;
      await bench.changes.look(view, false);
      assert.equal(shown(), undefined);
    });
  });
});
