import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'mocha';
import { recordedFolders } from '../../../../../sidecar/host/changes/snapshots/insideFolders.ts';
import { type ChangesBench, inBench } from '../../../../support/changes/changes.ts';
import { verifies } from '../../../../support/verifies.ts';

const files = { 'a.txt': 'a\n', 'deep/er/b.txt': 'b\n' };
const remove = (bench: ChangesBench) => rmSync(bench.folder, { recursive: true });
const inFolder = (work: (bench: ChangesBench) => Promise<void>) => inBench({ files }, work);

describe("an agent that deletes its session's folder", () => {
  it('is undone: the folder is made again, with all that was in it, and redone', () => {
    verifies('host.changes.deleted-folder');
    return inFolder(async (bench) => {
      const before = bench.tree();
      await bench.turn('t1', () => remove(bench));
      assert.equal(bench.sessionSet().files.length, 2);
      await bench.invoke('undo');
      assert.deepEqual(bench.tree(), before);
      await bench.invoke('redo');
      assert.deepEqual(
        Object.keys(bench.tree()).filter((it) => it.endsWith('.txt')),
        [],
      );
      await bench.invoke('undo', { name: 'deep/er/b.txt' });
      assert.equal(bench.read('deep/er/b.txt'), 'b\n');
    });
  });

  it('is undone with the folders above it that are gone too', () => {
    verifies('host.changes.deleted-folder');
    return inFolder(async (bench) => {
      const inner = bench.path('deep');
      const turn = await bench.changes.beginTurn({ session: bench.session, turnId: 't1', folders: [inner] });
      remove(bench);
      await turn.end();
      await bench.invoke('undo');
      assert.equal(bench.read('deep/er/b.txt'), 'b\n');
    });
  });

  const elsewhere = (bench: ChangesBench) => {
    const folder = join(dirname(bench.folder), 'elsewhere');
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    for (const name of Object.keys(files)) writeFileSync(join(folder, name), 'not yours\n');
    return folder;
  };
  const untouched = (folder: string) => {
    assert.deepEqual(
      readdirSync(folder).toSorted((a, b) => a.localeCompare(b)),
      ['a.txt', 'deep'],
    );
    for (const name of Object.keys(files)) assert.equal(readFileSync(join(folder, name), 'utf8'), 'not yours\n');
  };

  for (const operation of ['undo', 'undo-overwrite']) {
    it(`and puts a link to elsewhere in its place gets nothing written there by ${operation}`, () => {
      verifies('host.changes.deleted-folder');
      return inFolder(async (bench) => {
        const folder = elsewhere(bench);
        await bench.turn('t1', () => {
          remove(bench);
          symlinkSync(folder, bench.folder);
        });
        await assert.rejects(bench.invoke(operation), { code: 'forbidden' });
        untouched(folder);
      });
    });

    it(`whose parent became a link to elsewhere since gets nothing written there by ${operation}`, () => {
      verifies('host.changes.deleted-folder');
      return inFolder(async (bench) => {
        const folder = elsewhere(bench);
        await bench.turn('t1', () => bench.write('deep/er/b.txt', 'agent\n'));
        renameSync(bench.path('deep'), bench.path('moved'));
        symlinkSync(join(folder, 'deep'), bench.path('deep'));
        await assert.rejects(bench.invoke(operation), { code: 'forbidden' });
        untouched(folder);
        assert.equal(bench.read('moved/er/b.txt'), 'agent\n');
      });
    });
  }

  it('and puts a link to nothing in its place gets nothing made behind it', () => {
    verifies('host.changes.deleted-folder');
    return inFolder(async (bench) => {
      const nowhere = join(dirname(bench.folder), 'nowhere');
      await bench.turn('t1', () => {
        remove(bench);
        symlinkSync(nowhere, bench.folder);
      });
      await assert.rejects(bench.invoke('undo'), { code: 'forbidden' });
      assert.equal(statSync(nowhere, { throwIfNoEntry: false }), undefined);
    });
  });

  it('and puts a file in its place leaves that file, and is told', () =>
    inFolder(async (bench) => {
      await bench.turn('t1', () => remove(bench));
      writeFileSync(bench.folder, 'mine\n');
      await assert.rejects(bench.invoke('undo'), { code: 'conflict' });
      assert.equal(readFileSync(bench.folder, 'utf8'), 'mine\n');
    }));
});

describe("an agent that deletes its session's repository", () => {
  it('is told of: files that only the repository held are named as lost, the others are undone', () => {
    verifies('host.changes.deleted-folder');
    return inBench({ git: true, files }, async (bench) => {
      bench.write('a.txt', 'not committed\n');
      bench.write('new.txt', 'not added\n');
      await bench.turn('t1', () => remove(bench), ['deep/er/b.txt']);
      assert.equal(bench.sessionSet().files.length, 3);
      await bench.invoke('undo');
      assert.deepEqual(
        ['a.txt', 'new.txt', 'deep/er/b.txt'].map((it) => bench.read(it)),
        ['not committed\n', 'not added\n', 'b\n'],
      );
    });
  });

  it('is told of each file whose bytes went with it', () =>
    inBench({ git: true, files }, async (bench) => {
      await bench.turn('t1', () => remove(bench), ['a.txt']);
      const { _meta } = (await bench.invoke('undo')) as { _meta: { left: object[] } };
      assert.deepEqual(_meta.left, [
        {
          uri: bench.uri('deep/er/b.txt'),
          name: 'b.txt',
          reason: 'notKept',
          message: 'its content existed only in its Git repository, which was also deleted',
        },
      ]);
      assert.equal(bench.read('a.txt'), 'a\n');
    }));
});

describe('where a folder that is gone was', () => {
  it('is found behind a link to it too, and of a folder that is there it is its real path', () =>
    inFolder(async (bench) => {
      const link = join(dirname(bench.folder), 'link');
      symlinkSync('ws', link);
      assert.deepEqual(await recordedFolders([link, bench.folder]), [bench.folder, bench.folder]);
      remove(bench);
      assert.deepEqual(await recordedFolders([link, join(link, 'deep')]), [bench.folder, bench.path('deep')]);
      rmSync(link);
      symlinkSync('link', link);
      assert.deepEqual(await recordedFolders([link]), []);
    }));
});
