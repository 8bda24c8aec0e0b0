import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, describe, it } from 'mocha';
import { maxInstalledBytes, packCommand } from '../../npmPackage.ts';
import { openEmptyFolder } from '../support/documents/emptyFolder.ts';
import { fencesOf, readDocument } from '../support/documents/markdown.ts';
import { realServers } from '../support/mcp/realServers.ts';
import { freePort } from '../support/network/freePort.ts';
import { npm } from '../support/npm.ts';
import { say } from '../support/say.ts';
import { verifies } from '../support/verifies.ts';

const run = promisify(execFile);

describe('the package with the command', () => {
  let folder: string;
  let packed: Awaited<ReturnType<typeof packCommand>>;
  before(async function pack() {
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
    const sidecar = join('dist', 'sidecar');
    const installed = readdirSync(join(folder, 'prefix', ...inPrefix, 'node_modules', 'switchboard'), {
      recursive: true,
      encoding: 'utf8',
    });
    const isOfEditor = (it: string) =>
      /\.map$|node-pty|package\.nls|chat|walkthrough/.test(it) || (it.endsWith('.cjs') && dirname(it) !== sidecar);
    assert.deepEqual(installed.filter(isOfEditor), []);
    assert.ok(installed.includes(join(sidecar, 'undici.cjs')));
    assert.ok(installed.some((it) => it.endsWith('admin.js')));
  });

  it('sets up a gateway and calls a tool with the six commands of GATEWAY.md', async function six() {
    this.timeout(420_000); // installs the server once
    verifies('gateway.command.installed');
    const { program } = await realServers();
    const section = 'Set up a gateway with the installed command';
    const commands = fencesOf(readDocument('GATEWAY.md')).filter((it) => it.section === section);
    assert.equal(commands.length, 6);
    const place = openEmptyFolder(program('everything'), { isInstalled: false });
    try {
      copyFileSync(packed.path, join(place.folder, basename(packed.path)));
      const port = await freePort();
      const begun = performance.now();
      const printed: string[] = [];
      for (const { text } of commands) {
        const command = text
          .replaceAll('4000', String(port))
          .replace('--wait 30', '--wait 300')
          .replace(/gateway (?:server|key) .*/, `$& --url http://127.0.0.1:${port}`);
        printed.push(await place.run(command));
        say(`      $ ${command}`);
      }
      assert.match(printed[5] ?? '', /Echo: hello/);
      say(`      six commands in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
      const log = readFileSync(join(place.folder, 'gateway.log'), 'utf8');
      for (const name of ['key', 'admin-key', 'secret']) {
        const secret = readFileSync(join(place.folder, name), 'utf8').trim();
        assert.ok(secret.length > 16 && !(log + printed.join('')).includes(secret), name);
      }
    } finally {
      place.close();
    }
  });
});
