import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { CustomizationFiles } from '../../../../../sidecar/host/customizations/files.ts';
import { followFolder } from '../../../../../sidecar/host/customizations/followFolder.ts';
import { FolderWatch } from '../../../../../sidecar/host/customizations/watchFolders.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { type Later, later } from '../../../../support/later.ts';
import { until } from '../../../../support/until.ts';

/** A watch of the system that says what the test says. */
class Watcher extends EventEmitter {
  readonly path: string;
  isClosed = false;
  constructor(path: string, listener: () => void) {
    super();
    this.path = path;
    this.on('change', listener);
  }
  close(): void {
    this.isClosed = true;
  }
}

const moments = async () => {
  for (let n = 0; n < 10; n += 1) await new Promise((resolve) => void setImmediate(resolve));
};

describe('changes of folders that are followed', () => {
  let place: Workspace;
  let watchers: Watcher[];
  let refused: (path: string) => string | undefined;
  beforeEach(() => {
    place = openWorkspace({ 'a/one.md': '1', 'b/two.md': '2', 'c/three.md': '3' });
    [watchers, refused] = [[], () => undefined];
    mock.method(fs, 'watch', (path: string, _options: unknown, listener: () => void) => {
      const code = refused(path);
      if (code) throw Object.assign(new Error('no watch'), { code });
      watchers.push(new Watcher(path, listener));
      return watchers.at(-1);
    });
    syncBuiltinESMExports();
  });
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
    place.remove();
  });
  const at = (...names: string[]) => join(place.path, ...names);
  const open = () => watchers.filter((it) => !it.isClosed).map((it) => it.path.slice(place.path.length + 1));
  const change = (path: string) => {
    for (const it of watchers) if (it.path === path && !it.isClosed) it.emit('change');
  };

  describe('by one watch for each', () => {
    it('are noticed in exactly those that were asked for last', () => {
      const watching = new FolderWatch(() => undefined);
      assert.equal(watching.sync([at('a'), at('b')]), true);
      assert.equal(watching.sync([at('b'), at('c')]), true);
      assert.deepEqual(open(), ['b', 'c']);
      assert.equal(watching.sync([at('b')]), false);
      assert.deepEqual(open(), ['b']);
      watching.close();
      assert.deepEqual(open(), []);
    });

    it('count as not noticed so far where one of several was not watched, whichever it is', () => {
      refused = (path) => (path === at('b') ? 'ENOSPC' : undefined);
      const watching = new FolderWatch(() => undefined);
      assert.equal(watching.sync([at('a'), at('b')]), true);
      assert.equal(watching.sync([at('a'), at('b')]), false, 'it is tried again, in vain');
      assert.equal(watching.sync([at('b')]), false);
      refused = () => 'EACCES';
      assert.throws(() => watching.sync([at('c')]), { code: 'EACCES' });
    });

    it('include that a watch broke', () => {
      let changes = 0;
      const watching = new FolderWatch(() => void (changes += 1));
      watching.sync([at('a')]);
      watchers[0]!.emit('error', new Error('gone'));
      assert.equal(changes, 1);
      watching.close();
    });
  });

  describe('by a scan', () => {
    let scans: Later<string>[];
    let looks: (files: CustomizationFiles) => Promise<unknown>;
    let scanned: string[];
    let due: Set<() => void>;
    let troubles: unknown[];
    beforeEach(() => {
      [scans, scanned, due, troubles] = [[], [], new Set(), []];
      looks = (files) => files.list(place.uriOf('a'));
    });
    const follow = () =>
      followFolder<string>({
        root: place.path,
        async scan(files) {
          await looks(files);
          scans.push(later());
          return scans.at(-1)!.promise;
        },
        onScanned: (found) => void scanned.push(found),
        onTrouble: (thrown) => void troubles.push(thrown),
        timers: {
          after(_delayMs, work) {
            due.add(work);
            return () => void due.delete(work);
          },
        },
      });
    const answer = async (found: string) => {
      scans.at(-1)!.resolve(found);
      await moments();
    };
    const asked = (count: number) => until(`scan ${count} began`, () => scans.length === count);
    const pass = () => {
      for (const work of [...due]) {
        due.delete(work);
        work();
      }
    };
    /** The first scan is not watched while it runs, so there are two. */
    const settled = async () => {
      const stop = follow();
      await asked(1);
      await answer('unwatched');
      await asked(2);
      await answer('first');
      assert.deepEqual([scanned, due.size], [['first'], 0]);
      return stop;
    };

    it('are read once for several, and nothing is read while nothing changes', async () => {
      const stop = await settled();
      change(at('a'));
      change(at('a'));
      assert.equal(due.size, 1);
      pass();
      await asked(3);
      await answer('second');
      assert.deepEqual([scanned, due.size, scans.length], [['first', 'second'], 0, 3]);
      change(at('a'));
      assert.equal(due.size, 1, 'the next change counts as well');
      stop();
    });

    it('are read once more where they come while it is read, after that reading', async () => {
      const stop = await settled();
      change(at('a'));
      pass();
      await asked(3);
      change(at('a'));
      assert.equal(due.size, 0, 'it is still being read');
      await answer('second');
      assert.equal(due.size, 1);
      pass();
      await asked(4);
      await answer('third');
      assert.deepEqual([scanned, due.size], [['first', 'second', 'third'], 0]);
      stop();
    });

    it('are read after a reading that failed, too', async () => {
      const stop = await settled();
      change(at('a'));
      pass();
      await asked(3);
      scans[2]!.reject(new Error('denied'));
      await moments();
      assert.deepEqual([troubles.length, due.size], [1, 0]);
      change(at('a'));
      pass();
      await asked(4);
      await answer('again');
      assert.deepEqual(scanned, ['first', 'again']);
      stop();
    });

    it('concern the folder of a file of which nothing but the file is read', async () => {
      looks = (files) => files.read(place.uriOf('b/two.md'));
      const stop = await settled();
      change(at('b'));
      assert.equal(due.size, 1);
      stop();
    });

    it('are of no interest after the end: what was due is not read', async () => {
      const stop = await settled();
      change(at('a'));
      stop();
      assert.deepEqual([due.size, open()], [0, []]);
      for (const it of watchers) it.emit('change');
      assert.equal(due.size, 0);
    });

    it('are of no interest after the end: what is being read is not told, and nothing is watched again', async () => {
      const stop = await settled();
      change(at('a'));
      pass();
      await asked(3);
      change(at('a'));
      stop();
      await answer('too late');
      assert.deepEqual([scanned, due.size, open()], [['first'], 0, []]);
    });
  });
});
