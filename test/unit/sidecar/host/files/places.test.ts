import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join, parse } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type DirectoryHandle, inFolder, inFolderOf } from '../../../../../sidecar/host/files/directoryHandle.ts';
import { asFaults, codeOf, toFileFault } from '../../../../../sidecar/host/files/fileFaults.ts';
import { isIn, isTop, locate } from '../../../../../sidecar/host/files/locate.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { makeFolder, openBelow, plant, removeAll } from '../../../../support/plant.ts';

describe('where a path leads', () => {
  let root: string;
  beforeEach(() => {
    root = makeFolder('places');
    plant(root, {
      'real/file.txt': 'x',
      'real/inner/deep.txt': 'x',
      to: '-> real',
      'real/up': '-> ..',
      'file-link': '-> real/file.txt',
      loose: '-> nowhere/at/all',
      loop: '-> loop',
    });
    execFileSync('mkfifo', [join(root, 'pipe')]);
  });
  afterEach(() => {
    assert.deepEqual(openBelow(root), []);
    removeAll(root);
  });

  for (const [path, follow, real, kind] of [
    ['real/file.txt', true, 'real/file.txt', 'file'],
    ['real/file.txt', false, 'real/file.txt', 'file'],
    ['real', true, 'real', 'folder'],
    ['real/', true, 'real', 'folder'],
    ['real/../real/./inner', true, 'real/inner', 'folder'],
    ['to', true, 'real', 'folder'],
    ['to', false, 'to', 'link'],
    ['to/file.txt', true, 'real/file.txt', 'file'],
    ['to/file.txt', false, 'real/file.txt', 'file'],
    ['to/up/to/inner/deep.txt', false, 'real/inner/deep.txt', 'file'],
    ['to/up/file-link', true, 'real/file.txt', 'file'],
    ['to/up/file-link', false, 'file-link', 'link'],
    ['to/new', true, 'real/new', 'absent'],
    ['to/new/er/newest', true, 'real/new/er/newest', 'absent'],
    ['to/new/er/newest', false, 'real/new/er/newest', 'absent'],
    ['real/file.txt/x', true, 'real/file.txt/x', 'absent'],
    ['loose', true, 'loose', 'link'],
    ['loose', false, 'loose', 'link'],
    ['loose/x', true, 'loose/x', 'absent'],
    ['loop', true, 'loop', 'link'],
    ['loop/x', true, 'loop/x', 'absent'],
    ['pipe', true, 'pipe', 'other'],
  ] as const) {
    it(`is ${real} (${kind}) for ${path}${follow ? '' : ' itself'}`, async () => {
      assert.deepEqual(await locate(`${root}/${path}`, follow), { real: join(root, real), kind });
    });
  }
  for (const [says, path, message] of [
    ['a relative path', 'a/b', 'uri: not a file path'],
    ['nothing', '', 'uri: not a file path'],
    ['a path with a zero', '/tmp/a\0b', 'uri: not a file path'],
    ['a name that is too long', `/tmp/${'x'.repeat(300)}`, 'uri: too long'],
    ['a path that is too long', `/tmp/${'x/'.repeat(5_000)}`, 'uri: too long'],
  ] as const)
    it(`is refused for ${says}`, async () => assert.equal(await outcomeOf(locate(path)), `invalid_params ${message}`));

  for (const [path, folder, expected] of [
    ['/a/b', '/a/b', true],
    ['/a/b/c', '/a/b', true],
    ['/a/b/c/d', '/a/b', true],
    ['/a/b', '/', true],
    ['/', '/', true],
    ['/a/b/..c', '/a/b', true],
    ['/a/b/..c/d', '/a/b', true],
    ['/a', '/a/b', false],
    ['/', '/a', false],
    ['/a/bc', '/a/b', false],
    ['/a/c', '/a/b', false],
    ['/b', '/a', false],
    ['/a/..b', '/a/b', false],
  ] as const)
    it(`${path} is ${expected ? '' : 'not '}in ${folder}`, () => assert.equal(isIn(path, folder), expected));
  it('is the top for the root alone', () => {
    assert.equal(isTop(parse(process.cwd()).root), true);
    assert.equal(isTop('/a'), process.platform === 'win32');
  });

  it('is refused when the folder became another one or a link since it was judged, and no folder stays open', async () => {
    const open = async (path: string) => outcomeOf(inFolder(path, async () => undefined));
    assert.equal(await open(join(root, 'to')), 'not_found file or folder not found');
    assert.equal(await open(join(root, 'to/inner')), 'forbidden the folder was moved in the meantime');
    assert.equal(await open(join(root, 'absent')), 'not_found file or folder not found');
    assert.equal(await open(join(root, 'real/file.txt')), 'not_found file or folder not found');
    assert.equal(await open(join(root, 'real/inner')), 'done');
  });
  it('is held open while it is worked in, and closed after that, also after a failure', async () => {
    const closed = async (work: (folder: DirectoryHandle) => Promise<void>) => {
      let kept: DirectoryHandle | undefined;
      const ended = inFolder(join(root, 'real'), async (folder) => {
        kept = folder;
        await work(folder);
      });
      await ended.catch(() => undefined);
      return outcomeOf(asFaults(async () => (await kept?.open('file.txt', 0))?.close()));
    };
    if (process.platform === 'linux') {
      assert.notEqual(await closed(async () => undefined), 'done');
      assert.notEqual(await closed(() => Promise.reject(new Error('failed'))), 'done');
    }
    const names: string[] = [];
    await inFolderOf(join(root, 'real/inner/deep.txt'), async (folder, name) => {
      names.push(folder.real, name);
    });
    assert.deepEqual(names, [join(root, 'real/inner'), 'deep.txt']);
  });
  it('is not followed behind the last folder: a link is refused, and a pipe without a writer keeps nobody waiting', async () => {
    await inFolder(root, async (folder) => {
      assert.equal(await outcomeOf(folder.open('file-link', 0)), 'forbidden the operating system denied access');
      assert.equal(await outcomeOf(folder.open('absent', 0)), 'not_found file or folder not found');
      const pipe = await folder.open('pipe', 0);
      assert.equal((await pipe.stat()).isFIFO(), true);
      await pipe.close();
    });
  });
  it('stays the folder that was judged while another one takes its place', async () => {
    mkdirSync(join(root, 'other'));
    await inFolder(join(root, 'real'), async (folder) => {
      renameSync(join(root, 'real'), join(root, 'was'));
      symlinkSync('other', join(root, 'real'));
      if (process.platform !== 'linux') return;
      const inner = await folder.enter('inner');
      const file = await inner.open('deep.txt', 0);
      assert.equal(await file.readFile('utf8'), 'x');
      await file.close();
      await inner.close();
    });
  });
});

describe('an error of the file system', () => {
  const failed = (code: string) => Object.assign(new Error(`${code}: /home/somebody/secret`), { code });
  for (const [codes, code, message] of [
    ['ENOENT ENOTDIR', 'not_found', 'file or folder not found'],
    ['EEXIST', 'already_exists', 'a file or folder with this name already exists'],
    ['ENOTEMPTY', 'already_exists', 'the folder is not empty'],
    ['EACCES EPERM EROFS ELOOP', 'forbidden', 'the operating system denied access'],
    ['ENAMETOOLONG', 'invalid_params', 'uri: too long'],
    ['ENOSPC EDQUOT EFBIG EMFILE ENFILE', 'unavailable', 'the system has run out of disk space or file handles'],
    ['EISDIR', 'invalid_params', 'this is a folder'],
  ] as const)
    for (const it_ of codes.split(' '))
      it(`is ${code} for ${it_}, without its words and with its cause`, () => {
        const thrown = failed(it_);
        const fault = toFileFault(thrown);
        assert.ok(fault instanceof Fault);
        assert.deepEqual([fault.code, fault.message, fault.cause], [code, message, thrown]);
        assert.deepEqual(fault.data, code === 'forbidden' ? {} : undefined);
      });
  it('is itself where it is a fault already, or nothing that is known', async () => {
    for (const it of [new Fault('conflict', 'mine'), failed('EWEIRD'), new Error('bug'), 'text', undefined]) {
      assert.equal(toFileFault(it), it);
      await assert.rejects(
        asFaults(() => Promise.reject(it)),
        (thrown) => thrown === it,
      );
    }
    assert.equal(await asFaults(async () => 7), 7);
  });
  it('has the code that the system gave, where it gave one', () => {
    assert.deepEqual(
      [failed('ENOENT'), new Error('x'), Object.assign(new Error('x'), { code: 7 }), { code: 'ENOENT' }, null].map(
        codeOf,
      ),
      ['ENOENT', undefined, undefined, undefined, undefined],
    );
  });
});
