import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, messageBody, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** Specification, Gateway routes, and Caller to gateway as far as it is about keys. */
describe('the routes of the gateway, and the key of a caller', () => {
  let stand: Stand;
  let key: string;
  let agentId: string;

  before(async () => {
    stand = await openStand({ tools: twoTools });
    const server = await stand.register({ alias: 'echo' });
    await stand.register({ alias: 'greedy', extra_headers: ['authorization'] });
    agentId = await stand.registerAgent('weather', { extra_headers: ['authorization'] });
    const tools = [{ server_id: server, tool_name: 'echo' }];
    await stand.manage('POST', '/v1/mcp/toolset', { toolset_name: 'set', tools });
    key = await stand.addKey({ object_permission: { mcp_servers: ['echo', 'greedy'], mcp_toolsets: ['set'] } });
  });
  after(() => stand.close());

  const list = rpcBody('tools/list');
  const mcp = ['/mcp', '/echo/mcp', '/toolset/set/mcp'] as const;
  const rest = (): readonly (readonly [path: string, body?: object])[] => [
    ['/mcp-rest/tools/call', { name: 'echo__echo' }],
    ['/mcp-rest/tools/list'],
    ['/v1/mcp/tools'],
    ['/v1/mcp/server'],
    ['/v1/agents'],
    [`/v1/agents/${agentId}`],
    ['/a2a/weather', messageBody()],
    ['/a2a/weather/message/send', messageBody()],
  ];
  /** The legacy transport begins with a stream, which is left as soon as it stands. */
  async function openSse(headers: Record<string, string>): Promise<{ status: number; begin: string }> {
    const leave = new AbortController();
    const response = await fetch(`${stand.base}/sse`, { headers, signal: leave.signal });
    const first = await response.body?.getReader().read();
    leave.abort();
    return { status: response.status, begin: Buffer.from(first?.value ?? []).toString() };
  }

  it('/mcp is all servers, /{server}/mcp one of them, /toolset/{name}/mcp a set of tools, /sse the older transport', async () => {
    verifies('gateway.route.mcp', 'gateway.route.server-mcp', 'gateway.route.toolset-mcp', 'gateway.route.sse');
    const at = async (path: string) => toolNames(await stand.ask(path, bearer(key), list));
    assert.deepEqual(await at('/mcp'), ['echo__echo', 'echo__other', 'greedy__echo', 'greedy__other']);
    assert.deepEqual(await at('/echo/mcp'), ['echo', 'other']);
    assert.equal((await at('/toolset/set/mcp')).length, 1);
    const { status, begin } = await openSse(bearer(key));
    assert.equal(status, 200);
    assert.match(begin, /event: endpoint/);
  });

  it('/v1/mcp, /mcp-rest, /a2a/{agent_id}, its message/send and /v1/agents are served', async () => {
    verifies('gateway.route.a2a', 'gateway.route.a2a.send', 'gateway.route.agents', 'gateway.agent.by-uuid');
    verifies('gateway.agent.by-name');
    for (const [path, body] of rest()) assert.equal((await stand.ask(path, bearer(key), body)).status, 200, path);
    const byId = await stand.ask(`/a2a/${agentId}`, bearer(key), messageBody());
    assert.deepEqual([byId.status, stand.heardAt('/agent/weather')?.method], [200, 'POST']);
    assert.match(agentId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('one key lets in on both surfaces, and none on neither', async () => {
    verifies('gateway.service.one-key', 'gateway.service.key-needed');
    for (const [path, body] of [...mcp.map((it) => [it, list] as const), ...rest()]) {
      assert.equal((await stand.ask(path, bearer(key), body)).status, 200, path);
      assert.equal((await stand.ask(path, {}, body)).status, 401, path);
    }
  });

  it('x-gateway-api-key is read on MCP, before Authorization, which is the fallback', async () => {
    verifies('gateway.header.key.mcp', 'gateway.header.authorization.mcp');
    const preferred = { 'x-gateway-api-key': `Bearer ${key}` };
    const answers = [];
    for (const path of mcp)
      for (const headers of [preferred, { ...preferred, authorization: 'Bearer of-somebody' }, bearer(key)])
        answers.push(await stand.ask(path, headers, list));
    for (const answer of answers) {
      assert.equal(answer.status, 200);
      assert.equal((await stand.recordOf(answer)).api_key, hashKey(key));
    }
    assert.deepEqual([(await openSse(preferred)).status, (await openSse(bearer(key))).status], [200, 200]);
  });

  it('x-gateway-api-key is read on the REST routes and A2A, before Authorization, which is the fallback', async () => {
    verifies('gateway.header.key.rest', 'gateway.header.authorization.rest');
    const preferred = { 'x-gateway-api-key': `Bearer ${key}` };
    for (const [path, body] of rest())
      for (const headers of [preferred, { ...preferred, authorization: 'Bearer of-somebody' }, bearer(key)])
        assert.equal((await stand.ask(path, headers, body)).status, 200, path);
  });

  it('the names that vendors have for a key are read on the REST routes and A2A', async () => {
    verifies('gateway.header.API-Key.rest', 'gateway.header.x-api-key.rest', 'gateway.header.vendor-api-key.rest');
    verifies('gateway.header.subscription-key.rest', 'gateway.route.v1-mcp', 'gateway.route.mcp-rest');
    for (const [path, body] of rest())
      for (const name of ['API-Key', 'x-api-key', 'x-goog-api-key', 'Ocp-Apim-Subscription-Key']) {
        assert.equal((await stand.ask(path, { [name]: key }, body)).status, 200, `${path} ${name}`);
        assert.equal((await stand.ask(path, { [name]: `${key}x` }, body)).status, 401, `${path} ${name}`);
      }
  });

  it('and on none of the MCP routes', async () => {
    verifies('gateway.header.API-Key.mcp-ignores', 'gateway.header.x-api-key.mcp-ignores');
    verifies('gateway.header.vendor-api-key.mcp-ignores', 'gateway.header.subscription-key.mcp-ignores');
    verifies('gateway.route.mcp.own-authentication');
    for (const name of ['API-Key', 'x-api-key', 'x-goog-api-key', 'Ocp-Apim-Subscription-Key']) {
      for (const path of mcp)
        assert.equal((await stand.ask(path, { [name]: key }, list)).status, 401, `${path} ${name}`);
      assert.equal((await openSse({ [name]: key })).status, 401, name);
    }
  });

  it('in x-gateway-api-key it leaves Authorization to a token for the backend', async () => {
    verifies('gateway.header.key.leaves-authorization');
    const headers = { 'x-gateway-api-key': `Bearer ${key}`, authorization: 'Bearer the-callers-own' };
    await stand.ask('/greedy/mcp', headers, toolCall('echo'));
    await stand.ask('/a2a/weather', headers, messageBody());
    for (const path of ['/mcp/greedy', '/agent/weather'])
      assert.equal(stand.heardAt(path)?.headers.authorization, 'Bearer the-callers-own', path);
  });
});
