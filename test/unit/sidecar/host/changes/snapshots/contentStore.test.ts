import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ContentStore } from '../../../../../../sidecar/host/changes/snapshots/contentStore.ts';
import { sha } from '../../../../../support/changes/changes.ts';

describe('the content store', () => {
  let folder: string;
  const open = (isTemporary = false) => new ContentStore({ folder, isTemporary });
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'content-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const isTemporary of [false, true]) {
    it(`keeps bytes once under their hash, for the owner alone (${isTemporary ? 'until the process ends' : 'for good'})`, async () => {
      const bytes = Buffer.from([0, 1, 255]);
      const stored = await open(isTemporary).put(bytes);
      assert.deepEqual(stored, { sha: sha(bytes), size: 3 });
      assert.deepEqual(await open().put(bytes), stored);
      assert.deepEqual(await open().read(stored.sha), bytes);
      assert.deepEqual(readdirSync(folder), [stored.sha.slice(0, 2)]);
      assert.equal(statSync(join(folder, stored.sha.slice(0, 2), stored.sha)).mode & 0o777, 0o600);
    });
  }

  for (const name of ['0'.repeat(64), '../../etc/passwd', '', 'A'.repeat(64)]) {
    it(`does not know ${JSON.stringify(name)}`, () => assert.rejects(open().read(name), { code: 'content_not_found' }));
  }

  it('collects what nobody uses and what was left half written, never what it stored itself', async () => {
    const used = await open().put(Buffer.from('used'));
    const old = await open().put(Buffer.from('old'));
    const half = join(folder, used.sha.slice(0, 2), '.half');
    writeFileSync(half, 'x');
    const store = open();
    const fresh = await store.put(Buffer.from('fresh'));
    await store.collect((it) => it === used.sha);
    assert.deepEqual(
      [await store.has(used.sha), await store.has(old.sha), await store.has(fresh.sha)],
      [true, false, true],
    );
    assert.equal(readdirSync(join(folder, used.sha.slice(0, 2))).includes('.half'), false);
  });

  it('stores the same bytes from many callers at once', async () => {
    const store = open();
    const all = await Promise.all(Array.from({ length: 20 }, () => store.put(Buffer.from('same'))));
    assert.equal(new Set(all.map((it) => it.sha)).size, 1);
    assert.equal((await store.read(all[0]!.sha)).toString(), 'same');
  });

  it('stores again what it could not store before, and leaves nothing half written', async () => {
    const bytes = Buffer.from('later');
    const part = join(folder, sha(bytes).slice(0, 2));
    const store = open();
    writeFileSync(part, ''); // no folder can be made there
    await assert.rejects(store.put(bytes));
    rmSync(part);
    assert.deepEqual(await store.put(bytes), { sha: sha(bytes), size: 5 });
    assert.deepEqual(readdirSync(part), [sha(bytes)]);
    assert.equal(statSync(part).mode & 0o777, 0o700);
  });

  it('leaves nothing of what it wrote when something fails before it is whole, and nobody reads it meanwhile', async () => {
    const bytes = Buffer.from('half');
    const part = join(folder, sha(bytes).slice(0, 2));
    let seen: readonly string[] = [];
    let isThere: Promise<boolean> | undefined;
    const store: ContentStore = new ContentStore({
      folder,
      get isTemporary(): boolean {
        seen = readdirSync(part);
        isThere = store.has(sha(bytes));
        throw new Error('an error of the disk');
      },
    });
    await assert.rejects(store.put(bytes), /error of the disk/);
    assert.deepEqual([seen.length, seen.includes(sha(bytes)), await isThere], [1, false, false]);
    assert.deepEqual(readdirSync(part), []);
  });

  it('drops what it is told to, and not what it stored itself: a reference to it may be on its way', async () => {
    const [old, other] = [await open().put(Buffer.from('old')), await open().put(Buffer.from('other'))];
    const store = open();
    const fresh = await store.put(Buffer.from('fresh'));
    await store.drop([old.sha, fresh.sha, '0'.repeat(64)]);
    assert.deepEqual(
      [await store.has(old.sha), await store.has(other.sha), await store.has(fresh.sha)],
      [false, true, true],
    );
  });
});
