import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openProcessStand, type ProcessStand } from '../support/gateway/processStand.ts';
import { builtSidecar } from '../support/sidecar.ts';
import { until } from '../support/until.ts';

/** With it, Node says of each of its own modules whether it uses the compiled code that it contains. */
const SAYS_CODE = { NODE_DEBUG_NATIVE: 'CODE_CACHE' };
const used = /^Code cache of \S+ .*is accepted$/m;
const unused = /^Code cache of \S+ .*is rejected$/m;

describe('the compiled code at a start', () => {
  let stand: ProcessStand;
  beforeEach(() => {
    stand = openProcessStand({ env: SAYS_CODE });
  });
  afterEach(() => stand.close());

  it('of Node itself is what the gateway and its database thread use until it serves', async () => {
    const gateway = stand.start('one');
    const base = await gateway.baseUrl;
    assert.deepEqual(await stand.manage<unknown>(base, 'GET', '/v1/mcp/server'), []);
    const said = gateway.said();
    assert.match(said, used);
    assert.doesNotMatch(said, unused);
  });

  it('of Node itself is what the host uses until it serves', async () => {
    const dataDir = join(stand.folder, 'host');
    mkdirSync(dataDir, { mode: 0o700 });
    const { PATH = '' } = process.env;
    const host = spawn(process.execPath, [builtSidecar, 'host', '--data-dir', dataDir], {
      env: { PATH, HOME: stand.folder, XDG_RUNTIME_DIR: stand.folder, ...SAYS_CODE },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise((resolve) => void host.once('close', resolve));
    try {
      let said = '';
      for (const it of [host.stdout, host.stderr]) it.on('data', (data) => (said += data));
      await until('the host is ready', () => said.includes('the host is ready'));
      assert.match(said, used);
      assert.doesNotMatch(said.slice(0, said.indexOf('the host is ready')), unused);
    } finally {
      host.kill('SIGKILL');
      await exited;
    }
  });

  it('of the gateway is kept while it runs, so that a killed gateway leaves it to the next', async () => {
    const gateway = stand.start('one');
    await gateway.baseUrl;
    const cache = join(gateway.dataDir, 'compile-cache');
    // The gateway's own code is larger than all that comes before it.
    await until('what the gateway compiled is kept', () => keptIn(cache).some(({ bytes }) => bytes > 500_000));
    gateway.signal('SIGKILL');
    await gateway.exited;
    const [largest] = keptIn(cache);
    await startAndStop();
    const later = keptIn(cache).find((it) => it.name === largest?.name);
    assert.deepEqual(later, largest, 'it was not compiled again');
  });

  it('of a gateway that ended before it had settled is what the next one uses, with all functions that it called', async () => {
    const cache = await startAndStop();
    const kept = keptIn(cache);
    const [largest] = kept;
    const file = join(dirname(builtSidecar), largest?.name.replace(/\.cjs-.*/, '.cjs') ?? '');
    const uncalled = new Script(readFileSync(file, 'latin1')).createCachedData().length;
    assert.ok((largest?.bytes ?? 0) > 1.2 * uncalled, `${largest?.bytes} bytes, ${uncalled} before it runs`);
    await startAndStop();
    // The smaller ones may be loaded after it has settled, or not at all.
    assert.deepEqual(keptIn(cache).slice(0, 5), kept.slice(0, 5), 'none was compiled again');
  });

  it('of the gateway is compiled again if what was kept is damaged', async () => {
    const cache = await startAndStop();
    const path = join(cache, keptIn(cache)[0]?.name ?? '');
    const damaged = readFileSync(path);
    damaged.fill(0, damaged.length / 2, damaged.length - 4);
    writeFileSync(path, damaged);
    await startAndStop();
    assert.notDeepEqual(readFileSync(path), damaged);
  });

  it('that was kept more than a month ago is removed when new code is kept', async () => {
    const cache = await startAndStop();
    const old = join(cache, 'chunk-0.cjs-1-gateway');
    writeFileSync(old, 'of an older build');
    const [largest] = keptIn(cache);
    rmSync(join(cache, largest?.name ?? ''));
    await startAndStop();
    assert.ok(existsSync(old), 'it is not old yet');
    const before = new Date(Date.now() - 31 * 24 * 60 * 60 * 1_000);
    utimesSync(old, before, before);
    rmSync(join(cache, largest?.name ?? ''));
    await startAndStop();
    assert.ok(!existsSync(old));
    assert.ok(existsSync(join(cache, largest?.name ?? '')));
  });

  it('in the temporary folder is neither used nor kept where somebody else may have written it', () => {
    const { getuid } = process;
    if (getuid === undefined) return; // the temporary folder of Windows is one person's
    const tmp = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-temporary-')));
    try {
      const cache = join(tmp, `switchboard-compile-cache-${getuid()}`);
      const version = () => {
        const { status, stdout } = spawnSync(process.execPath, [builtSidecar, '--version'], { env: { TMPDIR: tmp } });
        assert.equal(status, 0);
        assert.match(String(stdout), /^\d+\.\d+\.\d+\n$/);
        return readdirSync(cache).filter((it) => it.startsWith('chunk-')).length;
      };
      mkdirSync(cache);
      chmodSync(cache, 0o777);
      assert.equal(version(), 0);
      chmodSync(cache, 0o755);
      assert.ok(version() > 0);
    } finally {
      rmSync(tmp, { recursive: true });
    }
  });

  /** @returns where its code is kept */
  async function startAndStop(): Promise<string> {
    const gateway = stand.start('one');
    await gateway.baseUrl;
    gateway.signal('SIGINT');
    assert.equal(await gateway.exited, 0);
    return join(gateway.dataDir, 'compile-cache');
  }
});

/** The code of the sidecar's own files, the largest first. */
function keptIn(cache: string) {
  return readdirSync(cache)
    .filter((it) => /^chunk-.*-gateway$/.test(it))
    .map((name) => {
      const { size: bytes, mtimeMs } = statSync(join(cache, name));
      return { name, bytes, mtimeMs };
    })
    .toSorted((a, b) => b.bytes - a.bytes);
}
