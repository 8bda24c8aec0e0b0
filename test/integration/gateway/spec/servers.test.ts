import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { authTypeNames } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, isRefusal, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** Specification, MCP server registration, and Per-user header passthrough on MCP. */
describe('a registered MCP server', () => {
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ tools: twoTools });
    await stand.register({ alias: 'plain', server_name: 'first server' });
    await stand.register({ alias: 'Shared', tags: ['one'] });
    await stand.register({ alias: 'other', server_name: 'shared', tags: ['two'] });
    await stand.register({ alias: 'fixed', static_headers: { 'X-Team': 'blue' } });
    await stand.register({ alias: 'wanting', extra_headers: ['X-Plain'] });
    await stand.register({ alias: 'allowing', allowed_tools: ['echo'] });
    await stand.register({ alias: 'forbidding', disallowed_tools: ['echo'] });
    await stand.register({ alias: 'strict', allowed_params: { echo: ['text'] } });
    await stand.register({
      alias: 'narrow',
      server_id: 'id-narrow',
      allowed_tools: ['echo', 'other'],
      disallowed_tools: ['other'],
    });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  /** The headers that the server got of a call of a tool. */
  async function heardBy(alias: string, headers: Record<string, string> = {}) {
    const answer = await stand.ask(`/${alias}/mcp`, { ...bearer(key), ...headers }, toolCall('echo'));
    assert.ok(answer.status === 200 && !isRefusal(answer), answer.text);
    const called = stand.calls().findLast((it) => it.body.includes('tools/call'));
    assert.equal(called?.path, `/mcp/${alias}`);
    return called.headers;
  }
  const list = async (path: string, by = key) => toolNames(await stand.ask(path, bearer(by), rpcBody('tools/list')));
  const called = () => stand.calls().filter((it) => it.body.includes('tools/call')).length;

  it('gets the headers that name its alias or its server_name, in letters of any case', async () => {
    verifies('gateway.server.alias', 'gateway.server.server_name', 'gateway.passthrough.mcp');
    verifies('gateway.passthrough.mcp.server_name', 'gateway.passthrough.mcp.case');
    const headers = await heardBy('plain', {
      'x-mcp-plain-x-one': '1',
      'X-MCP-PLAIN-X-Two': '2',
      'x-mcp-First_Server-x-three': '3',
      'x-mcp-other-x-four': '4',
    });
    const got = ['x-one', 'x-two', 'x-three', 'x-four'].map((it) => headers[it]);
    assert.deepEqual(got, ['1', '2', '3', undefined]);
  });

  it('gets those of its alias before another one that has the same server_name', async () => {
    verifies('gateway.passthrough.mcp.alias-first');
    const sent = { 'x-mcp-shared-x-one': '1' };
    assert.equal((await heardBy('Shared', sent))['x-one'], '1');
    assert.equal((await heardBy('other', sent))['x-one'], undefined);
  });

  it('gets static_headers always, and those win over the headers of the user', async () => {
    verifies('gateway.server.static_headers', 'gateway.server.static_headers.win');
    verifies('gateway.passthrough.mcp.static-wins');
    assert.equal((await heardBy('fixed'))['x-team'], 'blue');
    assert.equal((await heardBy('fixed', { 'x-mcp-fixed-x-team': 'red' }))['x-team'], 'blue');
  });

  it('gets the headers of extra_headers as they came, and no others of the caller', async () => {
    verifies('gateway.server.extra_headers', 'gateway.passthrough.mcp.extra');
    const sent = { 'x-plain': 'As It  Came', 'x-else': '1' };
    const wanting = await heardBy('wanting', sent);
    assert.deepEqual([wanting['x-plain'], wanting['x-else']], ['As It  Came', undefined]);
    assert.equal((await heardBy('plain', sent))['x-plain'], undefined);
  });

  it('shows and lets call allowed_tools alone, and not disallowed_tools', async () => {
    verifies('gateway.server.allowed_tools', 'gateway.server.disallowed_tools', 'gateway.error.disallowed-tool');
    assert.deepEqual([await list('/allowing/mcp'), await list('/forbidding/mcp')], [['echo'], ['other']]);
    for (const [path, tool] of [
      ['/allowing/mcp', 'other'],
      ['/forbidding/mcp', 'echo'],
    ] as const)
      assert.equal(isRefusal(await stand.ask(path, bearer(key), toolCall(tool))), true, path);
    for (const name of ['allowing__other', 'forbidding__echo'])
      assert.equal((await stand.ask('/mcp-rest/tools/call', bearer(key), { name })).status, 403, name);
    assert.equal(called(), 0);
  });

  it('is held to the lists of key and registration together', async () => {
    verifies('gateway.access.tools');
    const own = await stand.addKey({
      object_permission: { mcp_servers: ['narrow'], mcp_tool_permissions: { 'id-narrow': ['other'] } },
    });
    assert.deepEqual([await list('/narrow/mcp'), await list('/narrow/mcp', own)], [['echo'], []]);
    for (const tool of ['echo', 'other'])
      assert.equal(isRefusal(await stand.ask('/narrow/mcp', bearer(own), toolCall(tool))), true, tool);
    assert.equal(called(), 0);
  });

  it('takes no parameter of a tool that allowed_params does not name', async () => {
    verifies('gateway.server.allowed_params', 'gateway.access.params');
    const call = (args: object) => stand.ask('/strict/mcp', bearer(key), toolCall('echo', args));
    assert.equal(isRefusal(await call({ text: 'x', loud: true })), true);
    assert.equal(called(), 0);
    assert.equal(isRefusal(await call({ text: 'x' })), false);
  });

  it('has one of nine auth types', async () => {
    verifies('gateway.server.auth_type', 'gateway.auth.nine');
    assert.equal(new Set(authTypeNames).size, 9);
    const register = (auth_type: string) =>
      stand.as(stand.adminKey, '/v1/mcp/server', {
        method: 'POST',
        body: JSON.stringify({
          server_name: `typed ${auth_type}`,
          url: 'https://mcp.example.com',
          auth_type,
          ...needs[auth_type],
        }),
      });
    for (const it of authTypeNames) {
      const made = await register(it);
      assert.equal(made.status, 201, `${it} ${await made.text()}`);
    }
    for (const it of ['oauth_delegate', 'true_passthrough', 'NONE', ''])
      assert.equal((await register(it)).status, 400, it);
  });
});

const value = { credentials: { auth_value: 'user:word' } };
const client = { client_id: 'c', client_secret: 's' };
/** What each auth type cannot do without. */
const needs: Readonly<Record<string, object>> = {
  api_key: value,
  bearer_token: value,
  basic: value,
  authorization: value,
  token: value,
  oauth2: { oauth2_flow: 'client_credentials', token_url: 'https://idp.example.com/token', credentials: client },
  oauth2_token_exchange: { token_exchange_endpoint: 'https://idp.example.com/token', credentials: client },
  cloud_sigv4: { credentials: { aws_region_name: 'eu-west-1' } },
};
