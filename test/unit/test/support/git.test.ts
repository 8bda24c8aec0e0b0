import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { gitFolder, unpackDebian } from '../../../support/changes/git.ts';

describe('the git of the tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-git-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const program = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o755 });

  it('is the one on PATH, where there is one', async () => {
    program('git', '#!/bin/sh\nexit 0\n');
    assert.equal(await gitFolder({ PATH: folder }), undefined);
  });

  it('is unpacked from a package that apt downloads, and nothing else of apt stays', async () => {
    program('apt-get', '#!/bin/sh\ncase "$*" in *download\\ git) : > git_1.deb ;; esac\n');
    program('dpkg-deb', '#!/bin/sh\n[ "$1" = --extract ] && [ -f "$2" ] && : > "$3/unpacked"\n');
    await unpackDebian('git', folder, { PATH: folder });
    assert.deepEqual(
      ['unpacked', 'apt'].map((it) => existsSync(join(folder, it))),
      [true, false],
    );
  });

  it('is missing with a word why, where apt is missing or downloads nothing', async () => {
    await assert.rejects(unpackDebian('git', folder, { PATH: folder }), /apt-get ENOENT/);
    program('apt-get', '#!/bin/sh\ncase "$*" in *update) exit 0 ;; esac\necho "E: no such package" >&2\nexit 100\n');
    await assert.rejects(unpackDebian('git', folder, { PATH: folder }), /E: no such package/);
  });
});
