import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { Guardrails } from '../../../sidecar/protocol/gateway/guardrail.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../support/mcp/httpFixture.ts';
import { until } from '../../support/until.ts';

describe('the whole gateway', () => {
  let fixture: HttpFixture;
  let whole: Stand;
  const clients: Client[] = [];
  const guardrails = Guardrails.parse([
    {
      guardrail_name: 'secrets',
      gateway_params: { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true },
    },
    { guardrail_name: 'signer', gateway_params: { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call' } },
  ]);

  before(async () => {
    fixture = await httpFixture();
    whole = await openStand({ defaultAccess: 'none', guardrails: () => guardrails, cloudAgents: undefined });
    const mcp_server_cost_info = { default_cost_per_query: 0.25 };
    await whole.addServer({ alias: 'tools', url: fixture.url, mcp_info: { mcp_server_cost_info } });
  });
  after(async () => {
    await Promise.all(clients.map((it) => it.close()));
    await whole.close();
    await fixture.close();
  });

  async function connect(key: string, path = '/tools/mcp'): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' });
    clients.push(client);
    const requestInit = { headers: { 'x-gateway-api-key': `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${whole.base}${path}`), { requestInit }));
    return client;
  }
  const newKey = async (fields: object) => String((await whole.manage('POST', '/key/generate', fields))['key']);
  const textOf = (result: Awaited<ReturnType<Client['callTool']>>) =>
    (result.content as readonly { readonly text?: string }[]).map((it) => it.text).join('');
  const lines = async (query: object) => (await whole.gateway.store.spendLogs.page(SpendLogsQuery.parse(query))).data;

  it('lets a key call what it was given, and writes one line of it with the price', async () => {
    const key = await newKey({ key_alias: 'giver', object_permission: { mcp_servers: ['tools'] } });
    const client = await connect(key);
    assert.equal(textOf(await client.callTool({ name: 'echo', arguments: { text: 'hello' } })), 'hello');
    await until('the line', async () => (await lines({ key_alias: 'giver', search: 'echo' })).length > 0);
    const [line, ...more] = await lines({ key_alias: 'giver', search: 'echo' });
    assert.equal(more.length, 0);
    assert.equal(line?.status, 'success');
    assert.equal(line?.spend, 0.25);
    assert.equal(line?.mcp_namespaced_tool_name, 'tools/echo');
    assert.equal(line?.endpoint, '/{server}/mcp');
  });

  it('shows nothing to a key that was given nothing, and says why', async () => {
    const key = await newKey({ key_alias: 'poor' });
    const client = await connect(key, '/mcp');
    assert.deepEqual((await client.listTools()).tools, []);
    const why = await whole.manage('POST', '/access/explain', { key, server_id: 'id-tools', tool: 'echo' });
    assert.equal(why['allowed'], false);
    assert.match(JSON.stringify(why), /Neither the key nor the team has a setting/);
  });

  it('refuses the call that a budget cannot pay, before it reaches the server', async () => {
    const key = await newKey({ key_alias: 'thrifty', max_budget: 0.5, object_permission: { mcp_servers: ['tools'] } });
    const client = await connect(key);
    const ran = fixture.calls.length;
    for (const text of ['one', 'two']) await client.callTool({ name: 'echo', arguments: { text } });
    await assert.rejects(client.callTool({ name: 'echo', arguments: { text: 'three' } }), /budget/i);
    assert.equal(fixture.calls.length, ran + 2);
  });

  it('takes secrets out of arguments on the way, for every key', async () => {
    const client = await connect(whole.adminKey);
    const answer = await client.callTool({ name: 'echo', arguments: { text: `use ghp_${'a1B2'.repeat(9)} now` } });
    assert.match(textOf(answer), /^use \S+ now$/);
    assert.doesNotMatch(textOf(answer), /ghp_a1B2/);
  });

  it('signs what the keys of a guardrail send, and publishes the key to verify it', async () => {
    const key = await newKey({ guardrails: ['signer'], object_permission: { mcp_servers: ['tools'] } });
    const client = await connect(key);
    await client.callTool({ name: 'echo', arguments: { text: 'signed' } });
    const sent = fixture.seen.findLast((it) => it.text.includes('signed'))?.headers.authorization ?? '';
    assert.match(sent, /^Bearer eyJ/);
    const kid = JSON.parse(Buffer.from(sent.slice(7).split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
    const jwks = (await (await fetch(`${whole.base}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    assert.ok(jwks.keys.some((it) => it.kid === kid.kid));
  });

  it('never hands its key to a server', () => {
    assert.ok(fixture.seen.length > 0);
    for (const { headers, text } of fixture.seen) assert.doesNotMatch(JSON.stringify(headers) + text, /sk-[\w-]{20}/);
  });

  it('tells administrators what it holds, and nobody else', async () => {
    const metrics = await (await whole.as(whole.adminKey, '/metrics')).text();
    assert.match(metrics, /^switchboard_mcp_connections [1-9]/m);
    const key = await newKey({});
    assert.equal((await whole.as(key, '/metrics')).status, 403);
  });

  it('says that it relays to no cloud-agents service where none is configured', async () => {
    const answer = await whole.as(whole.adminKey, '/cloudagents/v0/me');
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /cloud_agents in switchboard\.jsonc/);
  });

  it('counts what nobody was let in for by surface, however many paths are tried', async () => {
    const day = () => new Date().toISOString().slice(0, 10);
    const first = day();
    for (const path of ['/key/one', '/team/two', '/mcp-rest/three']) {
      assert.equal((await fetch(`${whole.base}${path}`)).status, 401);
    }
    const routes = async () =>
      JSON.stringify(await whole.manage('GET', `/gateway/daily/activity?start_date=${first}&end_date=${day()}`));
    await until('the counts', async () => /\(mcpRest\)/.test(await routes()) && /\(management\)/.test(await routes()));
    assert.doesNotMatch(await routes(), /key\/one|team\/two/);
  });
});
