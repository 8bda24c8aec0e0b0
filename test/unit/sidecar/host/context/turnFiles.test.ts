import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { turnFiles } from '../../../../../sidecar/host/context/turnFiles.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('files that an agent reads and writes through the host', () => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace = openWorkspace({ 'a.txt': 'a\n' });
    mkdirSync(join(workspace.path, 'dir'));
    symlinkSync('/etc', join(workspace.path, 'out'));
  });
  afterEach(() => workspace.remove());

  const outside = { code: 'forbidden', message: "this file is outside the session's folders" };
  for (const { name, reading, writing } of [
    { name: '/etc/hostname', reading: outside, writing: outside },
    { name: '../other.txt', reading: outside, writing: outside },
    { name: 'out/hostname', reading: outside, writing: outside },
    {
      name: 'dir',
      reading: { code: 'invalid_params', message: 'this is a folder' },
      writing: { code: 'invalid_params', message: 'this is a folder' },
    },
    { name: 'none.txt', reading: { code: 'not_found' }, writing: undefined },
    { name: 'a.txt/below.txt', reading: { code: 'not_found' }, writing: { code: 'already_exists' } },
  ]) {
    it(`are refused as ${name} is, in words, and written only where that is possible`, async () => {
      verifies('host.agent.file-errors');
      const captured: string[] = [];
      const files = turnFiles(
        [workspace.path],
        async (paths) => void captured.push(...paths),
        () => undefined,
      );
      const path = name.startsWith('/') ? name : `${workspace.path}/${name}`;
      await assert.rejects(files.readText(path), reading);
      if (writing) await assert.rejects(files.writeText(path, 'x'), writing);
      else {
        await files.writeText(path, 'x');
        assert.equal(readFileSync(path, 'utf8'), 'x');
        assert.deepEqual(captured, [path]);
      }
    });
  }

  it('are not written while the session is read only, and are still read', async () => {
    verifies('host.dial.read-only');
    let refused: string | undefined = 'read only';
    const files = turnFiles(
      [workspace.path],
      async () => undefined,
      () => refused,
    );
    const path = join(workspace.path, 'a.txt');
    await assert.rejects(files.writeText(path, 'x'), { code: 'forbidden', message: 'read only' });
    assert.equal(await files.readText(path), 'a\n');
    refused = undefined;
    await files.writeText(path, 'x');
    assert.equal(readFileSync(path, 'utf8'), 'x');
  });
});
