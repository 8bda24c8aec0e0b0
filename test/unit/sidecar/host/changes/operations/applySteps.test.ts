import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type ApplyDeps, applySteps, type Step } from '../../../../../../sidecar/host/changes/operations/applySteps.ts';
import { ContentStore } from '../../../../../../sidecar/host/changes/snapshots/contentStore.ts';
import { absent, FileReader, type FileState } from '../../../../../../sidecar/host/changes/snapshots/fileState.ts';
import { systemClock } from '../../../../../../sidecar/platform/clock.ts';

describe('steps of an operation', () => {
  let root: string;
  let top: string;
  let content: ContentStore;
  let deps: ApplyDeps;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'apply-steps-')));
    top = join(root, 'top');
    mkdirSync(top);
    content = new ContentStore({ folder: join(root, 'content') });
    deps = { reader: new FileReader(content, systemClock), read: (sha) => content.read(sha), folders: [top] };
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const at = (name: string) => join(top, name);
  const file = async (text: string, mode = 0o644): Promise<FileState> => ({
    kind: 'file',
    mode,
    ...(await content.put(Buffer.from(text))),
  });
  const step = async (name: string, expected: string | undefined, wanted: string | undefined): Promise<Step> => ({
    path: at(name),
    expected: expected === undefined ? absent : await file(expected),
    wanted: wanted === undefined ? absent : await file(wanted),
    newFolders: 0,
  });
  const write = (name: string, text: string) => writeFileSync(at(name), text, { mode: 0o644 });
  const tree = () =>
    Object.fromEntries(
      readdirSync(top, { recursive: true, encoding: 'utf8' })
        .toSorted()
        .map((it) => [it, statSync(at(it)).isFile() ? readFileSync(at(it), 'utf8') : 'folder']),
    );
  const apply = async (groups: readonly (readonly Step[])[], overwrite = false, more: Partial<ApplyDeps> = {}) => {
    const { done, left } = await applySteps({ ...deps, ...more }, groups, overwrite);
    const name = (path: string) => path.slice(top.length + 1);
    return {
      done: done.map((it) => name(it.path)),
      left: left.map((it) => `${name(it.path)} ${it.reason}`),
    };
  };

  for (const overwrite of [false, true])
    it(`leave a file that somebody changed after it was judged, and before its turn came (${overwrite ? 'overwriting' : 'plain'})`, async () => {
      for (const name of ['a', 'b']) write(name, 'agent');
      // The first one is being written: its bytes are read then.
      const read = (sha: string) => {
        write('b', 'mine, meanwhile');
        return content.read(sha);
      };
      const groups = [[await step('a', 'agent', 'was a')], [await step('b', 'agent', 'was b')]];
      assert.deepEqual(await apply(groups, overwrite, { read }), { done: ['a'], left: ['b conflict'] });
      assert.deepEqual(tree(), { a: 'was a', b: 'mine, meanwhile' });
    });

  it('leave a file that somebody made in a place that was free when it was judged', async () => {
    write('a', 'agent');
    const read = (sha: string) => {
      if (!('b' in tree())) write('b', 'mine, meanwhile');
      return content.read(sha);
    };
    const groups = [[await step('a', 'agent', 'was a')], [await step('b', undefined, 'was b')]];
    assert.deepEqual(await apply(groups, true, { read }), { done: ['a'], left: ['b conflict'] });
    assert.deepEqual(tree(), { a: 'was a', b: 'mine, meanwhile' });
  });

  it('of one group are done together or not at all, and of others nevertheless', async () => {
    for (const name of ['new', 'other']) write(name, 'agent');
    write('taken', 'mine');
    const rename = [await step('new', 'agent', undefined), await step('taken', undefined, 'was')];
    assert.deepEqual(await apply([rename, [await step('other', 'agent', undefined)]]), {
      done: ['other'],
      left: ['taken conflict'],
    });
    assert.deepEqual(tree(), { new: 'agent', taken: 'mine' });
  });

  it('write nothing where the disk holds already what it is to hold, but count as done', async () => {
    write('a', 'was');
    const { mtimeNs } = statSync(at('a'), { bigint: true });
    const read = () => assert.fail('nothing is read');
    assert.deepEqual(await apply([[await step('a', 'agent', 'was')]], false, { read }), { done: ['a'], left: [] });
    assert.equal(statSync(at('a'), { bigint: true }).mtimeNs, mtimeNs);
  });

  for (const { says, overwrite } of [
    { says: 'as it is', overwrite: false },
    { says: 'also where it may be overwritten', overwrite: true },
  ]) {
    it(`leave a folder in the place of a file that was changed ${says}`, async () => {
      mkdirSync(at('a'));
      assert.deepEqual(await apply([[await step('a', 'agent', 'was')]], overwrite), {
        done: [],
        left: ['a conflict'],
      });
      assert.deepEqual(tree(), { a: 'folder' });
    });
    it(`leave a folder in the place of a file that came ${says}`, async () => {
      mkdirSync(at('a'));
      assert.deepEqual(await apply([[await step('a', 'agent', undefined)]], overwrite), {
        done: [],
        left: ['a conflict'],
      });
      assert.deepEqual(tree(), { a: 'folder' });
    });
  }

  it('put a file in place of an empty folder where nothing was expected', async () => {
    mkdirSync(at('a'));
    assert.deepEqual(await apply([[await step('a', undefined, 'was')]]), { done: ['a'], left: [] });
    assert.deepEqual(tree(), { a: 'was' });
  });

  it('take nothing away that could not be put elsewhere, and free the place of what comes first', async () => {
    write('dir', 'agent');
    write('new', 'agent');
    const lost = { ...(await step('gone', undefined, 'lost')), wanted: await file('lost') };
    const read = async (sha: string) => {
      const bytes = await content.read(sha);
      if (bytes.toString() === 'lost') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      return bytes;
    };
    const groups = [
      [await step('new', 'agent', undefined), lost],
      [await step('dir', 'agent', undefined)],
      [await step('dir/inner', undefined, 'was')],
    ];
    assert.deepEqual(await apply(groups, false, { read }), { done: ['dir', 'dir/inner'], left: ['gone notWritten'] });
    assert.deepEqual(tree(), { dir: 'folder', 'dir/inner': 'was', new: 'agent' });
  });

  it('tell a file from one of the same bytes with other permissions', async () => {
    write('a', 'agent');
    const wanted = await file('agent', 0o755);
    const executable: Step = { path: at('a'), expected: await file('agent'), wanted, newFolders: 0 };
    assert.deepEqual(await apply([[executable]]), { done: ['a'], left: [] });
    assert.equal(statSync(at('a')).mode & 0o777, 0o755);
    assert.deepEqual(await apply([[await step('a', 'agent', 'was')]]), { done: [], left: ['a conflict'] });
  });
});
