import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { McpRegistration } from '../../../../../../sidecar/gateway/backends/registration.ts';
import type { TokenEndpoint } from '../../../../../support/backends/tokenEndpoint.ts';
import {
  needsSignIn,
  userTokensUnderTest as open,
  ref,
  renewed,
  server,
} from '../../../../../support/backends/userTokensUnderTest.ts';
import { later } from '../../../../../support/later.ts';
import { verifies } from '../../../../../support/verifies.ts';

/** What an authorization server answers to the only request there is, when the test lets it. */
function held(endpoint: TokenEndpoint) {
  const [asked, answer] = [later<void>(), later<object>()];
  endpoint.answer = () => {
    asked.resolve();
    return answer.promise;
  };
  return { asked: asked.promise, answer: answer.resolve };
}

describe("a person's token that is being renewed", () => {
  it('stays disconnected when the person disconnects in the middle of its renewal', async () => {
    verifies('gateway.auth.oauth2.disconnected');
    const { store, endpoint, tokens, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
    const { asked, answer } = held(endpoint);
    const call = get();
    await asked;
    await store.remove(ref);
    tokens.forget('s1', 'alice');
    answer(renewed);
    await assert.rejects(call, needsSignIn);
    assert.equal(await store.read(ref), undefined);
    await assert.rejects(get(), needsSignIn);
  });

  const fresh = { access_token: 'signed in', refresh_token: 'r9', connected_at_ms: 2, scopes: ['wide'] };
  for (const [title, status, document, now] of [
    ['succeeds', 200, renewed, fresh],
    ['is refused', 400, { error: 'invalid_grant' }, fresh],
    ['gives the same access token', 200, renewed, { ...fresh, access_token: 'first' }],
    ['has the same refresh token', 200, renewed, { ...fresh, refresh_token: 'r1' }],
  ] as const) {
    it(`is that of a sign-in which ended in the middle of its renewal, also where that ${title}`, async () => {
      verifies('gateway.auth.oauth2.disconnected');
      const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
      const { asked, answer } = held(endpoint);
      endpoint.status = status;
      const call = get();
      await asked;
      await store.write(ref, now);
      answer(document);
      assert.equal(await call, now.access_token);
      assert.deepEqual(await store.read(ref), now);
    });
  }

  it('remembers what its server refused it for in the middle of its renewal', async () => {
    const { store, endpoint, get, whole } = await open({ refresh_token: 'r1', expires_at_ms: 1 });
    const { asked, answer } = held(endpoint);
    const call = get();
    await asked;
    await store.write(ref, whole({ refresh_token: 'r1', expires_at_ms: 1, missing_scopes: ['write'] }));
    answer(renewed);
    assert.equal(await call, 'second');
    assert.deepEqual((await store.read(ref))?.missing_scopes, ['write']);
  });

  describe('is renewed where it was issued and nowhere else (authorization-server mix-up)', () => {
    const discovered: McpRegistration = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', url: server.url };
    /** An MCP server that names this authorization server, which has everything. */
    const naming = (issuer: string) => (at: { readonly url: string }) => {
      if (at.url.startsWith('https://mcp.example/.well-known/'))
        return { resource: server.url, authorization_servers: [issuer] };
      if (at.url.includes('/.well-known/')) return { issuer, token_endpoint: `${issuer}/token` };
      return at.url.endsWith('/token') ? renewed : undefined;
    };
    const tokenRequests = ({ asked }: TokenEndpoint) => asked.filter((it) => it.url.endsWith('/token'));

    for (const [title, secrets, registeredAt, issuer] of [
      ['with a configured client', { client_id: 'us', client_secret: 'canary' }, undefined, 'https://as.example'],
      ['with a registered client', {}, 'https://as.example', undefined],
    ] as const) {
      it(title, async () => {
        verifies('security.authorization-server-mix-up');
        const { store, clients, endpoint, get } = await open(
          { refresh_token: 'r1', expires_at_ms: 1, issuer },
          secrets,
        );
        if (registeredAt) {
          const own = { client_id: 'us', client_secret: 'canary', redirect_uris: [] };
          await clients.write({ server_id: 's1' }, { ...own, issuer: registeredAt });
        }
        endpoint.answer = naming('https://other.example');
        await assert.rejects(get({ server: discovered }), needsSignIn);
        assert.deepEqual(tokenRequests(endpoint), []);
        assert.doesNotMatch(JSON.stringify(endpoint.asked), /r1|canary/);
        assert.ok(await store.read(ref));
        endpoint.answer = naming('https://as.example');
        assert.equal(await get({ server: discovered }), 'second');
        const [request] = tokenRequests(endpoint);
        assert.deepEqual([request?.url, request?.form['resource']], ['https://as.example/token', server.url]);
      });
    }

    it('where nobody said who issued it: where the registration says, and not where the server itself says', async () => {
      verifies('security.authorization-server-mix-up');
      const secrets = { client_id: 'us', client_secret: 'canary' };
      const { store, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 }, secrets);
      endpoint.answer = naming('https://other.example');
      await assert.rejects(get({ server: discovered }), needsSignIn);
      assert.deepEqual(tokenRequests(endpoint), []);
      assert.doesNotMatch(JSON.stringify(endpoint.asked), /r1|canary/);
      assert.ok(await store.read(ref));
      assert.equal(await get({ server: { ...discovered, issuer: 'https://other.example' } }), 'second');
    });

    it('and never with the secret of a client that another authorization server registered', async () => {
      verifies('security.authorization-server-mix-up');
      const { clients, endpoint, get } = await open({ refresh_token: 'r1', expires_at_ms: 1 }, {});
      const own = { client_id: 'us', client_secret: 'canary', redirect_uris: [] };
      await clients.write({ server_id: 's1' }, { ...own, issuer: 'https://before.example' });
      endpoint.answer = naming('https://as.example');
      await assert.rejects(get({ server: { ...discovered, issuer: 'https://as.example' } }), needsSignIn);
      assert.deepEqual(tokenRequests(endpoint), []);
    });

    it('also where its authorization server names another origin for that by now (secret of another origin)', async () => {
      verifies('security.secret-of-another-origin');
      const { endpoint, get } = await open({
        refresh_token: 'r1',
        expires_at_ms: 1,
        issuer: 'https://as.example',
        renewed_at: 'https://as.example',
      });
      const answer = naming('https://as.example');
      endpoint.answer = (at) => ({ ...answer(at), token_endpoint: 'https://other.example/token' });
      await assert.rejects(get({ server: discovered }), needsSignIn);
      assert.deepEqual(tokenRequests(endpoint), []);
      endpoint.answer = answer;
      assert.equal(await get({ server: discovered }), 'second');
    });
  });
});
