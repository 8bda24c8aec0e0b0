import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { filePath, fileUri } from '../../../../../sidecar/host/changes/snapshots/pathChange.ts';
import { fromBytes, toBytes } from '../../../../../sidecar/host/files/rawPath.ts';
import { uncommittedChangesetUri } from '../../../../../sidecar/protocol/uris.ts';
import { type ChangesBench, folderKinds, inBench } from '../../../../support/changes/changes.ts';
import { openRepositoryPlace } from '../../../../support/host/repositoryPlace.ts';
import { verifies } from '../../../../support/verifies.ts';

/** Latin-1 letters, as old archives bring them: no UTF-8. */
const raw = (bench: ChangesBench, name: string) => Buffer.from(`${bench.folder}/${name}`, 'latin1');
const write = (bench: ChangesBench, name: string, text: string) => writeFileSync(raw(bench, name), text);
const read = (bench: ChangesBench, name: string) => readFileSync(raw(bench, name), 'utf8');
const namesIn = (folder: string | Buffer) => readdirSync(folder, 'latin1').toSorted((a, b) => (a < b ? -1 : 1));
const start = (bench: ChangesBench, git: boolean) => {
  mkdirSync(raw(bench, 'd\xe9'));
  write(bench, 'f\xfc.txt', 'f\n');
  write(bench, 'd\xe9/x.txt', 'x\n');
  write(bench, 'old\xff.txt', 'old\n'.repeat(20));
  if (git)
    for (const args of [
      ['add', '-A'],
      ['commit', '-q', '-m', 'raw'],
    ])
      bench.git(...args);
};

for (const { where, git } of folderKinds) {
  describe(`files whose names are no UTF-8 ${where}`, () => {
    it('are recorded under URIs of their bytes, undone and redone, all of them and each by itself', () => {
      verifies('host.changes.raw-names');
      if (process.platform !== 'linux') return; // other systems have no such names
      return inBench({ git, files: { 'a.txt': 'a\n' } }, async (bench) => {
        start(bench, git);
        await bench.turn('t1', () => {
          write(bench, 'f\xfc.txt', 'agent\n');
          write(bench, 'd\xe9/new\xe4.txt', 'agent\n');
          rmSync(raw(bench, 'd\xe9/x.txt'));
          execFileSync('sh', ['-c', `mv old*.txt "$(printf 'moved\\351.txt')"`], { cwd: bench.folder });
        });
        const folder = `file://${bench.folder}`;
        const ids = new Set([
          `${folder}/f%FC.txt`,
          `${folder}/d%E9/new%E4.txt`,
          `${folder}/d%E9/x.txt`,
          `${folder}/moved%E9.txt`,
        ]);
        assert.deepEqual(new Set(bench.sessionSet().files.map((it) => it.id)), ids);
        const stored = JSON.stringify(bench.sessionSet());
        assert.doesNotMatch(stored, /\\ud[89a-f]/i);
        await bench.invoke('undo');
        assert.deepEqual([read(bench, 'f\xfc.txt'), read(bench, 'd\xe9/x.txt')], ['f\n', 'x\n']);
        assert.deepEqual(namesIn(raw(bench, 'd\xe9')), ['x.txt']);
        assert.deepEqual(
          namesIn(bench.folder).filter((it) => it !== '.git'),
          ['a.txt', 'd\xe9', 'f\xfc.txt', 'old\xff.txt'],
        );
        assert.doesNotMatch(JSON.stringify(bench.sessionSet()), /\\ud[89a-f]/i);
        await bench.invoke('redo');
        assert.deepEqual(new Set(bench.sessionSet().files.map((it) => it.id)), ids);
        assert.deepEqual(namesIn(raw(bench, 'd\xe9')), ['new\xe4.txt']);
        for (const resource of ids) {
          const channel = `host-changeset:/${bench.session.split('/').at(-1)}/session`;
          await bench.changes.invoke(
            { channel, operationId: 'undo', target: { kind: 'resource', resource } },
            { isTrusted: true },
          );
        }
        assert.deepEqual(bench.sessionSet().files, []);
        assert.equal(read(bench, 'old\xff.txt'), 'old\n'.repeat(20));
      });
    });

    it('are named in words with a replacement character when an undo leaves them', () => {
      verifies('host.changes.raw-names');
      if (process.platform !== 'linux') return;
      return inBench({ git }, async (bench) => {
        start(bench, git);
        await bench.turn('t1', () => write(bench, 'f\xfc.txt', 'agent\n'));
        write(bench, 'f\xfc.txt', 'mine\n');
        await assert.rejects(bench.invoke('undo'), /f\uFFFD\.txt \(it has changed since/);
        assert.equal(read(bench, 'f\xfc.txt'), 'mine\n');
      });
    });
  });
}

describe('what is not committed and has a name that is no UTF-8', () => {
  it('is shown under the URI of its bytes, counted and staged', async () => {
    verifies('host.changes.raw-names');
    if (process.platform !== 'linux') return;
    const at = await openRepositoryPlace({ 'a.txt': 'a\n' });
    try {
      const channel = uncommittedChangesetUri(at.uuid);
      await at.peer.subscribe(channel);
      writeFileSync(Buffer.from(`${at.workspace.path}/f\xfc.txt`, 'latin1'), 'one\ntwo\n');
      const uri = `${at.workspace.uri}/f%FC.txt`;
      const row = () => at.state(channel).files.find((it) => it.id === uri);
      await at.peer.until(() => row() !== undefined);
      assert.deepEqual(row()!.edit.diff, { added: 2, removed: 0 });
      const target = { kind: 'resource', resource: uri } as const;
      await at.peer.request('invokeChangesetOperation', { channel, operationId: 'stage', target });
      assert.equal(at.git('diff', '--cached', '--name-only'), '"f\\374.txt"\n');
    } finally {
      await at.close();
    }
  });
});

describe('a path of any bytes', () => {
  it('is the same bytes again from our string, and the same string again from its URI', () => {
    verifies('host.changes.raw-names');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (some) => {
        const bytes = Buffer.from(`/${Buffer.from(some.filter((it) => it !== 0)).toString('latin1')}`, 'latin1');
        const path = fromBytes(bytes);
        assert.ok(toBytes(path).equals(bytes));
        // At the root, VS Code reads these as an authority and as a drive of Windows.
        if (/^\/(?:\/|[a-z]:)/i.test(path)) return;
        const uri = fileUri(path);
        assert.match(uri, /^[\x21-\x7e]+$/);
        assert.equal(filePath(uri), path);
      }),
    );
  });
});
