import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../../support/cache.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { until } from '../../support/until.ts';

const KEY = 'sk-hot-reload-of-the-tests';

describe('the gateway with a configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-reload-'));
  const file = join(folder, 'switchboard.jsonc');
  const running: ChildProcess[] = [];
  let baseUrl = '';
  let said = '';
  let fixture: HttpFixture;

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

  /** The fixture, behind what looks for secrets in arguments. */
  const guarded = (params: object) => ({
    mcp_servers: { tools: { url: fixture.url, allow_private_network: true } },
    guardrails: [{ guardrail_name: 'secrets', gateway_params: { guardrail: 'secret_redaction', ...params } }],
  });
  async function echo(text: string): Promise<string> {
    const response = await fetch(`${baseUrl}/mcp-rest/tools/call`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ server_id: 'tools', name: 'echo', arguments: { text } }),
    });
    return response.text();
  }

  before(async () => {
    fixture = await httpFixture();
    writeFileSync(join(folder, 'service.key'), 'key-of-the-service\n');
    const cloud_agents = {
      upstream_url: new URL('/cloud', fixture.url).href,
      prefix: 'cloud',
      credential: { file: 'service.key' },
    };
    write({ ...server('first'), cloud_agents });
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
    await fixture.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves what stands in the file, and gives no secret of it away', async () => {
    assert.deepEqual(await serverIds(), ['first']);
    const { text } = await ask('/v1/mcp/server');
    assert.doesNotMatch(text, /tok-of-the-server/);
  });

  it('takes the key of the cloud-agents service from where the file says', async () => {
    await ask('/cloudagents/v0/me');
    const sent = fixture.seen.at(-1)?.headers.authorization ?? '';
    assert.equal(Buffer.from(sent.replace('Basic ', ''), 'base64').toString(), 'key-of-the-service:');
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

  it('guards calls as the file says now: what it takes out, and what it refuses after a change', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    write(guarded({ mode: 'pre_mcp_call', default_on: true }));
    await until('secrets are taken out', async () => /^(?=.*use )(?!.*ghp_)/s.test(await echo(`use ${token} now`)));
    write(guarded({ mode: 'pre_mcp_call', default_on: true, action: 'block' }));
    await until('secrets are refused', async () => (await echo(`use ${token} now`)).includes('secrets'));
    const ran = fixture.calls.length;
    assert.match(await echo(`use ${token} now`), /guardrail_violation|blocked|secrets/);
    assert.equal(fixture.calls.length, ran);
    assert.match(await echo('nothing secret'), /nothing secret/);
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
