import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../sidecar/gateway/auth/keys.ts';
import { bearer, messageBody, rpcBody, toolCall, toolNames } from '../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';

const own = { is_byok: true, auth_type: 'bearer_token' };

describe('a request to the gateway', () => {
  let stand: Stand;
  let key: string;
  before(async () => {
    stand = await openStand({ trustedProxies: ['127.0.0.1'], limits: { maxBodyBytes: 20_000 } });
    key = await stand.addKey({ user_id: 'ann' });
    const server = (alias: string, more: object = {}) =>
      stand.addServer({ alias, url: `${stand.backend.url}/mcp/${alias}`, ...more });
    await server('one');
    await server('inner', { available_on_public_internet: false });
    await server('personal', own);
    await stand.addAgent({ agent_name: 'open' });
    await stand.addAgent({ agent_name: 'off', gateway_params: { allow_private_network: true, enabled: false } });
    await stand.addAgent({ agent_name: 'empty', agent_card_params: { name: 'empty' } });
  });
  after(() => stand.close());

  const call = (path: string, headers: Record<string, string>, body: object = messageBody()) =>
    stand.ask(path, headers, body);
  /** With headers that `fetch` does not let anybody set. */
  const raw = async (path: string, headers: Record<string, string>, method = 'GET') => {
    const sent = request(`${stand.base}${path}`, { method, headers });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer;
  };

  for (const [says, path, headers, challenge] of [
    ['no key on MCP', '/one/mcp', {}, '"/one/mcp'],
    ['an unknown key on MCP', '/one/mcp', bearer('sk-unknown-0123456789'), 'error="invalid_token", "/one/mcp'],
    ['no key on an agent', '/a2a/open', {}, '"'],
  ] as const)
    it(`with ${says} is answered with where to get one`, async () => {
      const refused = await call(path, headers);
      assert.equal(refused.status, 401);
      const [start = '', at = ''] = challenge.split('"/');
      const metadata = `${stand.base}/.well-known/oauth-protected-resource${at === '' ? '' : `/${at}`}"`;
      const shown = refused.headers.get('www-authenticate') ?? '';
      assert.ok(shown.endsWith(`resource_metadata="${metadata}`), shown);
      assert.equal(shown.includes('invalid_token'), start.includes('invalid_token'));
      assert.equal(stand.calls().length, 0);
    });

  it('for another host, or of a page of one, reaches nothing', async () => {
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { origin: 'null' }])
      assert.equal((await raw('/healthz', headers)).statusCode, 403, JSON.stringify(headers));
    assert.equal((await raw('/healthz', { origin: stand.base })).statusCode, 200);
  });

  it('has an id in every answer, and headers about the call where it is one', async () => {
    const ids = new Set<string | null>();
    for (const [answer, isCall] of [
      [await call('/a2a/open', bearer(key)), true],
      [await stand.ask('/mcp-rest/tools/list', bearer(key)), true],
      [await stand.ask('/key/info', bearer(key)), false],
      [await stand.ask('/healthz', {}), false],
      [await stand.ask('/no/such/address', {}), false],
    ] as const) {
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.has('x-gateway-response-duration-ms'), isCall);
      ids.add(answer.headers.get('x-gateway-call-id'));
    }
    assert.equal(ids.size, 5);
    assert.equal(ids.has(null), false);
  });

  it('sees servers of the inner network only from there, as a trusted proxy says', async () => {
    const listed = async (address?: string) =>
      toolNames(
        await call('/mcp', { ...bearer(key), ...(address && { 'x-forwarded-for': address }) }, rpcBody('tools/list')),
      );
    assert.deepEqual(await listed(), ['inner__echo', 'one__echo']);
    assert.deepEqual(await listed('10.1.2.3'), ['inner__echo', 'one__echo']);
    assert.deepEqual(await listed('93.184.216.34'), ['one__echo']);
  });

  it('to a server that wants a credential of each person is refused until that is there', async () => {
    const ask = () => call('/personal/mcp', bearer(key), toolCall('echo'));
    const refused = await ask();
    assert.match(refused.text, /requires your own credential/);
    const saved = await stand.as(key, '/v1/mcp/server/id-personal/user-credential', {
      method: 'POST',
      body: JSON.stringify({ credential: 'own-credential-of-ann' }),
    });
    assert.ok(saved.status < 300, await saved.text());
    assert.equal((await ask()).status, 200);
    assert.match(JSON.stringify(stand.heardAt('/mcp/personal')?.headers), /own-credential-of-ann/);
  });

  for (const [name, status, code] of [
    ['open', 200, undefined],
    ['off', 404, -32000],
    ['nobody', 404, -32000],
    ['empty', 200, -32000],
  ] as const)
    it(`to the agent ${name} is answered with ${status}${code === undefined ? '' : ` and the error ${code}`}`, async () => {
      const answer = await call(`/a2a/${name}`, bearer(key));
      const body = answer.json as { readonly error?: { readonly code?: unknown } };
      assert.deepEqual([answer.status, body.error?.code], [status, code]);
    });

  it('of a key that may use some agents reaches those alone', async () => {
    const some = await stand.addKey({ object_permission: { agents: ['none-of-these'] } });
    assert.equal((await call('/a2a/open', bearer(some))).status, 403);
  });

  it('of a key that is for some routes reaches no others, and the log says so where it is a call', async () => {
    const some = await stand.addKey({ allowed_routes: ['mcp_routes'] });
    const refused = await call('/a2a/open', bearer(some));
    assert.equal(refused.status, 403);
    const line = await stand.recordOf(refused);
    assert.deepEqual([line.status, line.error_code, line.api_key], ['failure', 'forbidden', hashKey(some)]);
    assert.equal((await call('/one/mcp', bearer(some), toolCall('echo'))).status, 200);
  });

  it('that is too large is refused before anybody sees it, with what may be sent', async () => {
    const before = stand.calls().length;
    const large = { message: { text: 'x'.repeat(30_000) } };
    for (const path of ['/a2a/open', '/one/mcp', '/mcp-rest/tools/call'])
      assert.equal((await call(path, bearer(key), rpcBody('message/send', large))).status, 413, path);
    assert.equal(stand.calls().length, before);
  });

  it("of a browser that signed in is served from the gateway's own pages alone", async () => {
    const same = { 'sec-fetch-site': 'same-origin', origin: stand.base };
    const signIn = (headers: Record<string, string>, body: object = { key: stand.adminKey }) =>
      stand.ask('/ui/session', headers, body);
    assert.equal((await signIn({ ...same, 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await signIn(same, { key: 'sk-unknown-0123456789' })).status, 401);
    assert.equal((await signIn(same, { key: stand.adminKey, more: 1 })).status, 400);
    const answer = await signIn(same);
    assert.equal(answer.status, 204);
    const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    const list = async (headers: Record<string, string>, method = 'GET', path = '/key/list') =>
      (await raw(path, { cookie, ...headers }, method)).statusCode;
    assert.equal(await list({ 'sec-fetch-site': 'same-origin' }), 200);
    assert.equal(await list({ 'sec-fetch-site': 'cross-site' }), 401);
    assert.equal(await list({}), 401);
    const created = (headers: Record<string, string>) =>
      list({ 'sec-fetch-site': 'same-origin', ...headers }, 'POST', '/key/generate');
    assert.equal(await created({}), 401);
    assert.notEqual(await created({ origin: stand.base }), 401);
    assert.equal((await call('/one/mcp', { cookie, ...same }, toolCall('echo'))).status, 401);
  });

  it('is judged by its own headers, whatever came over its connection before', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answers: IncomingMessage[] = [];
    try {
      for (const name of ['x-gateway-api-key', 'x-gateway-other', 'x-gateway-api-key']) {
        const sent = request(`${stand.base}/mcp-rest/tools/list`, { agent, headers: { [name]: `Bearer ${key}` } });
        sent.end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        answers.push(answer);
        answer.resume();
        await once(answer, 'end');
      }
    } finally {
      agent.destroy();
    }
    assert.deepEqual(
      answers.map((it) => it.statusCode),
      [200, 401, 200],
    );
    assert.equal(new Set(answers.map((it) => it.socket)).size, 1);
  });

  it('to an agent that wants a trace, or of one whose calls have one, is refused without it', async () => {
    const params = { allow_private_network: true };
    await stand.addAgent({
      agent_name: 'traced',
      gateway_params: { ...params, require_trace_id_on_calls_to_agent: true },
    });
    await stand.addAgent({
      agent_id: 'id-caller',
      agent_name: 'caller',
      gateway_params: { ...params, require_trace_id_on_calls_by_agent: true },
    });
    const ofAgent = await stand.addKey({ agent_id: 'id-caller' });
    for (const [path, with_] of [
      ['/a2a/traced', key],
      ['/a2a/open', ofAgent],
    ] as const) {
      const refused = await call(path, bearer(with_));
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /x-gateway-trace-id/);
      assert.equal((await call(path, { ...bearer(with_), 'x-gateway-trace-id': 't1' })).status, 200);
    }
    assert.equal((await call('/a2a/open', bearer(key))).status, 200);
  });

  it('with a key that is deleted meanwhile is refused on the same connection', async () => {
    const gone = await stand.addKey();
    assert.equal((await call('/one/mcp', bearer(gone), toolCall('echo'))).status, 200);
    await stand.manage('POST', '/key/delete', { keys: [gone] });
    assert.equal((await call('/one/mcp', bearer(gone), toolCall('echo'))).status, 401);
  });
});
