import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { inFolder, inFolderOf } from '../../../../../sidecar/host/files/directoryHandle.ts';
import { isIn, locate } from '../../../../../sidecar/host/files/locate.ts';
import { list, readWhole } from '../../../../../sidecar/host/files/readFiles.ts';
import { copy, makeFolder, move, remove } from '../../../../../sidecar/host/files/trees.ts';
import { write } from '../../../../../sidecar/host/files/writeFiles.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { makeScratch, type Scratch } from '../../../../support/scratch.ts';
import { verifies } from '../../../../support/verifies.ts';

const whole = { bytes: Buffer.from('changed'), mode: 'truncate', position: 0, createOnly: false } as const;
const refusal = (thrown: unknown) =>
  thrown instanceof Fault && (thrown.code === 'forbidden' || thrown.code === 'not_found');

describe('files whose folder is swapped for a link after it was judged', () => {
  let scratch: Scratch;
  let inside: string;
  let outside: string;
  beforeEach(() => {
    scratch = makeScratch('held-files');
    [inside, outside] = [join(scratch.root, 'inside'), join(scratch.root, 'outside')];
    for (const it of [join(inside, 'sub', 'inner'), join(outside, 'inner')]) mkdirSync(it, { recursive: true });
    for (const it of ['file.txt', 'inner/file.txt']) {
      writeFileSync(join(inside, 'sub', it), 'mine');
      writeFileSync(join(outside, it), 'secret');
    }
  });
  afterEach(() => scratch.remove());

  const swap = () => {
    renameSync(join(inside, 'sub'), join(inside, 'was'));
    symlinkSync(outside, join(inside, 'sub'));
  };
  const untouched = () => {
    assert.deepEqual(readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted(), [
      'file.txt',
      'inner',
      'inner/file.txt',
    ]);
    for (const it of ['file.txt', 'inner/file.txt']) assert.equal(readFileSync(join(outside, it), 'utf8'), 'secret');
  };

  for (const { says, act } of [
    { says: 'read', act: async (path: string) => readWhole(await judged(path)) },
    { says: 'written', act: async (path: string) => write(await judged(path), whole) },
    { says: 'removed', act: async (path: string) => remove(await judged(path), true) },
    {
      says: 'copied',
      act: async (path: string) => copy(await judged(path), await locate(join(inside, 'copy')), false),
    },
    {
      says: 'moved',
      act: async (path: string) => move(await judged(path), await locate(join(inside, 'moved')), false),
    },
    {
      says: 'overwritten',
      act: async (path: string) => copyOver(path),
    },
  ]) {
    for (const { where, name } of [
      { where: 'in that folder', name: 'file.txt' },
      { where: 'further below it', name: 'inner/file.txt' },
    ]) {
      it(`are not ${says} ${where}`, async () => {
        await assert.rejects(act(join(inside, 'sub', name)), refusal);
        untouched();
        assert.equal(readFileSync(join(inside, 'was', name), 'utf8'), 'mine');
      });
    }
  }
  const copyOver = async (path: string) => {
    const located = await judged(path);
    await copy(await locate(join(inside, 'was', 'file.txt')), located, false);
  };
  const judged = async (path: string) => {
    const located = await locate(path);
    swap();
    return located;
  };

  it('are not made there as folders', async () => {
    const located = await locate(join(inside, 'sub', 'new', 'deeper'));
    swap();
    await assert.rejects(makeFolder(located), Fault);
    untouched();
  });
  it('are not listed', async () => {
    const located = await locate(join(inside, 'sub'));
    swap();
    await assert.rejects(list(located, [inside]), refusal);
  });
  it('are not followed when the file itself becomes a link', async () => {
    const located = await locate(join(inside, 'sub', 'file.txt'));
    rmSync(join(inside, 'sub', 'file.txt'));
    symlinkSync(join(outside, 'file.txt'), join(inside, 'sub', 'file.txt'));
    await assert.rejects(readWhole(located), refusal);
    await assert.rejects(write(located, whole), refusal);
    await copy(located, await locate(join(inside, 'copy')), false);
    assert.equal(readlinkSync(join(inside, 'copy')), join(outside, 'file.txt')); // a link, and not what it leads to
    untouched();
  });
  // Elsewhere the system has no names for open folders, and the path is compared before and after.
  if (process.platform === 'linux') {
    it('are looked up in the folder that is held, whatever its path became meanwhile', async () => {
      const { real } = await locate(join(inside, 'sub', 'file.txt'));
      const read = await inFolderOf(real, async (folder, name) => {
        swap();
        return readFileSync(folder.at(name), 'utf8');
      });
      assert.equal(read, 'mine');
    });
  }
  for (const name of ['link', 'loose', 'sub/link'])
    it(`are refused where the next folder to enter is ${name}, and what is behind it is not opened`, async () => {
      verifies('host.files.enter-no-link');
      symlinkSync(outside, join(inside, 'link'));
      symlinkSync('nowhere', join(inside, 'loose'));
      symlinkSync(outside, join(inside, 'sub', 'link'));
      const [last = '', ...above] = name.split('/').toReversed();
      let opened: string | undefined;
      await inFolder(join(inside, ...above), async (folder) => {
        await assert.rejects(
          folder.enter(last).then(async (it) => {
            opened = readlinkSync(it.at('.'));
            await it.close();
          }),
          refusal,
        );
        const inner = await folder.enter(above.length > 0 ? 'inner' : 'sub');
        assert.equal(inner.real, join(inside, ...above, above.length > 0 ? 'inner' : 'sub'));
        await inner.close();
      });
      assert.equal(opened, undefined);
      untouched();
    });

  it('are written by who waits behind a write that was refused, and behind one that was not', async () => {
    verifies('host.files.write-queue');
    const path = join(inside, 'sub', 'file.txt');
    const at = await locate(path);
    const bytes = (text: string) => ({ ...whole, bytes: Buffer.from(text) });
    const settled = await Promise.allSettled([
      write(at, { ...bytes('first'), ifMatch: 'another version' }),
      write(at, bytes('second')),
      write(at, { ...bytes(' third'), mode: 'append' }),
      write(at, { ...bytes('fourth'), createOnly: true }),
      write(at, { ...bytes(' fifth'), mode: 'append' }),
    ]);
    assert.deepEqual(
      settled.map((it) => (it.status === 'fulfilled' ? 'written' : (it.reason as Fault).code)),
      ['conflict', 'written', 'written', 'already_exists', 'written'],
    );
    assert.equal(readFileSync(path, 'utf8'), 'second third fifth');
  });

  it('keep what another name of the same file points to', async () => {
    linkSync(join(outside, 'file.txt'), join(inside, 'sub', 'hard.txt'));
    await write(await locate(join(inside, 'sub', 'hard.txt')), whole);
    assert.equal(readFileSync(join(inside, 'sub', 'hard.txt'), 'utf8'), 'changed');
    untouched();
  });
  it('remove a link in a tree, and not what it leads to', async () => {
    symlinkSync(outside, join(inside, 'sub', 'link'));
    await remove(await locate(join(inside, 'sub'), false), true);
    assert.deepEqual(readdirSync(inside), []);
    untouched();
  });

  it('are never reached while another process swaps as fast as it can', async () => {
    const folder = join(inside, 'sub');
    const other = spawn(process.execPath, [
      '-e',
      `const fs=require('fs');const [a,b]=process.argv.slice(1);fs.symlinkSync(b,a+'.link');process.stdout.write('go');
       for(;;){fs.renameSync(a,a+'.dir');fs.renameSync(a+'.link',a);fs.renameSync(a,a+'.link');fs.renameSync(a+'.dir',a);}`,
      folder,
      outside,
    ]);
    const closed = new Promise((resolve) => void other.once('close', resolve));
    try {
      await new Promise((resolve) => void other.stdout.once('data', resolve));
      for (let n = 0; n < 80; n += 1) {
        const located = await locate(join(folder, 'file.txt'));
        if (!isIn(located.real, inside)) continue; // judged and refused
        const read = await readWhole(located).then(String, (thrown: unknown) => (thrown as Fault).code);
        assert.match(read, /^(?:mine(?: \d+)?|forbidden|not_found)$/);
        await write(located, { ...whole, bytes: Buffer.from(`mine ${n}`) }).catch((thrown: unknown) =>
          assert.ok(thrown instanceof Fault),
        );
      }
    } finally {
      other.kill('SIGKILL');
      await closed;
    }
    untouched();
    assert.ok(statSync(outside).isDirectory());
  });
});
