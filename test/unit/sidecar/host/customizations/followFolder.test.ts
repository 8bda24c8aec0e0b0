import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { followFolder } from '../../../../../sidecar/host/customizations/followFolder.ts';
import { FolderWatch } from '../../../../../sidecar/host/customizations/watchFolders.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { stillTimers } from '../../../../support/manualTimers.ts';
import { until } from '../../../../support/until.ts';

describe('a folder of customizations that is followed', () => {
  let place: Workspace;
  let stop: () => void = () => undefined;
  beforeEach(() => {
    place = openWorkspace({ 'first.md': '1' });
  });
  afterEach(() => {
    stop();
    place.remove();
  });

  it('is read again where something came while it was read for the first time', async () => {
    const scanned: (readonly string[])[] = [];
    let reads = 0;
    stop = followFolder({
      root: place.path,
      async scan(files) {
        reads += 1;
        const names = ((await files.list(place.uri)) ?? []).map((it) => it.name);
        if (reads === 1) writeFileSync(join(place.path, 'second.md'), '2');
        return names;
      },
      onScanned: (found) => void scanned.push(found),
      onTrouble: (thrown) => assert.fail(String(thrown)),
      // What the watcher says later is not waited for.
      timers: stillTimers,
    });
    await until('it was read', () => scanned.length > 0);
    assert.deepEqual(scanned[0], ['first.md', 'second.md']);
  });

  it('is still watched when it was deleted and made again', async () => {
    const folder = join(place.path, 'rules');
    mkdirSync(folder);
    let changes = 0;
    const watching = new FolderWatch(() => void (changes += 1));
    stop = () => watching.close();
    assert.equal(watching.sync([folder]), true);
    assert.equal(watching.sync([folder]), false, 'it is watched already');
    mkdirSync(join(place.path, 'next'));
    renameSync(folder, join(place.path, 'gone'));
    renameSync(join(place.path, 'next'), folder);
    assert.equal(watching.sync([folder]), true, 'another folder stands there now');
    changes = 0;
    writeFileSync(join(folder, 'a.md'), 'a');
    await until('its change is noticed', () => changes > 0);
  });
});
