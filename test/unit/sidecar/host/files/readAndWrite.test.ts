import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { locate } from '../../../../../sidecar/host/files/locate.ts';
import {
  describe as describeFile,
  list,
  MAX_READ_BYTES,
  readWhole,
} from '../../../../../sidecar/host/files/readFiles.ts';
import { temporaryName, type WriteRequest, write } from '../../../../../sidecar/host/files/writeFiles.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { bitsOf, makeFolder, openBelow, picture, plant, removeAll } from '../../../../support/plant.ts';

const start = { 'a.txt': 'alpha', 'sub/b.txt': 'beta', link: '-> a.txt', 'to-sub': '-> sub', loose: '-> nowhere' };

describe('one file', () => {
  let root: string;
  let outside: string;
  beforeEach(() => {
    root = makeFolder('one-file');
    outside = makeFolder('one-file-outside');
    plant(root, start);
    execFileSync('mkfifo', [join(root, 'pipe')]);
  });
  afterEach(() => {
    assert.deepEqual(openBelow(root), []);
    removeAll(root);
    removeAll(outside);
  });
  const path = (name: string) => join(root, name);
  const at = (name: string, follow = true) => locate(path(name), follow);
  const put = async (name: string, more: Partial<WriteRequest> = {}) =>
    write(await at(name), { bytes: Buffer.from('XY'), mode: 'truncate', position: 0, createOnly: false, ...more });
  const etag = async (name: string) => (await describeFile(await at(name))).etag;
  const unchanged = { ...start, pipe: 'other' };

  for (const [name, more, outcome, after] of [
    ['a.txt', {}, 'done', { 'a.txt': 'XY' }],
    ['a.txt', { position: 2 }, 'done', { 'a.txt': 'alXY' }],
    ['a.txt', { position: 5 }, 'done', { 'a.txt': 'alphaXY' }],
    ['a.txt', { mode: 'append' }, 'done', { 'a.txt': 'alphaXY' }],
    ['a.txt', { mode: 'insert' }, 'done', { 'a.txt': 'XYalpha' }],
    ['a.txt', { position: 6 }, 'invalid_params position: is past the end of the file', {}],
    ['a.txt', { createOnly: true }, 'already_exists a file or folder with this name already exists', {}],
    ['a.txt', { ifMatch: '"0-0-0-0"' }, 'conflict the file has changed since this version', {}],
    ['link', {}, 'done', { 'a.txt': 'XY' }],
    ['to-sub/b.txt', {}, 'done', { 'sub/b.txt': 'XY' }],
    ['new.txt', {}, 'done', { 'new.txt': 'XY' }],
    ['new.txt', { createOnly: true }, 'done', { 'new.txt': 'XY' }],
    ['new.txt', { mode: 'append' }, 'done', { 'new.txt': 'XY' }],
    ['new.txt', { mode: 'insert' }, 'done', { 'new.txt': 'XY' }],
    ['new.txt', { position: 1 }, 'invalid_params position: is past the end of the file', {}],
    ['new.txt', { ifMatch: '"0-0-0-0"' }, 'conflict the file has changed since this version', {}],
    ['none/new.txt', {}, 'not_found file or folder not found', {}],
    ['a.txt/new.txt', {}, 'not_found file or folder not found', {}],
    ['sub', {}, 'already_exists a folder with this name already exists', {}],
    ['sub', { createOnly: true }, 'already_exists a file or folder with this name already exists', {}],
    ['loose', {}, 'forbidden this is not a file', {}],
    ['pipe', {}, 'forbidden this is not a file', {}],
  ] as const)
    it(`${name} is ${outcome === 'done' ? 'written' : 'as it was'} with ${JSON.stringify(more)}`, async () => {
      assert.equal(await outcomeOf(put(name, more)), outcome);
      assert.deepEqual(
        picture(root),
        Object.fromEntries(Object.entries({ ...unchanged, ...after }).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      );
    });

  it('is another version after each change, and written only as the version that is named', async () => {
    const first = await etag('a.txt');
    assert.equal(await etag('a.txt'), first);
    await put('a.txt', { ifMatch: first });
    const second = await etag('a.txt');
    assert.notEqual(second, first);
    assert.equal(await outcomeOf(put('a.txt', { ifMatch: first })), 'conflict the file has changed since this version');
    chmodSync(path('a.txt'), 0o600);
    assert.notEqual(await etag('a.txt'), second);
  });
  for (const bits of [0o600, 0o644, 0o755, 0o444, 0o4755])
    it(`keeps its permissions ${bits.toString(8)} when it is written, and lends nobody rights`, async () => {
      chmodSync(path('a.txt'), bits);
      await put('a.txt', { mode: 'append' });
      assert.equal(bitsOf(path('a.txt')), bits & 0o777);
    });
  it('is put in place whole: who has it open reads the old version to its end, and other names keep theirs', async () => {
    linkSync(path('a.txt'), join(outside, 'other'));
    const before = lstatSync(path('a.txt')).ino;
    await put('a.txt');
    assert.equal(readFileSync(join(outside, 'other'), 'utf8'), 'alpha');
    assert.notEqual(lstatSync(path('a.txt')).ino, before);
    assert.deepEqual(
      readdirSync(root).filter((it) => temporaryName.test(it)),
      [],
    );
  });
  it('above 20 MB is neither read nor added to, and can be replaced', async () => {
    truncateSync(path('a.txt'), MAX_READ_BYTES);
    assert.equal((await readWhole(await at('a.txt'))).byteLength, MAX_READ_BYTES);
    truncateSync(path('a.txt'), MAX_READ_BYTES + 1);
    const tooLarge = `forbidden larger than ${MAX_READ_BYTES} bytes`;
    assert.equal(MAX_READ_BYTES, 20 * 1024 * 1024);
    assert.equal(await outcomeOf(readWhole(await at('a.txt'))), tooLarge);
    assert.equal(await outcomeOf(put('a.txt', { mode: 'append' })), tooLarge);
    assert.equal(await outcomeOf(put('a.txt', { position: 1 })), tooLarge);
    assert.equal(lstatSync(path('a.txt')).size, MAX_READ_BYTES + 1);
    await put('a.txt');
    assert.equal(readFileSync(path('a.txt'), 'utf8'), 'XY');
  });
  it('is refused when it is another kind of thing than was judged', async () => {
    const [file, absent] = [await at('a.txt'), await at('new.txt')];
    rmSync(path('a.txt'));
    execFileSync('mkfifo', [path('a.txt')]);
    assert.equal(await outcomeOf(readWhole(file)), 'not_found file not found');
    writeFileSync(path('new.txt'), 'theirs');
    const request = { bytes: Buffer.from('XY'), mode: 'truncate', position: 0 } as const;
    assert.match(await outcomeOf(write(absent, { ...request, createOnly: true })), /^already_exists /);
    assert.match(await outcomeOf(write(file, { ...request, createOnly: false })), /^forbidden this is not a file/);
    assert.equal(readFileSync(path('new.txt'), 'utf8'), 'theirs');
  });
  it('has writes of its own queue: one to another file does not wait for it, and both ways to it share it', async () => {
    const add = (name: string, text: string) => put(name, { mode: 'append', bytes: Buffer.from(text) });
    await Promise.all([add('a.txt', '1'), add('link', '2'), add('to-sub/b.txt', '3'), add('sub/b.txt', '4')]);
    assert.deepEqual(readFileSync(path('a.txt'), 'utf8').split('').toSorted().join(''), '12aahlp');
    assert.deepEqual(readFileSync(path('sub/b.txt'), 'utf8').split('').toSorted().join(''), '34abet');
  });

  for (const [name, outcome] of [
    ['a.txt', 'alpha'],
    ['link', 'alpha'],
    ['to-sub/b.txt', 'beta'],
    ['sub', 'not_found file not found'],
    ['loose', 'not_found file not found'],
    ['pipe', 'not_found file not found'],
    ['absent', 'not_found file not found'],
  ] as const)
    it(`${name} is read as ${outcome}`, async () => {
      let text = '';
      const read = await outcomeOf(
        at(name)
          .then(readWhole)
          .then((it) => void (text = it.toString())),
      );
      assert.equal(read === 'done' ? text : read, outcome);
    });

  for (const [name, follow, type, size] of [
    ['a.txt', true, 'file', 5],
    ['link', true, 'file', 5],
    ['link', false, 'symlink', 5],
    ['to-sub', false, 'symlink', 3],
    ['loose', true, 'symlink', 7],
    ['sub', true, 'directory', undefined],
    ['pipe', true, 'file', 0],
  ] as const)
    it(`${name}${follow ? '' : ' itself'} is described as ${type}`, async () => {
      if (name === 'a.txt') utimesSync(path(name), 5, 1_700_000_000.25);
      const it = await describeFile(await at(name, follow));
      assert.deepEqual([it.type, it.size, 'size' in it], [type, size, size !== undefined]);
      const stats = lstatSync((await at(name, follow)).real);
      const times = [stats.mtimeMs, stats.ctimeMs].map((ms) => new Date(Math.floor(ms)).toISOString());
      assert.deepEqual([it.mtime, it.ctime], times);
      assert.match(it.etag, /^"[0-9a-z]+-[0-9a-z]+-[0-9a-z]+-[0-9a-z]+"$/);
    });
  it('is described where it is the top of all, and not where there is none', async () => {
    assert.equal((await describeFile(await locate('/'))).type, 'directory');
    assert.equal(await outcomeOf(at('absent').then(describeFile)), 'not_found file or folder not found');
  });

  it('is listed by name, and a link as what it leads to when that lies in the roots', async () => {
    plant(root, { Z: 'x', 'out-link': `-> ${outside}` });
    const [file, folder] = ['file', 'directory'] as const;
    const listed = async (roots: string[]) =>
      Object.fromEntries((await list(await at('.'), roots)).map((it) => [it.name, it.type]));
    const all = {
      Z: file,
      'a.txt': file,
      link: file,
      loose: file,
      'out-link': file,
      pipe: file,
      sub: folder,
      'to-sub': folder,
    };
    assert.deepEqual(Object.entries(await listed([root])), Object.entries(all));
    assert.deepEqual(await listed([]), { ...all, 'to-sub': file });
    assert.deepEqual(await listed([outside]), { ...all, 'to-sub': file, 'out-link': folder });
    assert.deepEqual(await listed([outside, path('sub')]), { ...all, 'out-link': folder });
  });
  it('is no folder to list, and what is not there is none either', async () => {
    const roots = [root];
    assert.equal(await outcomeOf(list(await at('a.txt'), roots)), 'invalid_params uri: not a folder');
    assert.equal(await outcomeOf(list(await at('loose'), roots)), 'invalid_params uri: not a folder');
    assert.equal(await outcomeOf(list(await at('absent'), roots)), 'not_found folder not found');
  });
  for (const [name, isTemporary] of [
    ['.switchboard-0f0e0d0c-0b0a-4908-8706-050403020100', true],
    ['.switchboard-notes', false],
    ['a.switchboard-0f0e0d0c-0b0a-4908-8706-050403020100', false],
    ['.switchboard-0f0e0d0c-0b0a-4908-8706-050403020100.txt', false],
  ] as const)
    it(`named ${name} ${isTemporary ? 'is' : 'is not'} half-written`, () =>
      assert.equal(temporaryName.test(name), isTemporary));
});
