import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { describe, it } from 'mocha';
import { files, folderKinds, inBench, pixels, three } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

for (const { where, git } of folderKinds) {
  describe(`keep, undo and redo ${where}`, () => {
    it('refuse an undo where the person changed the file since, name it, and overwrite when told to', () =>
      inBench({ git }, async (bench) => {
        await bench.turn('t1', () => {
          bench.write('a.txt', 'agent\n');
          bench.write('long.txt', 'agent\n');
        });
        bench.write('a.txt', 'mine\n');
        type Refused = { code: string; data: { conflicts: unknown }; message: string };
        await assert.rejects(bench.invoke('undo', { name: 'a.txt' }), (it: Refused) => {
          assert.equal(it.code, 'conflict');
          assert.deepEqual(it.data.conflicts, [{ uri: bench.uri('a.txt'), name: 'a.txt' }]);
          return /a\.txt \(it has changed since/.test(it.message);
        });
        assert.deepEqual([bench.read('a.txt'), bench.read('long.txt')], ['mine\n', 'agent\n']);
        assert.equal(bench.sessionSet().operations!.find((it) => it.id === 'undo')!.status, 'error');
        await bench.invoke('undo-overwrite', { name: 'a.txt' });
        assert.equal(bench.read('a.txt'), files['a.txt']);
        await bench.invoke('redo', { name: 'a.txt' });
        assert.equal(bench.read('a.txt'), 'mine\n');
        await bench.invoke('undo', { name: 'long.txt' });
        assert.equal(bench.read('long.txt'), three);
      }));

    it('refuse undo while a turn runs, and allow keep', () =>
      inBench({ git }, async (bench) => {
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
      inBench({ git }, async (bench) => {
        await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
        await bench.invoke('keep', { name: 'a.txt' });
        assert.deepEqual([bench.sessionSet().files[0]!.reviewed, bench.turnSet('t1').files[0]!.reviewed], [true, true]);
        assert.equal(bench.sessionSet().operations!.find((it) => it.id === 'keep')!.status, 'disabled');
        await bench.turn('t2', () => bench.write('a.txt', 'again\n'));
        assert.equal(bench.sessionSet().files[0]!.reviewed, undefined);
      }));

    it('undo and keep one hunk of several', () =>
      inBench({ git }, async (bench) => {
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
      inBench({ git }, async (bench) => {
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

    it('refuse to undo a file that was too large to keep, with the reason', () =>
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
        assert.equal(thrown.code, 'content_not_found');
        assert.match(thrown.message, /too large/);
      }));

    it('let go of the contents of a session that was deleted, after the next start', () =>
      inBench({ git }, async (bench) => {
        await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
        const { uri } = bench.sessionSet().files[0]!.edit.after!.content;
        const again = await bench.reopen();
        assert.equal(Buffer.from(await again.changes.readContent(uri)).toString(), 'agent\n');
        await again.changes.forget(again.session);
        await assert.rejects(again.changes.readContent(uri), { code: 'content_not_found' });
        await again.close();
      }));

    it('never write through a folder that became a link to elsewhere', () =>
      inBench({ git }, async (bench) => {
        await bench.turn('t1', () => bench.write('dir/sub.txt', 'agent\n'));
        const elsewhere = `${bench.folder}-elsewhere`;
        renameSync(bench.path('dir'), elsewhere);
        symlinkSync(elsewhere, bench.path('dir'));
        await assert.rejects(bench.invoke('undo'), { code: 'forbidden' });
        assert.equal(readFileSync(`${elsewhere}/sub.txt`, 'latin1'), 'agent\n');
      }));

    it('ignore paths outside the folders, also through a link', () =>
      inBench({ git }, async (bench) => {
        const outside = `${bench.folder}-outside`;
        mkdirSync(outside);
        symlinkSync(outside, bench.path('out'));
        await bench.turn('t1', () => void execFileSync('sh', ['-c', 'echo x > out/f'], { cwd: bench.folder }), [
          'out/f',
          '../x',
        ]);
        assert.deepEqual(bench.sessionSet().files, []);
      }));

    it('say so when a folder is gone', () =>
      inBench({ git }, async (bench) => {
        const turn = await bench.changes.beginTurn({
          session: bench.session,
          turnId: 't1',
          folders: [bench.path('gone')],
        });
        await turn.end();
        assert.deepEqual(bench.sessionSet().files, []);
      }));

    it('survive a restart: kept, undone, still to be redone', () =>
      inBench({ git }, async (bench) => {
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
      inBench({ git }, async (bench) => {
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

    it('advertise a changeset of the session, one of what git has not, and templates for turns, all with review', () => {
      verifies('host.session.changesets');
      return inBench({ git }, async (bench) => {
        await bench.turn('t1', () => undefined);
        const { changesets = [] } = bench.store.state('session', bench.session) ?? {};
        assert.deepEqual(
          changesets.map((it) => [it.changeKind, it.capabilities]),
          [
            ['session', { review: {} }],
            ['turn', { review: {} }],
            ['uncommitted', { review: {} }],
            ['compare-turns', { review: {} }],
          ],
        );
      });
    });
  });
}

describe('changes in a folder without git', () => {
  it('say when a folder without git holds too many files', () =>
    inBench({ deps: { limits: { files: 3, bytes: 1_000_000 } } }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      assert.match(turn.notices.join(), /more than 3 files/);
      await turn.end();
    }));
});
