import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ContentStore } from '../../../../../../sidecar/host/changes/snapshots/contentStore.ts';
import {
  FileReader,
  type FileState,
  isKept,
  sameState,
} from '../../../../../../sidecar/host/changes/snapshots/fileState.ts';

const MOST = 10;

describe('a file that is looked at', () => {
  let root: string;
  let path: string;
  let content: ContentStore;
  let later = 0;
  let reader: FileReader;
  let puts = 0;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'file-state-')));
    path = join(root, 'a');
    [later, puts] = [0, 0];
    content = new ContentStore({ folder: join(root, 'content') });
    const put = content.put.bind(content);
    content.put = (bytes) => {
      puts += 1;
      return put(bytes);
    };
    reader = new FileReader(content, { nowMs: () => Date.now() + later }, MOST);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const text = async () => {
    const state = await reader.read(path);
    return isKept(state) ? (await content.read(state.sha)).toString() : state.kind;
  };
  /** Only what the system itself notes of a change is different then. */
  const writeUndated = (bytes: string) => {
    writeFileSync(path, bytes);
    utimesSync(path, 1_000, 1_000);
  };

  it('is read once while it stays as it is, and again when another took its place', async () => {
    writeFileSync(path, 'one');
    later = 10_000;
    for (let n = 0; n < 3; n += 1) assert.equal(await text(), 'one');
    assert.equal(puts, 1);
    writeFileSync(join(root, 'b'), 'two');
    renameSync(join(root, 'b'), path);
    assert.equal(await text(), 'two');
    assert.equal(puts, 2);
  });

  it('is read again when its bytes changed and its size and time of change did not', async () => {
    writeUndated('one');
    later = 10_000;
    assert.equal(await text(), 'one');
    writeUndated('two');
    assert.equal(await text(), 'two');
  });

  it('is read again when only its permission bits changed', async () => {
    writeFileSync(path, 'one', { mode: 0o644 });
    later = 10_000;
    const before = await reader.read(path);
    chmodSync(path, 0o600);
    const after = await reader.read(path);
    assert.deepEqual([isKept(before) && before.mode, isKept(after) && after.mode], [0o644, 0o600]);
    assert.equal(sameState(before, after), false);
  });

  it('is read at each look within 50 ms of its last change, which may not show the next one', async () => {
    writeFileSync(path, 'one');
    const changedMs = statSync(path).ctimeMs;
    const fixed = (nowMs: number) => new FileReader(content, { nowMs: () => nowMs }, MOST);
    for (const [afterMs, expected] of [
      [0, 2],
      [50, 2],
      [52, 1],
    ] as const) {
      const own = fixed(Math.floor(changedMs) + afterMs);
      puts = 0;
      await own.read(path);
      await own.read(path);
      assert.equal(puts, expected, `${afterMs} ms`);
    }
  });

  it('is kept up to the limit, and beyond it by a sentence of its own for each version', async () => {
    writeFileSync(path, 'x'.repeat(MOST));
    assert.equal(await text(), 'x'.repeat(MOST));
    const versions: FileState[] = [];
    for (const size of [MOST + 1, MOST + 2]) {
      writeFileSync(path, 'x'.repeat(size));
      versions.push(await reader.read(path));
    }
    assert.deepEqual(
      versions.map((it) => isKept(it) && it.notKept),
      ['tooLarge', 'tooLarge'],
    );
    assert.equal(sameState(versions[0]!, versions[1]!), false);
    assert.match(await text(), /^Switchboard did not save this file: it is too large\. Size: 12 bytes/);
  });

  for (const { says, make, kind } of [
    { says: 'not there', make: () => undefined, kind: 'absent' },
    { says: 'in the place of its folder', make: () => writeFileSync(path, ''), kind: 'absent' },
    { says: 'a folder', make: () => mkdirSync(path), kind: 'other' },
    { says: 'a pipe, for which nobody waits', make: () => void execFileSync('mkfifo', [path]), kind: 'other' },
    { says: 'a link, which is not followed', make: () => symlinkSync('/etc/hostname', path), kind: 'link' },
    { says: 'a link whose target does not exist', make: () => symlinkSync('nowhere', path), kind: 'link' },
  ])
    it(`is ${kind} where it is ${says}`, async () => {
      make();
      const state = await reader.read(says.endsWith('folder') && kind === 'absent' ? join(path, 'b') : path);
      assert.equal(state.kind, kind);
      if (isKept(state)) assert.match((await content.read(state.sha)).toString(), /^(?:\/etc\/hostname|nowhere)$/);
    });
});

describe('two states of a file', () => {
  const file = (more: object = {}): FileState => ({ kind: 'file', mode: 0o644, sha: 'a', size: 1, ...more });
  for (const { says, one, other, isSame } of [
    { says: 'with the same bytes and bits', one: file(), other: file(), isSame: true },
    { says: 'with other bytes', one: file(), other: file({ sha: 'b' }), isSame: false },
    { says: 'with other bits', one: file(), other: file({ mode: 0o755 }), isSame: false },
    { says: 'one of them a link to the same text', one: file(), other: file({ kind: 'link' }), isSame: false },
    {
      says: 'both links, whose bits mean nothing',
      one: file({ kind: 'link' }),
      other: file({ kind: 'link', mode: 0o755 }),
      isSame: true,
    },
    { says: 'one of them gone', one: file(), other: { kind: 'absent' } as const, isSame: false },
    { says: 'both gone', one: { kind: 'absent' } as const, other: { kind: 'absent' } as const, isSame: true },
    { says: 'gone and a folder', one: { kind: 'absent' } as const, other: { kind: 'other' } as const, isSame: false },
  ])
    it(`${says} are ${isSame ? 'the same' : 'different'}`, () => {
      assert.equal(sameState(one, other), isSame);
      assert.equal(sameState(other, one), isSame);
    });
});
