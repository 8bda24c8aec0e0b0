import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type GatewayProcess, openProcessStand, type ProcessStand } from '../../support/gateway/processStand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { until } from '../../support/until.ts';

const KEY = 'sk-hot-reload-of-the-tests';

describe('the gateway with a configuration file', () => {
  let stand: ProcessStand;
  let gateway: GatewayProcess;
  let baseUrl: string;
  let fixture: HttpFixture;

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
    const cloud_agents = {
      upstream_url: new URL('/cloud', fixture.url).href,
      prefix: 'cloud',
      credential: { file: 'service.key' },
    };
    stand = openProcessStand({
      config: { ...server('first'), cloud_agents },
      adminKey: KEY,
      env: { SERVER_TOKEN: 'tok-of-the-server' },
    });
    writeFileSync(join(stand.folder, 'service.key'), 'key-of-the-service\n');
    gateway = stand.start('one');
    baseUrl = await gateway.baseUrl;
  });
  after(async () => {
    await stand.close();
    await fixture.close();
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
    stand.configure(server('second'));
    await until('the new server is there and the old one is not', async () => {
      const ids = await serverIds();
      return ids.includes('second') && !ids.includes('first');
    });
  });

  it('keeps what it has when the file becomes wrong, and says where it is wrong', async () => {
    stand.configure({ mcp_servers: { second: { transport: 'websocket' } } });
    await until('the log tells', () => gateway.said().includes('mcp_servers.second.transport: must be one of'));
    assert.deepEqual(await serverIds(), ['second']);
    assert.doesNotMatch(gateway.said(), /tok-of-the-server|sk-hot-reload/);
  });

  it('guards calls as the file says now: what it takes out, and what it refuses after a change', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    stand.configure(guarded({ mode: 'pre_mcp_call', default_on: true }));
    await until('secrets are taken out', async () => /^(?=.*use )(?!.*ghp_)/s.test(await echo(`use ${token} now`)));
    stand.configure(guarded({ mode: 'pre_mcp_call', default_on: true, action: 'block' }));
    await until('secrets are refused', async () => (await echo(`use ${token} now`)).includes('secrets'));
    const ran = fixture.calls.length;
    assert.match(await echo(`use ${token} now`), /guardrail_violation|blocked|secrets/);
    assert.equal(fixture.calls.length, ran);
    assert.match(await echo('nothing secret'), /nothing secret/);
  });

  it('does not start with a file that is wrong, and says why', async () => {
    stand.configure({
      mcp_servers: { x: { url: 'https://a.b', credentials: { auth_value: { env: 'NOT_SET_ANYWHERE' } } } },
    });
    const refused = stand.start('two');
    assert.equal(await refused.exited, 69);
    assert.match(
      refused.said(),
      /mcp_servers\.x\.credentials\.auth_value: the environment variable 'NOT_SET_ANYWHERE' is not set/,
    );
  });
});
