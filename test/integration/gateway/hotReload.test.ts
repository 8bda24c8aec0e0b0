import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../../support/cache.ts';
import { until } from '../../support/until.ts';

const KEY = 'sk-hot-reload-of-the-tests';

describe('the gateway with a configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-reload-'));
  const file = join(folder, 'switchboard.jsonc');
  const running: ChildProcess[] = [];
  let baseUrl = '';
  let said = '';

  function start(): ChildProcess {
    const main = join(projectRoot, 'dist', 'sidecar', 'main.mjs');
    const args = ['gateway', '--config', file, '--data-dir', join(folder, 'data')];
    const env = { ...process.env, SWITCHBOARD_ADMIN_KEY: KEY, SERVER_TOKEN: 'tok-of-the-server' };
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    return child;
  }
  const write = (config: object) => writeFileSync(file, JSON.stringify(config));
  const server = (name: string) => ({
    mcp_servers: {
      [name]: {
        url: 'https://mcp.example.com/mcp',
        auth_type: 'bearer_token',
        credentials: { auth_value: { env: 'SERVER_TOKEN' } },
      },
    },
  });
  async function ask(path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(`${baseUrl}${path}`, { headers: { 'x-gateway-api-key': `Bearer ${KEY}` } });
    return { status: response.status, text: await response.text() };
  }
  const serverIds = async () =>
    (JSON.parse((await ask('/v1/mcp/server')).text) as { server_id: string }[]).map((it) => it.server_id);

  before(async () => {
    write(server('first'));
    const child = start();
    child.stderr?.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    for await (const line of createInterface({ input: child.stdout! })) {
      baseUrl = /^Switchboard gateway: (\S+)/.exec(line)?.[1] ?? '';
      if (baseUrl !== '') break;
    }
  });
  after(async () => {
    for (const it of running.filter((child) => child.exitCode === null)) {
      it.kill('SIGTERM');
      await once(it, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves what stands in the file, and gives no secret of it away', async () => {
    assert.deepEqual(await serverIds(), ['first']);
    const { text } = await ask('/v1/mcp/server');
    assert.doesNotMatch(text, /tok-of-the-server/);
  });

  it('follows the file while it runs', async () => {
    write(server('second'));
    await until('the new server is there and the old one is not', async () => {
      const ids = await serverIds();
      return ids.includes('second') && !ids.includes('first');
    });
  });

  it('keeps what it has when the file becomes wrong, and says where it is wrong', async () => {
    write({ mcp_servers: { second: { transport: 'websocket' } } });
    await until('the log tells', async () => said.includes('mcp_servers.second.transport: must be one of'));
    assert.deepEqual(await serverIds(), ['second']);
    assert.doesNotMatch(said, /tok-of-the-server|sk-hot-reload/);
  });

  it('does not start with a file that is wrong, and says why', async () => {
    write({ mcp_servers: { x: { url: 'https://a.b', credentials: { auth_value: { env: 'NOT_SET_ANYWHERE' } } } } });
    const child = start();
    let reason = '';
    child.stderr?.on('data', (chunk: Buffer) => void (reason += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 69);
    assert.match(
      reason,
      /mcp_servers\.x\.credentials\.auth_value: the environment variable 'NOT_SET_ANYWHERE' is not set/,
    );
  });
});
