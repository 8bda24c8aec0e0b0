import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Baseline } from '../../../../../../sidecar/host/changes/snapshots/baseline.ts';
import { ContentStore } from '../../../../../../sidecar/host/changes/snapshots/contentStore.ts';
import { isKept } from '../../../../../../sidecar/host/changes/snapshots/fileState.ts';
import { WalkedFolder } from '../../../../../../sidecar/host/changes/snapshots/walkBaseline.ts';

const MOST = 10;

describe('a folder without git, compared with what it was', () => {
  let root: string;
  let top: string;
  let content: ContentStore;
  let later = 0;
  /** Where the clock stands still; else it goes, and is `later` ms ahead. */
  let stoppedMs: number | undefined;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'walk-')));
    top = join(root, 'top');
    mkdirSync(top);
    later = 10_000;
    stoppedMs = undefined;
    content = new ContentStore({ folder: join(root, 'content') });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (name: string) => join(top, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  };
  const walked = (limits: { files?: number; bytes?: number } = {}) =>
    new WalkedFolder(top, join(root, 'copies'), { nowMs: () => stoppedMs ?? Date.now() + later }, MOST, {
      files: 100,
      bytes: 1_000,
      ...limits,
    });
  /** What each file that changed was before: its text, why there is none, or that it was not there. */
  const changesOf = async (baseline: Baseline) => {
    const found: Record<string, string> = {};
    for (const [path, state] of await baseline.changes())
      found[path.slice(top.length + 1)] = !isKept(state)
        ? state.kind
        : (state.notKept ?? (await content.read(state.sha)).toString());
    return found;
  };

  it('has what each file held, however it changed or went', async () => {
    for (const it of ['same', 'new', 'gone', 'in/gone', 'bits']) write(it, it);
    rmSync(at('new'));
    const baseline = await walked().open(content);
    write('new', 'x');
    write('same', 'same');
    write('in/gone', 'x');
    rmSync(at('gone'));
    chmodSync(at('bits'), 0o600);
    const found = await changesOf(baseline);
    assert.deepEqual(
      { ...found, same: undefined },
      { new: 'absent', gone: 'gone', 'in/gone': 'in/gone', bits: 'bits', same: undefined },
    );
  });

  it('does not look into what tools install, and follows no link', async () => {
    mkdirSync(join(root, 'beside'));
    symlinkSync(join(root, 'beside'), at('link'));
    const baseline = await walked().open(content);
    for (const it of ['node_modules/a', 'in/.git/a', '.venv/a', 'in/a']) write(it, 'x');
    writeFileSync(join(root, 'beside', 'a'), 'x');
    assert.deepEqual(await changesOf(baseline), { 'in/a': 'absent' });
  });

  for (const { says, files, bytes, expected, notice } of [
    {
      says: 'all of them where there is just room',
      files: { a: 'xxxx', b: 'xxxxxx' },
      bytes: 10,
      expected: { a: 'xxxx', b: 'xxxxxx' },
      notice: undefined,
    },
    {
      says: 'the small ones where there is no room for all',
      files: { a: 'xxxxxxx', b: 'xxx', c: 'x' },
      bytes: 10,
      expected: { a: 'overBudget', b: 'xxx', c: 'x' },
      notice: /^top is too large to copy .* Some changes in it cannot be undone\.$/,
    },
    {
      says: 'also where one is too large for any room: it takes none of it',
      files: { a: 'x'.repeat(MOST + 1), b: 'xxxxx', c: 'xxxxx' },
      bytes: 10,
      expected: { a: 'tooLarge', b: 'xxxxx', c: 'xxxxx' },
      notice: undefined,
    },
  ])
    it(`keeps the bytes of its files up to a limit: ${says}`, async () => {
      for (const [name, text] of Object.entries(files)) write(name, text);
      const baseline = await walked({ bytes }).open(content);
      if (notice) assert.match(baseline.notices.join('\n'), notice);
      else assert.deepEqual(baseline.notices, []);
      for (const name of Object.keys(files)) rmSync(at(name));
      assert.deepEqual(await changesOf(baseline), expected);
    });

  it('keeps in a later turn what there was no room for before', async () => {
    write('a', 'xxxxxx');
    write('b', 'xxxxx');
    const folder = walked({ bytes: 10 });
    await folder.open(content);
    rmSync(at('b'));
    const baseline = await folder.open(content);
    assert.deepEqual(baseline.notices, []);
    rmSync(at('a'));
    assert.deepEqual(await changesOf(baseline), { a: 'xxxxxx' });
  });

  it('compares by its bytes what was written a moment before the turn: its times may not show a second write', async () => {
    write('a', 'before');
    stoppedMs = statSync(at('a')).ctimeMs + 20;
    const folder = walked();
    const baseline = await folder.open(content);
    // Nothing differs that a look could see; whoever compares the bytes finds the same ones.
    assert.deepEqual(await changesOf(baseline), { a: 'before' });
    stoppedMs = undefined;
    const settled = await folder.open(content);
    assert.deepEqual(await changesOf(settled), {});
  });

  describe('that holds more files than are looked at', () => {
    const names = ['a', 'b', 'c'];
    const notice = 'top contains more than 3 files and is not a Git repository. Some changes in it may be missing.';

    it('has just as many as the limit without a word', async () => {
      for (const it of names) write(it, it);
      const baseline = await walked({ files: 3 }).open(content);
      assert.deepEqual(baseline.notices, []);
    });

    it('takes for new only what came in the turn: the rest may have been there', async () => {
      for (const it of [...names, 'd']) write(it, it);
      later = 60_000; // the turn begins well after them
      const baseline = await walked({ files: 3 }).open(content);
      assert.deepEqual(baseline.notices, [notice]);
      rmSync(at('a'));
      assert.deepEqual(await changesOf(baseline), { a: 'a' }); // `d` came into view
      later = -60_000; // the turn begins before them
      rmSync(at('d'));
      write('a', 'a');
      write('d', 'd');
      const other = await walked({ files: 3 }).open(content);
      rmSync(at('b'));
      const found = await changesOf(other);
      assert.deepEqual([found['b'], found['d']], ['b', 'absent']);
    });

    it('does not take for gone what new ones pushed out of view, and what cannot be told from there', async () => {
      write('in/z', 'z');
      write('y', 'y');
      const baseline = await walked({ files: 3 }).open(content);
      assert.deepEqual(baseline.notices, []);
      for (const it of ['a', 'b', 'c']) write(it, it);
      assert.deepEqual(await changesOf(baseline), { a: 'absent', b: 'absent', c: 'absent' });
      // A link to where it still is, a folder of its name, and a file in place of its folder are not what it was.
      renameSync(at('in'), join(root, 'in'));
      symlinkSync(join(root, 'in'), at('in'));
      rmSync(at('y'));
      mkdirSync(at('y'));
      const found = await changesOf(baseline);
      assert.deepEqual([found['in/z'], found['y']], ['z', 'y']);
    });

    it('takes for gone what is not in it any more, whatever has its name', async () => {
      write('in/z', 'z');
      const baseline = await walked({ files: 3 }).open(content);
      renameSync(at('in'), join(root, 'in'));
      symlinkSync(join(root, 'in'), at('in'));
      assert.deepEqual(await changesOf(baseline), { in: 'absent', 'in/z': 'z' });
    });
  });
});
