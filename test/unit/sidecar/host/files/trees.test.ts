import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Located, locate } from '../../../../../sidecar/host/files/locate.ts';
import { copy, makeFolder, move, remove } from '../../../../../sidecar/host/files/trees.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import {
  bitsOf,
  makeFolder as makeScratch,
  openBelow,
  type Planted,
  picture,
  plant,
  removeAll,
} from '../../../../support/plant.ts';
import { verifies } from '../../../../support/verifies.ts';

const start: Planted = {
  'a.txt': 'alpha',
  'b.txt': 'beta',
  'in-link': '-> a.txt',
  loose: '-> nowhere',
  'full/one.txt': 'one',
  'full/inner/two.txt': 'two',
  'full/link': '-> ../a.txt',
  'full/none': 'folder',
  empty: 'folder',
};
const full = { 'inner/two.txt': 'two', link: '-> ../a.txt', none: 'folder', 'one.txt': 'one' };
const below = (name: string, what: Planted) =>
  Object.fromEntries(Object.entries(what).map(([it, text]) => [`${name}/${it}`, text]));
const without = (what: Planted, ...names: string[]) =>
  Object.fromEntries(
    Object.entries(what).filter(([it]) => !names.some((name) => it === name || it.startsWith(`${name}/`))),
  );

describe('trees of files', () => {
  let root: string;
  beforeEach(() => {
    root = makeScratch('trees');
    plant(root, start);
  });
  afterEach(() => {
    assert.deepEqual(openBelow(root), []);
    removeAll(root);
  });
  const at = (name: string, follow = true): Promise<Located> => locate(join(root, name), follow);
  const now = () => picture(root);
  const expected = (what: Planted) => Object.fromEntries(Object.entries(what).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const same = (what: Planted) => assert.deepEqual(expected(now()), expected(what));

  for (const [name, outcome, after] of [
    ['full', 'done', start],
    ['new', 'done', { ...start, new: 'folder' }],
    ['new/deeper/deepest', 'done', { ...start, 'new/deeper/deepest': 'folder' }],
    ['empty/one', 'done', { ...without(start, 'empty'), 'empty/one': 'folder' }],
    ['full/inner/x/y', 'done', { ...start, 'full/inner/x/y': 'folder' }],
    ['a.txt', 'already_exists a file with this name already exists', start],
    ['loose', 'already_exists a file with this name already exists', start],
    ['a.txt/x', 'already_exists a parent of this path is not a folder', start],
    ['a.txt/x/y', 'already_exists a parent of this path is not a folder', start],
  ] as const) {
    it(`are ${outcome === 'done' ? 'there' : 'refused'} when the folder ${name} is to be made`, async () => {
      assert.equal(await outcomeOf(makeFolder(await at(name))), outcome);
      same(after);
    });
  }

  it('keep a folder that another one made meanwhile, and what is in it', async () => {
    const located = await at('new/deeper');
    plant(root, { 'new/deeper/theirs.txt': 'theirs' });
    assert.equal(await outcomeOf(makeFolder(located)), 'done');
    same({ ...start, 'new/deeper/theirs.txt': 'theirs' });
  });
  for (const there of ['text', '-> full', '-> nowhere'])
    it(`have no folder made where ${there === 'text' ? 'a file' : `a link ${there}`} came meanwhile`, async () => {
      const located = await at('new/deeper');
      plant(root, { new: there });
      assert.match(await outcomeOf(makeFolder(located)), /^already_exists a parent of this path is not a folder/);
      same({ ...start, new: there });
    });

  for (const [name, recursive, outcome, after] of [
    ['a.txt', false, 'done', without(start, 'a.txt')],
    ['a.txt', true, 'done', without(start, 'a.txt')],
    ['empty', false, 'done', without(start, 'empty')],
    ['empty', true, 'done', without(start, 'empty')],
    ['full', false, 'already_exists the folder is not empty', start],
    ['full', true, 'done', without(start, 'full')],
    ['loose', true, 'done', without(start, 'loose')],
    ['absent', false, 'not_found file or folder not found', start],
    ['absent', true, 'not_found file or folder not found', start],
  ] as const) {
    it(`lose ${name} ${outcome === 'done' ? '' : 'not '}when it is removed ${recursive ? 'with' : 'without'} all in it`, async () => {
      assert.equal(await outcomeOf(remove(await at(name), recursive)), outcome);
      same(after);
    });
  }
  it('lose a link that is removed, and keep what it leads to', async () => {
    await remove(await at('in-link', false), true);
    same(without(start, 'in-link'));
  });
  it('are not removed where there was nothing when that was judged, and are made with the words of the system', async () => {
    const located = await at('new');
    plant(root, { new: 'theirs' });
    assert.equal(await outcomeOf(remove(located, true)), 'not_found file or folder not found');
    const tooLong: Located = { real: join(root, 'x'.repeat(300)), kind: 'absent' };
    assert.equal(await outcomeOf(makeFolder(tooLong)), 'invalid_params uri: too long');
    same({ ...start, new: 'theirs' });
  });
  it('are not removed when what was a folder became a file, nor the other way round', async () => {
    const [folder, file] = [await at('empty'), await at('a.txt')];
    rmSync(join(root, 'empty'), { recursive: true });
    writeFileSync(join(root, 'empty'), 'now a file');
    rmSync(join(root, 'a.txt'));
    mkdirSync(join(root, 'a.txt'));
    assert.notEqual(await outcomeOf(remove(folder, true)), 'done');
    assert.notEqual(await outcomeOf(remove(folder, false)), 'done');
    assert.notEqual(await outcomeOf(remove(file, true)), 'done');
    same({ ...start, empty: 'now a file', 'a.txt': 'folder' });
  });

  const copied = (name: string, text: string) => ({ ...start, [name]: text });
  for (const [from, to, failIfExists, outcome, after] of [
    ['a.txt', 'c.txt', true, 'done', copied('c.txt', 'alpha')],
    ['a.txt', 'b.txt', false, 'done', copied('b.txt', 'alpha')],
    ['a.txt', 'b.txt', true, 'already_exists destination: already exists', start],
    ['a.txt', 'loose', false, 'done', copied('loose', 'alpha')],
    ['a.txt', 'loose', true, 'already_exists destination: already exists', start],
    ['a.txt', 'a.txt', false, 'done', start],
    ['a.txt', 'a.txt', true, 'already_exists destination: already exists', start],
    ['a.txt', 'empty', false, 'already_exists destination: already exists and cannot be replaced', start],
    ['a.txt', 'none/c.txt', false, 'not_found file or folder not found', start],
    ['a.txt', 'a.txt/c.txt', false, 'invalid_params destination: must not be inside the source', start],
    ['absent', 'c.txt', false, 'not_found source: file or folder not found', start],
    ['absent', 'absent', false, 'not_found source: file or folder not found', start],
    ['loose', 'c', true, 'done', copied('c', '-> nowhere')],
    ['full', 'copy', true, 'done', { ...start, ...below('copy', full) }],
    ['full', 'empty/copy', true, 'done', { ...without(start, 'empty'), ...below('empty/copy', full) }],
    ['empty', 'other', true, 'done', copied('other', 'folder')],
    ['full', 'full', false, 'done', start],
    ['full', 'full/inner/copy', false, 'invalid_params destination: must not be inside the source', start],
    ['full', 'empty', false, 'already_exists destination: already exists and cannot be replaced', start],
    ['full', 'b.txt', false, 'already_exists destination: already exists and cannot be replaced', start],
    ['full/inner', 'full', false, 'already_exists destination: already exists and cannot be replaced', start],
  ] as const) {
    const says = `${from} to ${to}${failIfExists ? ', unless that is there' : ''}`;
    it(`are ${outcome === 'done' ? 'right' : 'as they were'} after copying ${says}`, async () => {
      assert.equal(await outcomeOf(copy(await at(from), await at(to), failIfExists)), outcome);
      same(after);
    });
    it(`are ${outcome === 'done' ? 'right' : 'as they were'} after moving ${says}`, async () => {
      assert.equal(await outcomeOf(move(await at(from), await at(to), failIfExists)), outcome);
      const stays = outcome !== 'done' || from === to;
      same(stays ? after : without(after, from));
    });
  }

  it('keep permission bits of files and folders that are copied, without those that lend rights', async () => {
    chmodSync(join(root, 'full/one.txt'), 0o4755);
    chmodSync(join(root, 'full/inner/two.txt'), 0o640);
    chmodSync(join(root, 'full/inner'), 0o1750);
    await copy(await at('full'), await at('copy'), true);
    assert.deepEqual(
      ['copy/one.txt', 'copy/inner/two.txt', 'copy/inner'].map((it) => bitsOf(join(root, it)).toString(8)),
      ['755', '640', '750'],
    );
  });
  for (const [says, work] of [
    ['copied', copy],
    ['moved', move],
  ] as const)
    for (const from of ['a.txt', 'loose'])
      it(`keep what came after the place was judged free when ${from} is ${says} there and nothing may be replaced`, async () => {
        const [source, destination] = [await at(from, false), await at('late', false)];
        plant(root, { late: 'theirs' });
        assert.match(await outcomeOf(work(source, destination, true)), /^already_exists /);
        same({ ...start, late: 'theirs' });
      });
  it('keep a folder read-only that was so, with all that is in it, when it is copied', async () => {
    chmodSync(join(root, 'full/inner'), 0o555);
    await copy(await at('full'), await at('copy'), true);
    assert.equal(bitsOf(join(root, 'copy/inner')).toString(8), '555');
    same({ ...start, ...below('copy', full) });
    for (const it of ['full/inner', 'copy/inner']) chmodSync(join(root, it), 0o755);
  });
  it('have a new file after a copy over one, so that other names of the old one keep their bytes', async () => {
    const before = lstatSync(join(root, 'b.txt')).ino;
    execFileSync('ln', ['b.txt', 'same'], { cwd: root });
    await copy(await at('a.txt'), await at('b.txt'), false);
    assert.notEqual(lstatSync(join(root, 'b.txt')).ino, before);
    same({ ...start, 'b.txt': 'alpha', same: 'beta' });
  });
  it('hold large files whole after a copy', async () => {
    const bytes = Buffer.alloc(300_000, 'many bytes ');
    writeFileSync(join(root, 'large'), bytes);
    await copy(await at('large'), await at('copy'), true);
    assert.equal(statSync(join(root, 'copy')).size, bytes.length);
    assert.equal(execFileSync('cmp', ['large', 'copy'], { cwd: root, encoding: 'utf8' }), '');
  });
  for (const depth of [200, 201])
    it(`${depth > 200 ? 'are refused' : 'are copied and removed'} when they are ${depth} folders deep`, async () => {
      const deep = join('deep', ...Array.from({ length: depth }, () => 'd'));
      mkdirSync(join(root, deep), { recursive: true });
      const outcome = depth > 200 ? 'invalid_params uri: has more than 200 levels of folders' : 'done';
      assert.equal(await outcomeOf(copy(await at('deep'), await at('copy'), true)), outcome);
      assert.equal(await outcomeOf(remove(await at('deep'), true)), outcome);
      assert.equal(existsSync(join(root, deep)), depth > 200);
    });

  if (process.platform !== 'win32') {
    it('leave pipes out of a copy of a folder, and remove them with it', async () => {
      execFileSync('mkfifo', [join(root, 'full/pipe')]);
      await copy(await at('full'), await at('copy'), true);
      same({ ...start, 'full/pipe': 'other', ...below('copy', full) });
      await remove(await at('full'), true);
      same({ ...without(start, 'full'), ...below('copy', full) });
    });
    it('leave nothing half-written where a copy cannot be put in its place', async () => {
      const [source, destination] = [await at('a.txt'), await at('c.txt')];
      mkdirSync(join(root, 'c.txt')); // came meanwhile
      assert.equal(await outcomeOf(copy(source, destination, false)), 'invalid_params this is a folder');
      same({ ...start, 'c.txt': 'folder' });
    });
  }

  // Another file system, which only some machines have: a move copies there, and removes after it.
  const other = '/dev/shm';
  if (existsSync(other) && statSync(other).dev !== statSync(tmpdir()).dev) {
    for (const [from, text] of [
      ['a.txt', { moved: 'alpha' }],
      ['loose', { moved: '-> nowhere' }],
      ['empty', { moved: 'folder' }],
      ['full', below('moved', full)],
    ] as const)
      it(`are whole after moving ${from} to another file system`, async () => {
        const away = makeScratch('trees', other);
        try {
          await move(await at(from), await locate(join(away, 'moved')), true);
          assert.deepEqual(expected(picture(away)), expected(text));
          same(without(start, from));
        } finally {
          removeAll(away);
        }
      });
    it('stay where they are when they cannot be copied to another file system', async () => {
      const away = makeScratch('trees', other);
      try {
        const deep = join('deep', ...Array.from({ length: 201 }, () => 'd'));
        mkdirSync(join(root, deep), { recursive: true });
        assert.match(
          await outcomeOf(move(await at('deep'), await locate(join(away, 'moved')), true)),
          /^invalid_params/,
        );
        assert.equal(existsSync(join(root, deep)), true);
      } finally {
        removeAll(away);
      }
    });
  }

  if (process.platform === 'linux') {
    it('are copied and removed with names that are no UTF-8', async () => {
      verifies('host.files.raw-names');
      const raw = (name: string) => Buffer.from(join(root, name), 'latin1');
      mkdirSync(raw('full/d\xe9'));
      writeFileSync(raw('full/d\xe9/f\xfc.txt'), 'old');
      execFileSync('sh', ['-c', `ln -s "$(printf 'to\\351')" full/raw`], { cwd: root });
      await copy(await at('full'), await at('copy'), true);
      const names = (it: string) => readdirSync(raw(it), 'latin1').toSorted();
      assert.deepEqual(names('copy'), ['d\xe9', 'inner', 'link', 'none', 'one.txt', 'raw'].toSorted());
      assert.deepEqual(names('copy/d\xe9'), ['f\xfc.txt']);
      assert.equal(execFileSync('readlink', ['copy/raw'], { cwd: root, encoding: 'latin1' }), 'to\xe9\n');
      await remove(await at('full'), true);
      await remove(await at('copy'), true);
      same(without(start, 'full'));
    });
  }
});
