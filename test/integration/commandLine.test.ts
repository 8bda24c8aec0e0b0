import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { freePort } from '../support/network/freePort.ts';
import { builtSidecar, openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const run = promisify(execFile);

describe('the command switchboard', () => {
  let place: SidecarPlace;
  beforeEach(() => {
    place = openSidecarPlace();
  });
  afterEach(() => place.close());

  it('starts no gateway and prints no key on a command line that is wrong', async () => {
    verifies('gateway.command.flags-judged');
    for (const flag of ['--prot', '--config=', '--token-file']) {
      const { code, stdout, stderr } = await place.run(['gateway', flag]);
      assert.deepEqual([code, stdout], [2, ''], flag);
      assert.match(stderr, new RegExp(`${flag.replace('=', '')}.*\\nUsage: switchboard gateway`));
      assert.equal(existsSync(join(place.dataDir, 'gateway.db')), false);
      assert.equal(existsSync(join(place.dataDir, 'gateway.secret')), false);
    }
  });

  it('says what is wrong with the line of a command as JSON where that is asked for', async () => {
    verifies('gateway.command.commands');
    const { code, stdout, stderr } = await place.run(['gateway', 'check', '--json', '--confg', 'a']);
    assert.equal(code, 2);
    assert.deepEqual(JSON.parse(stdout), { ok: false, error: { message: stderr.trimEnd(), exit_code: 2 } });
    assert.match(stderr, /^Unknown flag --confg\. Did you mean --config\?/);
  });

  it('prints the help of a role on standard output', async () => {
    verifies('gateway.command.help');
    const { code, stdout, stderr } = await place.run(['gateway', '--help']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Usage: switchboard gateway \[FLAGS\]\n/);
  });

  it('lets a gateway listen where its flags say, whatever the file says', async () => {
    verifies('gateway.command.listen');
    const port = await freePort();
    const config = join(dirname(place.dataDir), 'switchboard.jsonc');
    writeFileSync(config, '{ "listen": { "host": "127.0.0.9", "port": 1 } }');
    const child = place.spawn(['gateway', '--config', config, '--host', '127.0.0.1', '--port', `${port}`]);
    let printed = '';
    child.stdout.on('data', (it) => (printed += it));
    await until('it says where it is', () => printed.includes('\n'));
    assert.ok(printed.startsWith(`Switchboard gateway: http://127.0.0.1:${port}\n`), printed);
  });

  it('serves the pages of the gateway when the command is started through a link', async () => {
    verifies('gateway.command.linked');
    const link = join(dirname(place.dataDir), 'switchboard');
    symlinkSync(dirname(builtSidecar), link, 'junction'); // a link that Windows allows everybody to make
    const linked = openSidecarPlace(join(link, basename(builtSidecar)), place.dataDir);
    try {
      const child = linked.spawn(['gateway', '--port', '0']);
      let printed = '';
      child.stdout.on('data', (it) => (printed += it));
      await until('it says where it is', () => /http\S+\n/.test(printed));
      const [address = ''] = /http\S+/.exec(printed) ?? [];
      const page = await fetch(`${address}/ui/`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<script/);
    } finally {
      await linked.close();
    }
  });

  it('says on an older Node which one it needs, and nothing of its own code', async () => {
    verifies('gateway.command.node');
    for (const version of ['18.19.0', '20.20.2', '22.18.0']) {
      const older = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
      const flag = `--import=data:text/javascript,${encodeURIComponent(older)}`;
      await refuses(version, process.execPath, [flag]);
    }
    for (const { path, version } of await olderNodes()) await refuses(version, path, []);
  });
});

async function refuses(version: string, path: string, flags: readonly string[]): Promise<void> {
  for (const role of ['gateway', 'serve', '--stdio', '--version', '--help']) {
    const failed = run(path, [...flags, builtSidecar, role]).then(
      () => undefined,
      (thrown: { code: number; stdout: string; stderr: string }) => thrown,
    );
    const { code, stdout, stderr } = (await failed) ?? {};
    const sentence = `Switchboard needs Node 22.19 or later, and this is Node ${version} (${path}). Install a newer Node, or start Switchboard with one that is there.\n`;
    assert.deepEqual([code, stdout, stderr], [1, '', sentence], role);
  }
}

/** Those of this machine: they show what no pretence does, that the first lines can be read there. */
async function olderNodes(): Promise<readonly { readonly path: string; readonly version: string }[]> {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((it) => join(it, 'node'));
  const found = await Promise.all(
    paths.filter(existsSync).map(async (path) => {
      const { stdout } = await run(path, [
        '-p',
        'JSON.stringify({ path: process.execPath, version: process.versions.node })',
      ]);
      return JSON.parse(stdout) as { path: string; version: string };
    }),
  );
  return found.filter(({ version }) => {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    return major < 22 || (major === 22 && minor < 19);
  });
}
