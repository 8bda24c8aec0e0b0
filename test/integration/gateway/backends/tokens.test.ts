import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readBody } from '../../../../sidecar/gateway/backends/net/readBody.ts';
import type { BackendSecrets, McpRegistration } from '../../../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import {
  type AuthorizationServer,
  confidential,
  startAuthorizationServer,
} from '../../../support/backends/authorizationServer.ts';
import { type BackendsUnderTest, openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { signInWithBrowser } from '../../../support/backends/browser.ts';
import { inboundOf, virtualKey } from '../../../support/backends/callOf.ts';
import { type EchoBackend, startEchoBackend } from '../../../support/backends/echoBackend.ts';
import { verifies } from '../../../support/verifies.ts';

const redirectUri = 'http://127.0.0.1/callback';

describe('tokens for MCP servers', () => {
  let idp: AuthorizationServer;
  let echo: EchoBackend;
  let world: BackendsUnderTest;

  beforeEach(async () => {
    [idp, echo, world] = [await startAuthorizationServer(), await startEchoBackend(), openBackends()];
  });
  afterEach(async () => {
    await world.backends.close();
    await Promise.all([idp.close(), echo.close()]);
  });

  const serverOf = (more: Partial<McpRegistration>): McpRegistration => ({
    server_id: 's1',
    alias: 'alpha',
    url: `${echo.url}/mcp`,
    issuer: idp.url,
    allow_private_network: true,
    ...more,
  });
  const client: BackendSecrets = { client_id: confidential.id, client_secret: confidential.secret };
  const answerWith = (document: object, status = 200) => {
    idp.intercept = (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    };
  };

  async function call(server: McpRegistration, secrets: BackendSecrets, bearer?: string, user = 'alice') {
    const { signal } = new AbortController();
    const outbound = await world.backends.forServer(server, secrets, { inbound: inboundOf({}, bearer), user, signal });
    const request = { method: 'POST', url: `${echo.url}/mcp`, headers: {}, body: '{}' };
    const response = await outbound.send(request, signal);
    await readBody(response.body, 1_000);
    return { status: response.status, identity: outbound.identity };
  }
  const sent = () => echo.heard.map((it) => String(it.headers.authorization).replace('Bearer ', ''));

  async function signIn(server: McpRegistration, user = 'alice', secrets: BackendSecrets = client) {
    idp.account = user;
    const registered = { server, secrets: { ...secrets, scopes: ['openid', 'offline_access'] } };
    const { url, cookie } = await world.backends.signIn.begin({ ...registered, user, redirectUri });
    const query = await signInWithBrowser(url, redirectUri);
    await world.backends.signIn.finish({ query, cookie, find: async () => registered });
    idp.tokenRequests.length = 0;
  }

  describe('of a person (authorization_code)', () => {
    const ref = { user: 'alice', server_id: 's1' };

    it('are refreshed once, however many calls need it at the same time, and over two gateways', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      const before = await world.tokens.read(ref);
      world.clock.pass(3_600_000);
      const second = openBackends({ tokens: world.tokens, clock: world.clock });
      const { signal } = new AbortController();
      const facts = { inbound: inboundOf(), user: 'alice', signal };
      await Promise.all([
        call(server, client),
        call(server, client),
        second.backends.forServer(server, client, facts),
        second.backends.forServer(server, client, facts),
      ]);
      await second.backends.close();
      assert.deepEqual(
        idp.tokenRequests.map((it) => it.form['grant_type']),
        ['refresh_token'],
      );
      const after = await world.tokens.read(ref);
      assert.notEqual(after?.access_token, before?.access_token);
      assert.notEqual(after?.refresh_token, before?.refresh_token, 'the refresh token was rotated');
      assert.deepEqual(sent(), [after?.access_token, after?.access_token]);
    });

    it('are refreshed once more when the server answers 401, and the call is sent again', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      const first = (await world.tokens.read(ref))?.access_token ?? '';
      echo.answer = ({ headers }, response) =>
        void response.writeHead(headers.authorization?.endsWith(first) ? 401 : 200).end('{}');
      const answers = await Promise.all([call(server, client), call(server, client)]);
      assert.deepEqual(
        answers.map((it) => it.status),
        [200, 200],
      );
      assert.equal(idp.tokenRequests.length, 1);
    });

    it('are sent again once only: a second 401 is the answer', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      echo.answer = (_, response) => void response.writeHead(401).end('{}');
      assert.equal((await call(server, client)).status, 401);
      assert.equal(echo.heard.length, 2);
    });

    it('are deleted when the refresh token is no longer good, and the person is asked to sign in', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      await idp.revoke((await world.tokens.read(ref))?.refresh_token ?? '');
      world.clock.pass(3_600_000);
      await assert.rejects(
        call(server, client),
        (it) =>
          it instanceof Fault && it.code === 'auth_required' && (it.data as { reason: string }).reason === 'sign_in',
      );
      assert.equal(await world.tokens.read(ref), undefined);
      assert.equal(echo.heard.length, 0);
    });

    it('stay when the authorization server only fails, which is not told as success', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      world.clock.pass(3_600_000);
      answerWith({ error: 'temporarily_unavailable' }, 503);
      await assert.rejects(call(server, client), { code: 'unavailable' });
      assert.ok(await world.tokens.read(ref));
      idp.intercept = undefined;
      assert.equal((await call(server, client)).status, 200);
    });

    it('keep the refresh token that the answer does not replace', async () => {
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server);
      const before = await world.tokens.read(ref);
      world.clock.pass(3_600_000);
      answerWith({ access_token: 'next', token_type: 'bearer', expires_in: 60 });
      await call(server, client);
      assert.equal((await world.tokens.read(ref))?.refresh_token, before?.refresh_token);
    });

    it('never mix: two people in turns get their own, and their calls share no connection (token mix-up)', async () => {
      verifies('security.token-mix-up');
      const server = serverOf({ auth_type: 'oauth2' });
      await signIn(server, 'alice');
      await signIn(server, 'bob');
      const identities = new Map<string, Set<string>>();
      for (const user of ['alice', 'bob', 'alice', 'bob']) {
        const { identity } = await call(server, client, undefined, user);
        identities.set(user, (identities.get(user) ?? new Set()).add(identity));
      }
      const owners = await Promise.all(sent().map((it) => idp.accountOf(it)));
      assert.deepEqual(owners, ['alice', 'bob', 'alice', 'bob']);
      const [alice = [], bob = []] = [...identities.values()].map((it) => [...it]);
      assert.deepEqual([alice.length, bob.length], [1, 1]);
      assert.notEqual(alice[0], bob[0]);
      await assert.rejects(call(server, client, undefined, 'carol'), { code: 'auth_required' });
    });
  });

  describe('of the gateway itself (client_credentials)', () => {
    const server = (more: Partial<McpRegistration> = {}) =>
      serverOf({ auth_type: 'oauth2', oauth2_flow: 'client_credentials', ...more });

    it('are fetched once for calls at the same time, and again a minute before their end', async () => {
      await Promise.all([call(server(), client), call(server(), client), call(server(), client)]);
      assert.equal(idp.tokenRequests.length, 1);
      world.clock.pass(3_540_000 - 1);
      await call(server(), client);
      assert.equal(idp.tokenRequests.length, 1);
      world.clock.pass(1);
      await call(server(), client);
      assert.equal(idp.tokenRequests.length, 2);
    });

    it('go on for those who wait when the caller who asked first leaves', async () => {
      const first = new AbortController();
      const facts = { inbound: inboundOf(), user: 'alice' };
      const left = Promise.resolve(world.backends.forServer(server(), client, { ...facts, signal: first.signal }));
      const stays = call(server(), client);
      first.abort(new Error('left'));
      await assert.rejects(left, /left/);
      assert.equal((await stays).status, 200);
      assert.equal(idp.tokenRequests.length, 1);
    });

    it('are asked for with the secret in the form, or as Basic with both parts form-encoded', async () => {
      await call(server(), client);
      const basic = {
        client_id: 'basic client',
        client_secret: 'canary secret:2',
        token_endpoint_auth_method: 'client_secret_basic',
      };
      await call(server({ server_id: 's2' }), basic);
      const [post, second] = idp.tokenRequests;
      assert.deepEqual([post?.form['client_secret'], post?.authorization], [confidential.secret, undefined]);
      const decoded = Buffer.from(second?.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
      assert.deepEqual([second?.form['client_secret'], decoded], [undefined, 'basic+client:canary+secret%3A2']);
    });

    it('are asked for with a signed assertion where a private key is registered', async () => {
      const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      });
      answerWith({ access_token: 'assertion-token', token_type: 'Bearer' });
      const secrets = { client_id: 'c', client_private_key: String(pem), client_private_key_id: 'k1' };
      await call(server(), secrets);
      const form = idp.tokenRequests[0]?.form ?? {};
      assert.equal(form['client_assertion_type'], 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const [head = ''] = (form['client_assertion'] ?? '').split('.');
      assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'RS256', kid: 'k1' });
    });

    it('are asked for one resource (RFC 8707), which is the server itself under the word auto', async () => {
      await call(server(), { ...client, upstream_resource: 'auto', scopes: ['read'] });
      assert.equal(idp.tokenRequests[0]?.form['resource'], `${echo.url}/mcp`);
      assert.equal(idp.tokenRequests[0]?.form['scope'], 'read');
    });

    it('are fetched anew for a registration that changed', async () => {
      await call(server(), client);
      await call(server({ updated_at: '2026-11-21T00:00:00Z' }), client);
      assert.equal(idp.tokenRequests.length, 2);
    });
  });

  describe('on behalf of a caller (RFC 8693)', () => {
    const server = (more: Partial<McpRegistration> = {}) =>
      serverOf({
        auth_type: 'oauth2_token_exchange',
        token_exchange_endpoint: `${idp.url}/token`,
        audience: 'https://mcp.example',
        ...more,
      });
    async function subjectOf(user: string): Promise<string> {
      await signIn(serverOf({ server_id: 'elsewhere', auth_type: 'oauth2' }), user);
      return (await world.tokens.read({ user, server_id: 'elsewhere' }))?.access_token ?? '';
    }

    it('are exchanged with the fields of the RFC, once for each subject', async () => {
      const [alice, bob] = [await subjectOf('alice'), await subjectOf('bob')];
      for (const subject of [alice, bob, alice, bob]) await call(server(), { ...client, scopes: ['a', 'b'] }, subject);
      assert.equal(idp.tokenRequests.length, 2);
      assert.deepEqual(idp.tokenRequests[0]?.form, {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: alice,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: 'https://mcp.example',
        scope: 'a b',
        client_id: confidential.id,
        client_secret: confidential.secret,
      });
      const owners = await Promise.all(sent().map((it) => idp.accountOf(it)));
      assert.deepEqual(owners, ['alice', 'bob', 'alice', 'bob']);
    });

    it('take the fields of Entra under its profile', async () => {
      const alice = await subjectOf('alice');
      await call(server({ token_exchange_profile: 'entra_obo' }), { ...client, scopes: ['api/.default'] }, alice);
      assert.deepEqual(idp.tokenRequests[0]?.form, {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: alice,
        requested_token_use: 'on_behalf_of',
        scope: 'api/.default',
        client_id: confidential.id,
        client_secret: confidential.secret,
      });
    });

    it('differ by scope, audience and profile', async () => {
      const alice = await subjectOf('alice');
      await call(server(), client, alice);
      await call(server(), { ...client, scopes: ['a'] }, alice);
      await call(server({ audience: 'https://other.example' }), client, alice);
      await call(server({ token_exchange_profile: 'entra_obo' }), client, alice);
      assert.equal(idp.tokenRequests.length, 4);
    });

    it('need a token of the caller: without one, or with the virtual key in its place, it is 401 and nobody is asked', async () => {
      for (const bearer of [undefined, '', virtualKey, `Bearer ${virtualKey}`]) {
        await assert.rejects(call(server(), client, bearer), { code: 'auth_required' });
      }
      assert.deepEqual([idp.tokenRequests.length, echo.heard.length], [0, 0]);
    });

    it('that the authorization server refuses are 401, without its words, which may hold the token', async () => {
      const thrown: unknown = await call(server(), client, 'canary-subject-token').catch((it: unknown) => it);
      assert.ok(thrown instanceof Fault && thrown.code === 'auth_required');
      assert.doesNotMatch(inspect(thrown, { depth: 10 }), /canary/);
    });

    it('are made anew once when the server answers 401', async () => {
      const alice = await subjectOf('alice');
      echo.answer = (_, response) => void response.writeHead(echo.heard.length === 1 ? 401 : 200).end('{}');
      assert.equal((await call(server(), client, alice)).status, 200);
      assert.equal(idp.tokenRequests.length, 2);
      assert.equal(new Set(sent()).size, 2);
    });

    const unusable: readonly (readonly [string, object, number])[] = [
      ['without issued_token_type', { access_token: 'canary-t', token_type: 'Bearer' }, 200],
      ['that is no bearer token', { access_token: 'canary-t', token_type: 'N_A', issued_token_type: 'x' }, 200],
      ['without a token', { token_type: 'Bearer', issued_token_type: 'x' }, 200],
      ['that is an error', { error: 'invalid_target', error_description: confidential.secret }, 400],
      ['that is an error of its own', { error: confidential.secret }, 400],
      ['that is longer than 256 KB', { access_token: 'canary-t'.repeat(40_000), token_type: 'Bearer' }, 200],
    ];
    for (const [words, document, status] of unusable) {
      it(`do not come from an answer ${words}, and no secret is in the error`, async () => {
        answerWith(document, status);
        const thrown: unknown = await call(server(), client, 'canary-subject-token').catch((it: unknown) => it);
        assert.ok(thrown instanceof Fault && thrown.code === 'unavailable', inspect(thrown));
        assert.doesNotMatch(inspect(thrown, { depth: 10 }) + JSON.stringify(thrown), /canary/);
        assert.equal(echo.heard.length, 0);
      });
    }

    it('do not come from a redirect', async () => {
      idp.intercept = (_, response) => void response.writeHead(307, { location: `${echo.url}/steal` }).end();
      await assert.rejects(call(server(), client, 'a-subject-token'), { code: 'unavailable' });
      assert.equal(echo.heard.length, 0);
    });
  });
});
