import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { a2aSend } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { requestLines, speak } from '../../../support/gateway/rawHttp.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const at = '2026-01-01T00:00:00.000Z';

/** Who gets in, and that no key is read from a query string. */
describe('the credential of a request', () => {
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ clock });
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp` });
    await stand.addAgent({ agent_name: 'weather' });
    key = await stand.addKey();
  });
  after(() => stand.close());

  const surfaces = [
    { says: 'MCP', path: '/mcp', body: list },
    { says: 'MCP of one server', path: '/echo/mcp', body: list },
    { says: 'REST tools', path: '/mcp-rest/tools/call', body: '{"name":"echo__echo"}' },
    { says: 'A2A', path: '/a2a/weather', body: a2aSend() },
    { says: 'cloud agents', path: '/cloudagents/v0/agents', body: '{}' },
    { says: 'management', path: '/key/generate', body: '{}' },
  ] as const;

  async function post(path: string, body: string, headers: Record<string, string>) {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', accept: '*/*', ...headers } };
    const response = await fetch(`${stand.base}${path}`, init);
    const text = await response.text();
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, challenge, text, error: errorOf(text) };
  }

  for (const { says, path, body } of surfaces) {
    describe(`on ${says}`, () => {
      const challenged = (isBad: boolean) =>
        `Bearer ${isBad ? 'error="invalid_token", ' : ''}resource_metadata="${stand.base}/.well-known/oauth-protected-resource${says.startsWith('MCP') ? path : ''}"`;

      it('is asked for with a challenge where there is none, and nothing reaches a backend', async () => {
        const heard = stand.backend.heard.length;
        const { status, challenge, error } = await post(path, body, {});
        assert.deepEqual([status, error?.type, challenge], [401, 'auth_error', challenged(false)]);
        assert.equal(stand.backend.heard.length, heard);
      });

      const refusals = [
        { says: 'is not known', type: 'token_not_found_in_db', record: undefined },
        { says: 'expired', type: 'expired_key', record: { expires: '2026-03-04T09:59:59.000Z' } },
        { says: 'is blocked', type: 'auth_error', record: { blocked: true } },
        { says: 'has a team that is gone', type: 'auth_error', record: { team_id: 'gone' } },
      ];
      for (const it_ of refusals) {
        it(`is refused with 401 ${it_.type} where it ${it_.says}`, async () => {
          const bad = it_.record ? await stand.addKey(it_.record) : 'sk-nobody-has-this-key-0123456789';
          const { status, challenge, error, text } = await post(path, body, { authorization: `Bearer ${bad}` });
          assert.deepEqual([status, error?.type, challenge], [401, it_.type, challenged(true)]);
          assert.ok(!text.includes(bad), 'the answer holds the key');
        });
      }

      it('is not looked for in the query', async () => {
        for (const name of ['key', 'api_key', 'access_token', 'token', 'x-gateway-api-key'])
          assert.equal((await post(`${path}?${name}=${key}`, body, {})).status, 401, name);
      });

      // Management routes are asked about keys, which their query may name.
      if (says !== 'management') {
        it('that also stands in the query (key in a query) is refused with 400: it would be in every log on the way', async () => {
          verifies('security.key-in-query');
          const heard = stand.backend.heard.length;
          for (const query of [`key=${key}`, `a=1&q=${encodeURIComponent(`Bearer ${key}`)}`, `k=%73${key.slice(1)}`]) {
            const { status, error } = await post(`${path}?${query}`, body, { authorization: `Bearer ${key}` });
            assert.deepEqual([status, error?.type, error?.param], [400, 'bad_request_error', 'query'], query);
          }
          assert.equal(stand.backend.heard.length, heard);
        });
      }

      const names = says.startsWith('MCP')
        ? ['authorization', 'x-gateway-api-key']
        : ['authorization', 'x-gateway-api-key', 'api-key', 'x-api-key', 'x-goog-api-key', 'ocp-apim-subscription-key'];
      for (const name of names) {
        it(`is refused with 400 where ${name} came twice`, async () => {
          const lines = [`${name}: Bearer ${key}`, `${name}: Bearer ${key}`, `Content-Length: ${body.length}`];
          const first = `POST ${path} HTTP/1.1`;
          const reply = await speak(
            stand.base,
            requestLines(stand.base, first, ['Content-Type: application/json', ...lines], body),
          );
          assert.deepEqual([reply.status, errorOf(reply.body)?.param], [400, name]);
        });
      }

      it('counts by the first header of the order, and later ones are not tried', async () => {
        const headers = {
          'x-gateway-api-key': 'Bearer sk-nobody-has-this-key-0123456789',
          authorization: `Bearer ${key}`,
        };
        const { status, error } = await post(path, body, headers);
        assert.deepEqual([status, error?.type], [401, 'token_not_found_in_db']);
      });
    });
  }

  it('is read from two headers alone on the MCP routes', async () => {
    for (const name of ['api-key', 'x-api-key', 'x-goog-api-key', 'ocp-apim-subscription-key'])
      assert.equal((await post('/mcp', list, { [name]: key })).status, 401, name);
    const { status, error } = await post('/mcp', list, { 'x-gateway-api-key': key });
    assert.deepEqual([status, error?.param], [400, 'x-gateway-api-key']);
    assert.equal((await post('/mcp', list, { 'x-gateway-api-key': `Bearer ${key}` })).status, 200);
  });

  it('is no way in where its end user, team or organisation is blocked', async () => {
    const { store } = stand.gateway;
    const stamps = { created_at: at, updated_at: at };
    await store.end_user.insert({ user_id: 'blocked-customer', blocked: true, ...stamps });
    await store.team.insert({ team_id: 'blocked-team', blocked: true, ...stamps });
    await store.organization.insert({ organization_id: 'blocked-org', blocked: true, ...stamps });
    const keys = [
      [key, { 'x-gateway-end-user-id': 'blocked-customer' }],
      [await stand.addKey({ team_id: 'blocked-team' }), {}],
      [await stand.addKey({ organization_id: 'blocked-org' }), {}],
    ] as const;
    for (const [one, headers] of keys)
      for (const { path, body } of surfaces) {
        const { status, error } = await post(path, body, { authorization: `Bearer ${one}`, ...headers });
        assert.deepEqual([status, error?.type], [401, 'auth_error'], `${path} ${JSON.stringify(headers)}`);
      }
  });

  it('ends in the moment it expires, without a write', async () => {
    const short = await stand.addKey({ expires: '2026-03-04T10:00:10.000Z' });
    const send = () => post('/echo/mcp', list, { authorization: `Bearer ${short}` });
    assert.equal((await send()).status, 200);
    clock.pass(10_000);
    assert.deepEqual([(await send()).status, (await send()).error?.type], [401, 'expired_key']);
  });
});

interface ErrorSeen {
  readonly type?: string;
  readonly param?: string | null;
}
const errorOf = (text: string): ErrorSeen | undefined =>
  text.startsWith('{') ? (JSON.parse(text) as { error?: ErrorSeen }).error : undefined;
