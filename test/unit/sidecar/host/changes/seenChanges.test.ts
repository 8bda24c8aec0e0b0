import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'mocha';
import { files, folderKinds, inBench, lines, sha } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

for (const { where, git } of folderKinds) {
  describe(`what an agent did ${where}`, () => {
    it('answer what one tool did, and all of the turn', () =>
      inBench({ git }, async (bench) => {
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

    it('keep what the session began with, though a file comes back to it in the middle of a later turn', () => {
      verifies('host.changes.undo-recorded');
      return inBench({ git }, async (bench) => {
        await bench.turn('t1', () => {
          bench.write('a.txt', 'agent\n');
          bench.write('new.txt', 'agent\n');
        });
        const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't2', folders: [bench.folder] });
        bench.write('a.txt', files['a.txt']);
        rmSync(bench.path('new.txt'));
        await turn.settle();
        bench.write('a.txt', 'agent\n');
        bench.write('new.txt', 'agent\n');
        await turn.end();
        assert.deepEqual(bench.turnSet('t2').files, []);
        assert.equal(bench.sessionSet().files.length, 2);
        await bench.invoke('undo');
        assert.equal(bench.read('a.txt'), files['a.txt']);
        assert.equal('new.txt' in bench.tree(), false);
      });
    });

    it('give each tool call its own edits, and the changesets those of the whole turn', () =>
      inBench({ git }, async (bench) => {
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
      inBench({ git }, async (bench) => {
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
      inBench({ git }, async (bench) => {
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
}
