import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { maxInstalledBytes, packCommand } from '../../npmPackage.ts';
import { npm } from '../support/npm.ts';
import { verifies } from '../support/verifies.ts';

const run = promisify(execFile);

describe('the package with the command', () => {
  let folder: string;
  let packed: Awaited<ReturnType<typeof packCommand>>;
  before(async function pack() {
    this.timeout(120_000);
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-package-')));
    packed = await packCommand(folder);
    await npm(['install', '--global', '--prefix', join(folder, 'prefix'), '--offline', packed.path], folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is installed by npm without another package, and answers with its version', async () => {
    verifies('gateway.command.package');
    const inPrefix = process.platform === 'win32' ? [] : ['lib'];
    const modules = join(folder, 'prefix', ...inPrefix, 'node_modules');
    assert.deepEqual(readdirSync(modules), ['switchboard']);
    assert.ok(!readdirSync(join(modules, 'switchboard')).includes('node_modules'));
    const entry = join(modules, 'switchboard', 'dist', 'sidecar', 'main.mjs');
    const { stdout } = await run(process.execPath, [entry, '--version']);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it('has nothing of the editor, and is smaller than 8 MB', () => {
    verifies('gateway.command.package');
    assert.ok(packed.installedBytes > 1_000_000 && packed.installedBytes < maxInstalledBytes);
    const inPrefix = process.platform === 'win32' ? [] : ['lib'];
    const installed = readdirSync(join(folder, 'prefix', ...inPrefix, 'node_modules', 'switchboard'), {
      recursive: true,
      encoding: 'utf8',
    });
    assert.deepEqual(
      installed.filter((it) => /\.cjs$|\.map$|node-pty|package\.nls|chat|walkthrough/.test(it)),
      [],
    );
    assert.ok(installed.some((it) => it.endsWith('admin.js')));
  });
});
