import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  isBelow,
  realInside,
  recordedFolders,
  requireInside,
} from '../../../../../../sidecar/host/changes/snapshots/insideFolders.ts';
import { openWays } from '../../../../../../sidecar/host/changes/snapshots/openWays.ts';

describe('a path', () => {
  for (const [path, folder, expected] of [
    ['/a/b', '/a', true],
    ['/a/b/c', '/a', true],
    ['/a/..b', '/a', true],
    ['/a', '/a', false],
    ['/', '/a', false],
    ['/ab', '/a', false],
    ['/b/a', '/a', false],
    ['/a', '/', true],
  ] as const)
    it(`${path} is ${expected ? '' : 'not '}below ${folder}`, () => assert.equal(isBelow(path, folder), expected));
});

describe('paths in the folders of a session', () => {
  let root: string;
  let top: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'inside-')));
    top = join(root, 'top');
    mkdirSync(join(top, 'in'), { recursive: true });
    mkdirSync(join(root, 'beside'));
    writeFileSync(join(top, 'file'), '');
    symlinkSync(join(root, 'beside'), join(top, 'out'));
    symlinkSync('in', join(top, 'alias'));
    symlinkSync(top, join(root, 'to-top'));
    symlinkSync('round', join(top, 'about'));
    symlinkSync('about', join(top, 'round'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  for (const [says, path, expected] of [
    ['a file', 'top/file', 'top/file'],
    ['one that does not exist, nor its folders', 'top/new/er/file', 'top/new/er/file'],
    ['one through a link that stays inside', 'top/alias/file', 'top/in/file'],
    ['one through a link from outside', 'to-top/in/file', 'top/in/file'],
    ['a link itself, which is not followed', 'top/out', 'top/out'],
    ['one behind a link that leads out', 'top/out/file', undefined],
    ['one behind links that lead to each other', 'top/round/file', undefined],
    ['one such link itself', 'top/round', 'top/round'],
    ['one beside', 'beside/file', undefined],
    ['the folder itself', 'top', undefined],
    ['one with dots in the last place', 'top/in/..', undefined],
    ['one that the system cannot have', 'top/in/a\0b', undefined],
  ] as const)
    it(`are judged by their real folder: ${says}`, async () => {
      const named = `${root}/${path}`;
      const real = expected && join(root, expected);
      assert.equal(await realInside(named, [join(root, 'other'), top]), real);
      if (real === undefined) await assert.rejects(requireInside(named, [top]), { code: 'forbidden' });
      else assert.equal(await requireInside(named, [top]), real);
    });

  it('are none where they are relative', async () => {
    assert.equal(await realInside('top/file', ['/']), undefined);
  });

  it('are open where only folders are on the way, each looked at once', async () => {
    const ways = ['in/a', 'a', 'file/a', 'out/a', 'out/in/a', 'alias/a', 'missing/a', 'missing/er/a'];
    mkdirSync(join(root, 'beside', 'in'));
    const isOpen = openWays([top]);
    const open = async () => (await Promise.all(ways.map((it) => isOpen(join(top, it))))).map(Number).join('');
    assert.equal(await open(), '11000000');
    rmSync(join(top, 'in'), { recursive: true });
    assert.equal(await open(), '11000000');
    assert.equal(await openWays([top])(join(top, 'in/a')), false);
  });
});

describe('recorded folders', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'recorded-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const at = (...names: string[]) => join(root, ...names);

  it('are where they were when they are gone, also behind several links, and without end in a circle of links', async () => {
    mkdirSync(at('real'));
    symlinkSync('real', at('one'));
    symlinkSync('one', at('two'));
    symlinkSync('circle', at('circle'));
    const named = ['real', 'one', 'two', 'two/inner'].map((it) => at(it));
    const expected = [at('real'), at('real'), at('real'), at('real', 'inner')];
    assert.deepEqual(await recordedFolders(named), expected);
    renameSync(at('real'), at('away'));
    assert.deepEqual(await recordedFolders(named), expected);
    assert.deepEqual(await recordedFolders([at('circle'), at('real')]), [at('real')]);
  });
});
