import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { parseGlobs } from '../../../../../sidecar/host/files/globs.ts';
import { locate } from '../../../../../sidecar/host/files/locate.ts';
import { MAX_CHANGES, TreeWatch, type WatchOptions } from '../../../../../sidecar/host/files/watchTree.ts';
import { outcomeOf } from '../../../../support/outcomeOf.ts';
import { makeFolder, plant, removeAll } from '../../../../support/plant.ts';
import { until } from '../../../../support/until.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('a tree that is followed', () => {
  let root: string;
  let trees: TreeWatch[];
  let due: { work: () => void; delayMs: number }[];
  let reports: string[][];
  let failures: unknown[];
  beforeEach(() => {
    root = makeFolder('watch-tree');
    [trees, due, reports, failures] = [[], [], [], []];
    plant(root, { 'a.txt': 'a', 'sub/b.txt': 'b', 'sub/deep/c.txt': 'c' });
  });
  afterEach(() => {
    for (const it of trees) it.close();
    removeAll(root);
  });
  const at = (name: string) => join(root, name);
  const open = async (name: string, more: Partial<WatchOptions> = {}) => {
    const tree = await TreeWatch.open(await locate(at(name)), {
      recursive: true,
      onChanges: (all) => reports.push(all.map((it) => `${it.type} ${it.path.slice(root.length + 1)}`)),
      onFailed: (thrown) => failures.push(thrown),
      timers: {
        after(delayMs, work) {
          const timer = { work, delayMs };
          due.push(timer);
          return () => void (due = due.filter((it) => it !== timer));
        },
      },
      ...more,
    });
    trees.push(tree);
  };
  const told = () => reports.flat();
  /** Lets what gathered be looked at until a change is reported that was made last. */
  const seen = (change: string) =>
    until(change, () => {
      for (const it of due.splice(0)) it.work();
      return told().includes(change);
    });
  /** All that was reported up to a mark that is made now. */
  const upToMark = async (mark = 'zz-mark') => {
    writeFileSync(at(mark), '');
    await seen(`added ${mark}`);
    return told().filter((it) => !it.endsWith(mark));
  };

  it('reports what changes in one folder while another one is looked at', async () => {
    plant(root, Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`many/${at}.txt`, ''])));
    await open('.');
    writeFileSync(at('many/new.txt'), '');
    await until('something has to be looked at', () => due.length > 0);
    for (const it of due.splice(0)) it.work();
    writeFileSync(at('sub/late.txt'), '');
    await seen('added sub/late.txt');
    assert.deepEqual(told(), ['added many/new.txt', 'added sub/late.txt']);
  });

  it('reports nothing of what was there, and what comes together once, in a report after a while', async () => {
    await open('.');
    assert.deepEqual([due.length, reports.length], [0, 0]);
    writeFileSync(at('one'), '');
    writeFileSync(at('two'), '');
    await until('a timer', () => due.length > 0);
    assert.deepEqual([due.map((it) => it.delayMs), reports.length], [[50], 0]);
    assert.deepEqual((await upToMark()).toSorted(), ['added one', 'added two']);
  });
  it('reports a change within a file, its removal, and a folder that comes with all that is in it', async () => {
    await open('.');
    appendFileSync(at('sub/deep/c.txt'), 'more');
    await seen('updated sub/deep/c.txt');
    rmSync(at('a.txt'));
    await seen('deleted a.txt');
    plant(root, { 'new/inner/d.txt': 'd' });
    await seen('added new/inner/d.txt');
    appendFileSync(at('new/inner/d.txt'), 'more');
    await seen('updated new/inner/d.txt');
    rmSync(at('sub'), { recursive: true });
    await seen('deleted sub');
    const all = told();
    for (const it of [
      'added new',
      'added new/inner',
      'deleted sub/deep/c.txt',
      'deleted sub/deep',
      'deleted sub/b.txt',
    ])
      assert.equal(all.filter((one) => one === it).length, 1, it);
    assert.deepEqual(failures, []);
  });
  it('follows a folder that took the place of another one, and the other one where it went', async () => {
    verifies('host.files.watch-replaced');
    await open('.');
    renameSync(at('sub'), at('was'));
    mkdirSync(at('sub'));
    await seen('added was/deep/c.txt');
    await seen('deleted sub/deep/c.txt');
    writeFileSync(at('sub/first'), '');
    await seen('added sub/first');
    writeFileSync(at('was/second'), '');
    await seen('added was/second');
    rmSync(at('sub/first'));
    await seen('deleted sub/first');
  });
  it('leaves a folder that a link took the place of', async () => {
    const outside = makeFolder('watch-tree-outside');
    try {
      await open('.');
      renameSync(at('sub'), at('was'));
      symlinkSync(outside, at('sub'));
      await seen('deleted sub/b.txt');
      writeFileSync(join(outside, 'secret'), '');
      assert.deepEqual(
        (await upToMark()).filter((it) => it.includes('secret')),
        [],
      );
    } finally {
      removeAll(outside);
    }
  });
  it('is its own folder alone without what is below, where that is not wanted', async () => {
    await open('.', { recursive: false });
    writeFileSync(at('sub/x'), '');
    mkdirSync(at('new'));
    writeFileSync(at('new/x'), '');
    assert.deepEqual(await upToMark(), ['added new']);
  });
  it('can be a single file, also one that is replaced, goes and comes back', async () => {
    await open('a.txt');
    writeFileSync(at('b.txt'), '');
    writeFileSync(at('other'), 'longer than before');
    renameSync(at('other'), at('a.txt'));
    await seen('updated a.txt');
    rmSync(at('a.txt'));
    await seen('deleted a.txt');
    writeFileSync(at('a.txt'), '');
    await seen('added a.txt');
    assert.deepEqual(new Set(told().map((it) => it.split(' ')[1])), new Set(['a.txt']));
  });
  it('shows nothing of what is excluded or half-written, nor of what is not included', async () => {
    const globs = {
      excludes: parseGlobs(['**/deep/**', '*.log'], 'e'),
      includes: parseGlobs(['**/*.txt', '*-mark', '*.log'], 'i'),
    };
    await open('.', globs);
    plant(root, { 'sub/deep/x.txt': '', 'x.log': '', 'x.md': '', 'sub/y.txt': '', 'new/z.txt': '' });
    writeFileSync(at('.switchboard-0f0e0d0c-0b0a-4908-8706-050403020100'), '');
    await seen('added sub/y.txt');
    await seen('added new/z.txt');
    assert.deepEqual((await upToMark()).toSorted(), ['added new/z.txt', 'added sub/y.txt']);
  });
  it('reports many changes in several reports, none of them too long, and each once', async () => {
    await open('.');
    const names = Array.from({ length: 2 * MAX_CHANGES + 10 }, (_, n) => `n${n}`);
    for (const it of names) writeFileSync(at(it), '');
    const all = await upToMark();
    assert.deepEqual(new Set(all.filter((it) => it.startsWith('added'))), new Set(names.map((it) => `added ${it}`)));
    assert.equal(all.filter((it) => it.startsWith('added')).length, names.length);
    assert.deepEqual(
      reports.filter((it) => it.length === 0 || it.length > 500),
      [],
    );
    assert.ok(reports.length >= 3);
  });
  it('says that all is gone when its folder goes', async () => {
    await open('sub');
    rmSync(at('sub'), { recursive: true });
    await seen('deleted sub/b.txt');
    await seen('deleted sub/deep/c.txt');
  });
  it('says nothing more once it is closed, and takes back the timer that it waits for', async () => {
    await open('.');
    writeFileSync(at('x'), '');
    await until('a timer', () => due.length > 0);
    const [timer] = due;
    trees[0]!.close();
    assert.deepEqual(due, []);
    timer!.work();
    writeFileSync(at('y'), '');
    await open('.'); // another one sees what the first does not
    await upToMark();
    assert.deepEqual(
      told().filter((it) => it === 'added x' || it === 'added y'),
      [],
    );
  });
  it('is refused for what is not there', async () => {
    assert.equal(await outcomeOf(open('absent')), 'not_found file or folder not found');
    assert.equal(trees.length, 0);
  });
});
