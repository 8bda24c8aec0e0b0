import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { TRIAL_MS } from '../../../../sidecar/gateway/auth/draftServers.ts';
import { type Clock, systemClock } from '../../../../sidecar/platform/clock.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../../support/backends/authorizationServer.ts';
import { PageBrowser } from '../../../support/gateway/pageBrowser.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';

/** The trial of a sign-in before a server is saved: `POST /v1/mcp/server/oauth/session`. */
describe('a sign-in to a server that is not saved yet', () => {
  let idp: AuthorizationServer;
  let server: HttpFixture;
  let world: Stand;
  let passedMs: number;
  let draft: Record<string, unknown>;

  beforeEach(async () => {
    passedMs = 0;
    const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + passedMs };
    idp = await startAuthorizationServer();
    server = await httpFixture({ name: 'alpha', json: true });
    world = await openStand({ clock });
    const credentials = { scopes: ['openid'] };
    const url = { url: server.url, allow_private_network: true, issuer: idp.url };
    draft = { alias: 'alpha', transport: 'http', auth_type: 'oauth2', ...url, credentials };
  });
  afterEach(async () => {
    await world.close();
    await Promise.all([idp.close(), server.close()]);
  });

  const post = (path: string, body: object, key = world.adminKey) =>
    world.as(key, path, { method: 'POST', body: JSON.stringify(body) });
  const begin = async () => {
    const { server_id } = await world.manage('POST', '/v1/mcp/server/oauth/session', draft);
    assert.equal(typeof server_id, 'string');
    return String(server_id);
  };
  const signIn = async (id: string) => {
    const { url } = await world.manage('POST', `/v1/mcp/server/${encodeURIComponent(id)}/sign-in`, {});
    const browser = new PageBrowser();
    return browser.send(await browser.open(String(url)), { answer: 'allow' });
  };
  const status = (id: string) =>
    world.manage('GET', `/v1/mcp/server/${encodeURIComponent(id)}/oauth-user-credential/status`);
  const tools = async (id: string) =>
    (await (await post('/mcp-rest/test/tools/list', { server_id: id })).json()) as {
      readonly tools: readonly { readonly name: string }[];
      readonly error: string | null;
    };
  const onDisk = async () => [
    ...(await world.gateway.store.secrets.names('user_token')),
    ...(await world.gateway.store.secrets.names('oauth_client')),
    ...(await world.gateway.store.secrets.names('mcp_server')),
    ...(await world.gateway.store.mcp_server.all()),
  ];

  it('gets a token, with which its tools are listed, and leaves nothing behind', async () => {
    const id = await begin();
    assert.equal((await status(id))['has_credential'], false);
    assert.equal((await signIn(id)).status, 200);
    assert.equal((await status(id))['has_credential'], true);
    const listed = await tools(id);
    assert.deepEqual([listed.error, listed.tools.some((it) => it.name === 'echo')], [null, true]);
    const sent = server.seen.flatMap(({ headers }) => headers.authorization ?? []);
    assert.equal(await idp.accountOf(sent[0]?.replace('Bearer ', '') ?? ''), idp.account);
    assert.deepEqual(await onDisk(), []);
    assert.deepEqual(await world.manage('GET', '/v1/mcp/server'), []);
  });

  it('ends after 300 s, also where the person is still on their way', async () => {
    const id = await begin();
    const { url } = await world.manage('POST', `/v1/mcp/server/${encodeURIComponent(id)}/sign-in`, {});
    const callbacks = new PageBrowser(`${world.base}/callback`);
    const back = await callbacks.send(await callbacks.open(String(url)), { answer: 'allow' });
    assert.ok(back.url.startsWith(`${world.base}/callback?`), back.url);
    passedMs = TRIAL_MS;
    const cookie = callbacks.cookies(new URL(world.base).host);
    assert.equal((await fetch(back.url, { headers: { cookie }, redirect: 'manual' })).status, 400);
    await assert.rejects(status(id), /404/);
    await assert.rejects(world.manage('POST', `/v1/mcp/server/${encodeURIComponent(id)}/sign-in`, {}), /404/);
    assert.deepEqual([(await tools(id)).tools, await onDisk()], [[], []]);
  });

  it('is that of the administrator who began it, and of nobody else', async () => {
    const id = encodeURIComponent(await begin());
    const other = await world.addKey({ role: 'proxy_admin', user_id: 'other' });
    assert.equal((await post(`/v1/mcp/server/${id}/sign-in`, {}, other)).status, 404);
    assert.equal((await world.as(other, `/v1/mcp/server/${id}/oauth-user-credential/status`)).status, 404);
    const person = await world.addKey({ user_id: 'person' });
    assert.equal((await post('/v1/mcp/server/oauth/session', draft, person)).status, 403);
  });

  for (const { field, body, status: expected = 400 } of [
    { field: 'auth_type', body: { auth_type: 'none' } },
    { field: 'oauth2_flow', body: { oauth2_flow: 'client_credentials' } },
    { field: 'transport', body: { transport: 'stdio', command: '/bin/sh', args: [] } },
    { field: 'url', body: { url: 'http://169.254.169.254/mcp', allow_private_network: false }, status: 403 },
    { field: 'issuer', body: { issuer: 'file:///etc/passwd' } },
  ]) {
    it(`keeps to the rules of saved servers: '${field}' is refused`, async () => {
      const answer = await post('/v1/mcp/server/oauth/session', { ...draft, ...body });
      const { error } = (await answer.json()) as { readonly error: { readonly param: string } };
      assert.deepEqual([answer.status, error.param], [expected, field]);
    });
  }
});
