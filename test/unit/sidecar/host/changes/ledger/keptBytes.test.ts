import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { InvokeChangesetOperationResult } from '../../../../../../sidecar/protocol/commands.ts';
import type { ContentRef } from '../../../../../../sidecar/protocol/shared.ts';
import { type ChangesBench, inBench } from '../../../../../support/changes/changes.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n' };
const text = async (bench: ChangesBench, ref: ContentRef | undefined) =>
  ref && Buffer.from(await bench.changes.readContent(ref.uri)).toString();

describe('after a restart that let go of what nobody refers to', () => {
  const afterCollection = async (bench: ChangesBench, work: (again: ChangesBench) => Promise<void>) => {
    const again = await bench.reopen();
    await again.changes.collect();
    await work(again);
    await again.close();
  };

  it('what an undo overwrote of a person can still be put back, and what it undid as well', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      bench.write('a.txt', 'mine\n');
      await bench.invoke('undo-overwrite');
      await afterCollection(bench, async (again) => {
        await again.invoke('redo');
        assert.equal(again.read('a.txt'), 'mine\n');
        await again.invoke('undo-overwrite');
        assert.equal(again.read('a.txt'), 'a\n');
      });
    }));

  it('the edits of each tool call can still be read, also where the turn went on', () =>
    inBench({ files }, async (bench) => {
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [bench.folder] });
      const refs: (ContentRef | undefined)[] = [];
      for (const [id, content] of [
        ['one', 'first\n'],
        ['two', 'second\n'],
        ['three', 'third\n'],
      ] as const) {
        await turn.beginTool(id, [bench.path('a.txt')]);
        bench.write('a.txt', content);
        const [edit] = await turn.settleTool(id, [bench.path('a.txt')]);
        refs.push(edit?.before?.content, edit?.after?.content);
      }
      await turn.end();
      await afterCollection(bench, async (again) => {
        const texts = await Promise.all(refs.map((it) => text(again, it)));
        assert.deepEqual(texts, ['a\n', 'first\n', 'first\n', 'second\n', 'second\n', 'third\n']);
      });
    }));

  it('a part that was undone can be redone, and one that was kept stays undoable', () =>
    inBench({ files: { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n' } }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'one\n2\n3\nfour\n5\n6\nseven\n'));
      await bench.invoke('keep', { name: 'a.txt', range: [0, 1] });
      await bench.invoke('undo', { name: 'a.txt', range: [6, 7] });
      assert.equal(bench.read('a.txt'), 'one\n2\n3\nfour\n5\n6\n7\n');
      await afterCollection(bench, async (again) => {
        await again.invoke('redo');
        assert.equal(again.read('a.txt'), 'one\n2\n3\nfour\n5\n6\nseven\n');
        await again.invoke('undo');
        assert.equal(again.read('a.txt'), 'one\n2\n3\n4\n5\n6\n7\n');
      });
    }));

  it('a patch and the large output of a tool can still be read', () =>
    inBench({ files, git: true }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      const { followUp } = (await bench.invoke('patch')) as InvokeChangesetOperationResult;
      const kept = await bench.changes.keepContent(bench.session, 'out.txt', Buffer.from('output'));
      await afterCollection(bench, async (again) => {
        assert.match((await text(again, followUp!.content)) ?? '', /^\+agent$/m);
        assert.equal(await text(again, kept), 'output');
        await again.changes.forget(again.session);
        await assert.rejects(again.changes.readContent(kept.uri), { code: 'content_not_found' });
      });
    }));
});

describe('a changeset that is the same as before', () => {
  it('is not sent again: neither what was kept, nor its operations, nor its state', () =>
    inBench({ files }, async (bench) => {
      await bench.turn('t1', () => bench.write('a.txt', 'agent\n'));
      await bench.invoke('keep');
      const types: string[] = [];
      bench.store.flush();
      bench.store.onWritten(({ envelope }) => void types.push(envelope.action.type));
      await bench.invoke('keep');
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't2', folders: [bench.folder] });
      for (let n = 0; n < 3; n += 1) await turn.settle();
      await turn.end();
      bench.changes.recover(bench.session);
      bench.store.flush();
      const count = (type: string) => types.filter((it) => it === `changeset/${type}`).length;
      assert.deepEqual([count('filesReviewChanged'), count('fileSet'), count('contentChanged')], [0, 0, 0]);
      assert.equal(count('statusChanged'), 4); // of the session and of the turn, at its beginning and at its end
    }));
});
