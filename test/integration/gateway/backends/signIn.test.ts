import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { BackendSecrets, McpRegistration } from '../../../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import {
  type AuthorizationServer,
  confidential,
  startAuthorizationServer,
} from '../../../support/backends/authorizationServer.ts';
import { type BackendsUnderTest, openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { signInWithBrowser } from '../../../support/backends/browser.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { verifies } from '../../../support/verifies.ts';

const redirectUri = 'http://127.0.0.1/callback';

describe('a person signs in at the authorization server of an MCP server', () => {
  let idp: AuthorizationServer;
  let backend: EchoBackend;
  let world: BackendsUnderTest;
  let server: McpRegistration;
  let secrets: BackendSecrets;

  beforeEach(async () => {
    [idp, backend, world] = [await startAuthorizationServer(), await startEchoBackend(), openBackends()];
    server = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', issuer: idp.url, allow_private_network: true };
    secrets = { client_id: confidential.id, client_secret: confidential.secret, scopes: ['openid'] };
  });
  afterEach(async () => {
    await world.backends.close();
    await Promise.all([idp.close(), backend.close()]);
  });

  const begin = (user = 'alice') =>
    world.backends.signIn.begin({ server, secrets, user, redirectUri, returnTo: '/ui' });
  const finish = (query: URLSearchParams, cookie: string | undefined) =>
    world.backends.signIn.finish({ query, cookie, find: async () => ({ server, secrets }) });
  const stored = (user = 'alice') => world.tokens.read({ user, server_id: 's1' });
  const isStale = (thrown: unknown) =>
    thrown instanceof Fault &&
    thrown.code === 'invalid_params' &&
    /This sign-in is unknown, has expired, has already been used, or was started in another browser/.test(
      thrown.message,
    );

  it('and gets a token of their own, under PKCE S256, that nobody else uses', async () => {
    verifies('gateway.auth.oauth2.pkce');
    for (const user of ['alice', 'bob']) {
      idp.account = user;
      const { url, cookie } = await begin(user);
      assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256');
      const ended = await finish(await signInWithBrowser(url, redirectUri), cookie);
      assert.deepEqual(ended, { server_id: 's1', user, return_to: '/ui' });
    }
    assert.equal(await idp.accountOf((await stored('alice'))?.access_token ?? ''), 'alice');
    assert.equal(await idp.accountOf((await stored('bob'))?.access_token ?? ''), 'bob');
    assert.ok(idp.tokenRequests.every((it) => (it.form['code_verifier'] ?? '').length >= 43));
  });

  it('once: a state that was used is refused', async () => {
    const { url, cookie } = await begin();
    const query = await signInWithBrowser(url, redirectUri);
    await finish(query, cookie);
    await assert.rejects(finish(query, cookie), isStale);
  });

  it('in the browser that began: without its cookie the answer is refused', async () => {
    const { url } = await begin();
    const other = await begin();
    const query = await signInWithBrowser(url, redirectUri);
    await assert.rejects(finish(query, other.cookie), isStale);
    await assert.rejects(finish(query, undefined), isStale);
    assert.equal(await stored(), undefined);
  });

  it('within ten minutes', async () => {
    const { url, cookie } = await begin();
    const query = await signInWithBrowser(url, redirectUri);
    world.clock.pass(10 * 60_000);
    await assert.rejects(finish(query, cookie), isStale);
  });

  it('and a changed or foreign state is refused', async () => {
    const { url, cookie } = await begin();
    const query = await signInWithBrowser(url, redirectUri);
    const state = query.get('state') ?? '';
    for (const wrong of [`${state.slice(0, -4)}AAAA`, 'x', '', 'A'.repeat(9_000)]) {
      query.set('state', wrong);
      await assert.rejects(finish(query, cookie), isStale);
    }
    query.delete('state');
    await assert.rejects(finish(query, cookie), isStale);
  });

  it('and an answer of another issuer is refused (RFC 9207, authorization-server mix-up)', async () => {
    verifies('security.authorization-server-mix-up');
    const { url, cookie } = await begin();
    const query = await signInWithBrowser(url, redirectUri);
    assert.equal(query.get('iss'), idp.url);
    query.set('iss', 'https://other.example');
    await assert.rejects(finish(query, cookie), (it) => it instanceof Fault && it.code === 'unavailable');
    assert.equal(idp.tokenRequests.length, 0);
  });

  it('or says no, which is told with the code and not with the words of the server', async () => {
    idp.refuses = true;
    const { url, cookie } = await begin();
    await assert.rejects(finish(await signInWithBrowser(url, redirectUri), cookie), {
      code: 'auth_required',
      message: "The sign-in to 'alpha' failed with 'access_denied'.",
    });
  });

  it('where the server itself names its authorization server (RFC 9728) and registers clients (RFC 7591)', async () => {
    backend.answer = ({ path }, response) => {
      if (path !== '/.well-known/oauth-protected-resource/mcp') return void response.writeHead(404).end();
      const metadata = {
        resource: `${backend.url}/mcp`,
        authorization_servers: [idp.url],
        scopes_supported: ['openid'],
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    };
    const { issuer: _, ...unregistered } = server;
    server = { ...unregistered, url: `${backend.url}/mcp` };
    secrets = {};
    const { url, cookie } = await begin();
    await finish(await signInWithBrowser(url, redirectUri), cookie);
    const client = await world.clients.read({ server_id: 's1' });
    assert.deepEqual([client?.issuer, client?.redirect_uris], [idp.url, [redirectUri]]);
    assert.equal(await idp.accountOf((await stored())?.access_token ?? ''), 'alice');
    await begin();
    assert.equal((await world.clients.read({ server_id: 's1' }))?.client_id, client?.client_id, 'it registers once');
  });

  it('but not where the metadata is about another resource, or of another issuer', async () => {
    const { issuer: _, ...unregistered } = server;
    server = { ...unregistered, url: `${backend.url}/mcp` };
    const says = (document: object) => {
      backend.answer = (_heard, response) =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    };
    says({ resource: 'https://other.example/mcp', authorization_servers: [idp.url] });
    await assert.rejects(begin(), { code: 'unavailable' });
    server = { ...server, issuer: backend.url };
    says({ issuer: idp.url, token_endpoint: `${idp.url}/token`, authorization_endpoint: `${idp.url}/auth` });
    await assert.rejects(begin(), { code: 'unavailable' });
  });

  it('but not where the authorization server lacks S256, or is in a network that is not allowed', async () => {
    server = { ...server, issuer: backend.url };
    backend.answer = (_heard, response) => {
      const endpoints = { token_endpoint: `${backend.url}/token`, authorization_endpoint: `${backend.url}/auth` };
      const document = { issuer: backend.url, ...endpoints, code_challenge_methods_supported: ['plain'] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    };
    await assert.rejects(begin(), { code: 'unavailable' });
    backend.heard.length = 0;
    server = { ...server, allow_private_network: false };
    await assert.rejects(begin(), { code: 'forbidden' });
    assert.equal(backend.heard.length, 0);
  });
});
