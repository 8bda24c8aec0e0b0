import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { URI } from 'vscode-uri';
import { type AskClient, clientFiles } from '../../../../../sidecar/host/customizations/clientFiles.ts';
import { diskFiles, MAX_FILE_BYTES } from '../../../../../sidecar/host/customizations/files.ts';
import { ResponseError } from '../../../../../sidecar/transport/responseError.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';

describe('files of customizations on this disk', () => {
  let place: Workspace;
  beforeEach(() => {
    place = openWorkspace({
      'root/b.md': 'b',
      'root/a.md': 'a',
      'root/folder/c.md': 'c',
      'root-other/secret.md': 'not yours',
      'root/full.md': 'x'.repeat(MAX_FILE_BYTES),
      'root/over.md': 'x'.repeat(MAX_FILE_BYTES + 1),
    });
  });
  afterEach(() => place.remove());
  const files = () => diskFiles(join(place.path, 'root'));

  it('are listed by their names, without links that lead nowhere', async () => {
    symlinkSync(join(place.path, 'nowhere'), join(place.path, 'root', 'dangling.md'));
    const found = await files().list(place.uriOf('root'));
    assert.deepEqual(
      found?.map((it) => `${it.name}${it.isFolder ? '/' : ''}`),
      ['a.md', 'b.md', 'folder/', 'full.md', 'over.md'],
    );
  });
  for (const { says, uri } of [
    { says: 'in a folder whose name begins like the root', uri: 'root-other/secret.md' },
    { says: 'above the root', uri: 'root/../root-other/secret.md' },
    { says: 'that is a folder', uri: 'root/folder' },
    { says: 'that is not there', uri: 'root/none.md' },
    { says: 'below a file', uri: 'root/a.md/none.md' },
  ]) {
    it(`have none ${says}`, async () => assert.equal(await files().read(place.uriOf(uri)), undefined));
  }
  it('list nothing beside the root', async () => {
    assert.equal(await files().list(place.uriOf('root-other')), undefined);
    assert.equal(await files().list(URI.file(place.path).toString()), undefined);
  });
  it('are read up to the largest size, and refused beyond it', async () => {
    assert.equal((await files().read(place.uriOf('root/full.md')))?.length, MAX_FILE_BYTES);
    await assert.rejects(files().read(place.uriOf('root/over.md')), /larger than/);
  });
});

describe('files of customizations with a client', () => {
  const answering =
    (answer: unknown): AskClient =>
    async () =>
      answer;
  const refusing =
    (code: number): AskClient =>
    async () => {
      throw new ResponseError(code, 'no');
    };
  it('are listed by their names, and none is named outside of its folder', async () => {
    const names = ['b', '..', 'a', '.', 'x/y', 'x\\y', '.hidden'];
    const entries = names.map((name) => ({ name, type: name === 'a' ? 'directory' : 'file' }));
    assert.deepEqual(await clientFiles(answering({ entries })).list('virtual://c/p'), [
      { name: '.hidden', isFolder: false },
      { name: 'a', isFolder: true },
      { name: 'b', isFolder: false },
    ]);
  });
  it('are missing where the client says so, and an error where it says anything else', async () => {
    for (const method of ['list', 'read'] as const) {
      assert.equal(await clientFiles(refusing(-32008))[method]('virtual://c/p'), undefined);
      await assert.rejects(clientFiles(refusing(-32009))[method]('virtual://c/p'), { code: -32009 });
    }
  });
  for (const encoding of ['utf-8', 'base64'] as const) {
    it(`are read up to the largest size as ${encoding}, and refused beyond it`, async () => {
      const sent = (bytes: number) => {
        const text = 'x'.repeat(bytes);
        const data = encoding === 'utf-8' ? text : Buffer.from(text).toString('base64');
        return clientFiles(answering({ data, encoding })).read('virtual://c/p/a.md');
      };
      assert.equal((await sent(MAX_FILE_BYTES))?.length, MAX_FILE_BYTES);
      await assert.rejects(sent(MAX_FILE_BYTES + 1), /larger than/);
    });
  }
});
