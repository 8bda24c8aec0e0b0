import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { fencesOf, readDocument } from '../support/documents/markdown.ts';
import { endProcess } from '../support/editor/processes.ts';
import { everythingOverHttp, type ListeningServer, type RealServers, realServers } from '../support/mcp/realServers.ts';
import { freePort } from '../support/network/freePort.ts';
import { builtSidecar } from '../support/sidecar.ts';
import { verifies } from '../support/verifies.ts';

/** What the last two commands of each section print. */
const listed = /"name":\s*"echo"/;
const called = /Echo: hello/;

describe('the first call of GATEWAY.md', () => {
  let servers: RealServers;
  let running: ListeningServer;
  before(async function () {
    this.timeout(300_000); // installs the server once
    servers = await realServers();
    running = await everythingOverHttp(servers.program('everything'));
  });
  after(() => running.close());

  for (const section of ['Make your first call with a configuration file', 'Make your first call with the API']) {
    it(`works in an empty folder with six commands: ${section}`, async function () {
      this.timeout(60_000);
      verifies('gateway.command.first-call');
      const commands = fencesOf(readDocument('GATEWAY.md')).filter((it) => it.section === section);
      assert.equal(commands.length, 6);
      const place = openPlace(servers.program('everything'));
      try {
        const port = await freePort();
        const own = (text: string) =>
          text.replaceAll('http://127.0.0.1:3001/mcp', running.url).replaceAll('4000', String(port));
        const printed: string[] = [];
        for (const { text } of commands) printed.push(await place.run(own(text)));
        assert.match(printed[4] ?? '', listed);
        assert.match(printed[5] ?? '', called);
        const said = readFileSync(join(place.folder, 'gateway.log'), 'utf8') + printed.join('');
        const [key = ''] = readFileSync(join(place.folder, 'key-header'), 'utf8').match(/sk-\S+/) ?? [];
        assert.ok(key.length > 16);
        for (const secret of [key, readFileSync(join(place.folder, 'admin-key'), 'utf8').trim()])
          assert.equal(said.includes(secret), false, 'no key is in the log or on the screen');
      } finally {
        place.close();
      }
    });
  }
});

const curlStandIn = join(import.meta.dirname, '../support/documents/curl.mjs');

/** Whether the machine has a curl that knows `--json` (7.82). */
function hasCurl(): boolean {
  const [, major = '0', minor = '0'] =
    /^curl (\d+)\.(\d+)/.exec(spawnSync('curl', ['--version']).stdout?.toString()) ?? [];
  return Number(major) * 100 + Number(minor) >= 782;
}

/**
 * An empty folder and a shell with the commands that the document needs: `switchboard` as it is built, `npx` with the
 * server that is already installed, and `curl`, for machines that have none, with the few flags that the document uses.
 */
function openPlace(everything: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-first-')));
  const folder = mkdtempSync(join(root, 'empty-'));
  const node = process.execPath;
  const program = (name: string, text: string) => writeFileSync(join(root, name), text, { mode: 0o755 });
  program('switchboard', `#!/bin/sh\nexec '${node}' '${builtSidecar}' "$@"\n`);
  program('npx', `#!/bin/sh\nexec '${node}' '${everything}' stdio\n`);
  program('node', `#!/bin/sh\nexec '${node}' "$@"\n`);
  if (!hasCurl()) program('curl', `#!/bin/sh\nexec '${node}' '${curlStandIn}' "$@"\n`);
  /** A gateway that a command leaves in the background stays in the group of that command. */
  const groups: number[] = [];
  const env = { PATH: `${root}${delimiter}${process.env['PATH']}`, HOME: root, XDG_RUNTIME_DIR: root };
  return {
    folder,
    /** @returns what it printed; throws where it fails */
    run: (command: string) =>
      new Promise<string>((resolve, reject) => {
        const child = spawn('sh', ['-c', command], {
          cwd: folder,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        });
        if (child.pid !== undefined) groups.push(child.pid);
        let printed = '';
        child.stdout.on('data', (it) => (printed += it));
        child.stderr.on('data', (it) => (printed += it));
        child.once('error', reject);
        child.once('exit', (code) =>
          code === 0
            ? setImmediate(() => resolve(printed))
            : reject(new Error(`${command}\nended with ${code}: ${printed}`)),
        );
      }),
    close() {
      for (const it of groups) endProcess(-it);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
