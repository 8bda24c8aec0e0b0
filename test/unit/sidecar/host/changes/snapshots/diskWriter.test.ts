import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { writeDisk } from '../../../../../../sidecar/host/changes/snapshots/diskWriter.ts';
import type { FileState } from '../../../../../../sidecar/host/changes/snapshots/fileState.ts';

const bytes = Buffer.from('what was there\n');
const read = () => Promise.resolve(bytes);
const file: FileState = { kind: 'file', mode: 0o644, sha: 'x', size: bytes.length };
const link: FileState = { ...file, kind: 'link', mode: 0o777 };
const absent: FileState = { kind: 'absent' };

describe('a file that is put back', () => {
  let root: string;
  let top: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'disk-writer-')));
    top = join(root, 'top');
    mkdirSync(top);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const make = (...folders: string[]) => folders.forEach((it) => void mkdirSync(join(top, it), { recursive: true }));
  const tree = () => readdirSync(top, { recursive: true, encoding: 'utf8' }).toSorted();
  const put = (name: string, state: FileState, emptyFolders?: number) =>
    writeDisk(join(top, name), state, [top], read, emptyFolders);

  it('takes the place of a folder that holds folders only', async () => {
    make('a/one/two', 'a/three');
    await put('a', file);
    assert.deepEqual(tree(), ['a']);
    assert.equal(readFileSync(join(top, 'a'), 'utf8'), bytes.toString());
  });

  for (const { holds, fill } of [
    { holds: 'a file', fill: (path: string) => writeFileSync(path, 'mine') },
    { holds: 'a link', fill: (path: string) => symlinkSync('nowhere', path) },
    { holds: 'a pipe', fill: (path: string) => void execFileSync('mkfifo', [path]) },
  ]) {
    for (const state of [file, link])
      it(`leaves every folder in its way, however empty, where one of them holds ${holds} (${state.kind})`, async () => {
        // Whatever the order in which a system lists them, an empty one comes before the one that is not.
        make(...Array.from({ length: 20 }, (_, n) => `a/${n}/inner`));
        fill(join(top, 'a/10/inner/it'));
        const before = tree();
        await assert.rejects(put('a', state), { code: 'conflict' });
        assert.deepEqual(tree(), before);
      });
  }

  it('leaves a pipe in its place', async () => {
    execFileSync('mkfifo', [join(top, 'a')]);
    await assert.rejects(put('a', file), { code: 'conflict' });
    assert.equal(statSync(join(top, 'a')).isFIFO(), true);
    assert.deepEqual(tree(), ['a']);
  });

  it('is refused where a file stands in place of its folder, which stays as it is', async () => {
    writeFileSync(join(top, 'a'), 'mine');
    await assert.rejects(put('a/b/c', file), Error);
    assert.deepEqual(tree(), ['a']);
    assert.equal(readFileSync(join(top, 'a'), 'utf8'), 'mine');
  });

  it('replaces a link itself, and not what it leads to', async () => {
    writeFileSync(join(top, 'other'), 'mine');
    symlinkSync('other', join(top, 'a'));
    await put('a', file);
    assert.equal(readFileSync(join(top, 'other'), 'utf8'), 'mine');
    assert.equal(readFileSync(join(top, 'a'), 'utf8'), bytes.toString());
    await put('a', link);
    assert.equal(readlinkSync(join(top, 'a')), bytes.toString());
    await put('a', absent);
    assert.deepEqual(tree(), ['other']);
  });

  it('is refused outside of the folders, and as the folder itself', async () => {
    for (const path of [join(root, 'beside'), `${top}-not`, top])
      for (const state of [file, absent])
        await assert.rejects(writeDisk(path, state, [top], read), { code: 'forbidden' });
    assert.deepEqual(readdirSync(root), ['top']);
  });

  for (const { says, emptyFolders, made, rest } of [
    { says: 'as many as came with it', emptyFolders: 2, made: ['a/b/c'], rest: ['a'] },
    { says: 'none where none came with it', emptyFolders: 0, made: ['a/b/c'], rest: ['a', 'a/b', 'a/b/c'] },
    { says: 'none that holds another', emptyFolders: 3, made: ['a/b/c', 'a/d'], rest: ['a', 'a/d'] },
    { says: 'never the folder of the session', emptyFolders: 9, made: ['a/b/c'], rest: [] },
  ])
    it(`takes the folders above it along when it goes: ${says}`, async () => {
      make(...made);
      writeFileSync(join(top, 'a/b/c/x'), 'agent');
      await put('a/b/c/x', absent, emptyFolders);
      assert.deepEqual(tree(), rest);
      assert.equal(statSync(top).isDirectory(), true);
    });

  it('takes the folders above it along also where somebody removed it, or some of them, before', async () => {
    make('a/b');
    await put('a/b/c/x', absent, 3);
    assert.deepEqual(tree(), []);
  });

  it('leaves nothing half written where its place cannot be taken', async () => {
    make('a/full');
    writeFileSync(join(top, 'a/full/it'), 'mine');
    await assert.rejects(put('a', { ...file, mode: 0o600 }), { code: 'conflict' });
    assert.deepEqual(tree(), ['a', 'a/full', 'a/full/it']);
  });
});
