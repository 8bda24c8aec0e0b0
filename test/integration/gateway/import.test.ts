import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'mocha';
import { readConfig } from '../../../sidecar/gateway/configuration/readConfig.ts';
import { projectRoot } from '../../support/cache.ts';

describe('switchboard import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
  const data = join(folder, 'data');
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...args: readonly string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const main = join(projectRoot, 'dist', 'sidecar', 'main.mjs');
      const options = { maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [main, 'import', ...args, '--data-dir', data], options, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      );
    });

  it('prints a configuration that can be read, whole also where it is long, and starts nothing', async () => {
    const servers = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`server${n}`, { url: `https://mcp${n}.example.com/mcp` }]),
    );
    const file = join(folder, 'mcp.json');
    writeFileSync(file, JSON.stringify({ servers }));
    const { code, stdout, stderr } = await run(file);
    assert.deepEqual([code, stderr], [0, '']);
    const read = readConfig(stdout);
    assert.ok('config' in read);
    assert.equal(Object.keys(read.config.mcp_servers).length, 2_000);
    assert.deepEqual(
      readdirSync(folder).filter((it) => it !== 'mcp.json' && it !== 'data'),
      [],
    );
    assert.deepEqual(
      readdirSync(data).filter((it) => it !== 'compile-cache'),
      [],
    );
  });

  it('reads a LiteLLM configuration', async () => {
    const { code, stdout } = await run(join(projectRoot, 'test', 'fixtures', 'config', 'litellm.yaml'));
    assert.equal(code, 0);
    assert.match(stdout, /"auth_type": "cloud_sigv4"/);
  });

  it('says in one sentence why it cannot', async () => {
    const missing = join(folder, 'missing.json');
    const { code, stderr } = await run(missing);
    assert.deepEqual([code, stderr], [73, `${missing} cannot be read: it does not exist (ENOENT).\n`]);
    assert.equal((await run()).code, 2);
    assert.equal((await run(join(projectRoot, 'package.json'))).code, 2);
  });
});
