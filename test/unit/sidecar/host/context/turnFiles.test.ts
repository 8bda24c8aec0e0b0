import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { turnFiles } from '../../../../../sidecar/host/context/turnFiles.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { openWorkspace, type Workspace } from '../../../../support/host/workspace.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('files that an agent reads and writes through the host', () => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace = openWorkspace({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
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
        (change) => change.perform(),
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

  it('are not written where that is not allowed, and are still read', async () => {
    let refused: Error | undefined = new Fault('forbidden', 'not now');
    const asked: string[] = [];
    const files = turnFiles(
      [workspace.path],
      async () => undefined,
      async ({ path, content, held, perform }) => {
        asked.push(`${path} ${await held()} ${content}`);
        if (refused) throw refused;
        await perform();
      },
    );
    const path = join(workspace.path, 'a.txt');
    await assert.rejects(files.writeText(path, 'x'), { code: 'forbidden', message: 'not now' });
    assert.equal(await files.readText(path), 'a\n');
    refused = undefined;
    await files.writeText(path, 'x');
    assert.equal(readFileSync(path, 'utf8'), 'x');
    assert.deepEqual(asked, [`${path} a\n x`, `${path} a\n x`]);
  });

  it('are not written where a link took the place of the file while that was decided', async () => {
    const files = turnFiles(
      [workspace.path],
      async () => undefined,
      async ({ path, perform }) => {
        rmSync(path);
        symlinkSync(join(workspace.path, 'b.txt'), path);
        await perform();
      },
    );
    await assert.rejects(files.writeText(join(workspace.path, 'a.txt'), 'x'), { code: 'forbidden' });
    assert.equal(readFileSync(join(workspace.path, 'b.txt'), 'utf8'), 'b\n');
  });
});
