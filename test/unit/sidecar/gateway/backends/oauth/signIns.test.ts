import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { SignInFailed, UpstreamSignIn } from '../../../../../../sidecar/gateway/backends/oauth/flow.ts';
import type { BackendSecrets, McpRegistration } from '../../../../../../sidecar/gateway/backends/registration.ts';
import { MemoryClients, MemoryStates, MemoryTokens } from '../../../../../support/backends/memoryStores.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { TokenEndpoint } from '../../../../../support/backends/tokenEndpoint.ts';
import { verifies } from '../../../../../support/verifies.ts';

const redirectUri = 'https://gateway.example/callback';
const ref = { user: 'ada', server_id: 's1' };

/** Sign-ins at an authorization server that registers clients, step by step. */
describe("a person's sign-in to a server", () => {
  let endpoint: TokenEndpoint;
  let tokens: MemoryTokens;
  let clients: MemoryClients;
  let signIn: UpstreamSignIn;
  let server: McpRegistration;
  let secrets: BackendSecrets;
  let issuer: string;
  let registered: number;

  beforeEach(() => {
    [endpoint, tokens, clients] = [new TokenEndpoint(), new MemoryTokens(), new MemoryClients()];
    const clock = new SetClock();
    const [fetchFor, nowMs] = [() => endpoint.fetch, () => clock.nowMs()];
    const own = { newId: randomUUID, random: randomBytes, secret: randomBytes(32) };
    signIn = new UpstreamSignIn({ tokens, clients, states: new MemoryStates(), fetchFor, nowMs, ...own });
    server = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', issuer: 'https://as.example' };
    [secrets, issuer, registered] = [{}, 'https://as.example', 0];
    endpoint.answer = ({ url }) => {
      if (url.endsWith('/register')) return { client_id: `client-${(registered += 1)}` };
      if (url.endsWith('/token')) return { access_token: 't1', token_type: 'Bearer', scope: 'a' };
      const names = ['authorization', 'token', 'registration'].map((it) => `${it}_endpoint`);
      const [authorize, token, register] = ['authorize', 'token', 'register'].map((it) => `${issuer}/${it}`);
      return { issuer, ...Object.fromEntries(names.map((it, at) => [it, [authorize, token, register][at]])) };
    };
  });

  const begin = (user = 'ada', more: object = {}) =>
    signIn.begin({ server, secrets, user, redirectUri, returnTo: '/ui', ...more });
  const queryOf = (url: string) => new URL(url).searchParams;
  const find = async () => ({ server, secrets });
  const finish = (
    { url, cookie }: { url: string; cookie: string },
    answer: object = { code: 'c1' },
    how = find as never,
  ) => {
    const query = new URLSearchParams({ state: queryOf(url).get('state') ?? '', ...answer });
    return signIn.finish({ query, cookie, find: how });
  };
  const tokenRequests = () => endpoint.asked.filter((it) => it.url.endsWith('/token'));
  const stale = {
    code: 'invalid_params',
    message: /This sign-in is unknown, has expired, has already been used, or was started in another browser/,
  };

  it('that two people begin at once uses one client, and both end', async () => {
    verifies('gateway.auth.oauth2.one-client');
    const [ada, bob] = await Promise.all([begin('ada'), begin('bob')]);
    assert.equal(registered, 1);
    await Promise.all([finish(ada), finish(bob)]);
    assert.deepEqual([...tokens.held.keys()], ['s1 ada', 's1 bob']);
  });

  it('registers a client anew for another address of the gateway or another authorization server', async () => {
    await begin();
    await begin();
    assert.equal(registered, 1);
    const other = 'https://new.example/callback';
    await begin('ada', { redirectUri: other });
    assert.deepEqual([registered, (await clients.read({ server_id: 's1' }))?.redirect_uris], [2, [other]]);
    issuer = 'https://other.example';
    server = { ...server, issuer };
    const { url } = await begin('ada', { redirectUri: other });
    assert.equal(queryOf(url).get('client_id'), 'client-3');
    assert.equal((await clients.read({ server_id: 's1' }))?.issuer, issuer);
  });

  it('is not begun with a client that could not be stored, and the next one registers again', async () => {
    const write = clients.write.bind(clients);
    clients.write = () => Promise.reject(new Error('the store is away'));
    await assert.rejects(begin(), /the store is away/);
    clients.write = write;
    assert.equal(queryOf((await begin()).url).get('client_id'), 'client-2');
  });

  it('asks for what the token lacked and what it had, and for consent where it wants to stay signed in', async () => {
    const asked = async () => [queryOf((await begin()).url).get('scope'), queryOf((await begin()).url).get('prompt')];
    assert.deepEqual(await asked(), [null, null]);
    secrets = { client_id: 'us', scopes: ['a', 'offline_access'] };
    assert.deepEqual(await asked(), ['a offline_access', 'consent']);
    secrets = { client_id: 'us', scopes: ['a'] };
    await tokens.write(ref, { access_token: 't0', connected_at_ms: 1, missing_scopes: ['c'] });
    assert.deepEqual(await asked(), ['a c', null]);
    await tokens.write(ref, { access_token: 't0', connected_at_ms: 1, scopes: ['b'], missing_scopes: ['c', 'a'] });
    assert.deepEqual(await asked(), ['a b c', null]);
    await tokens.write(ref, { access_token: 't0', connected_at_ms: 1, scopes: ['b'] });
    assert.deepEqual(await asked(), ['a', null]);
  });

  it('is not begun where the registration cannot be used', async () => {
    server = { ...server, issuer: 'http://as.example' };
    await assert.rejects(begin(), { code: 'invalid_params', message: /'issuer' must be an https URL/ });
    assert.equal(endpoint.asked.length, 0);
    server = { ...server, issuer };
    endpoint.answer = () => ({ issuer, token_endpoint: `${issuer}/token` });
    await assert.rejects(begin(), { code: 'unavailable', message: /' does not support PKCE with S256/ });
  });

  it('stores who issued its token, and ends only when it is stored', async () => {
    await finish(await begin());
    const { access_token, scopes, issuer: from } = (await tokens.read(ref)) ?? {};
    assert.deepEqual([access_token, scopes, from], ['t1', ['a'], 'https://as.example']);
    tokens.write = () => Promise.reject(new Error('the store is away'));
    await assert.rejects(finish(await begin()), (it) => it instanceof Error && !(it instanceof SignInFailed));
  });

  const changes: readonly (readonly [title: string, change: () => unknown, expected: object])[] = [
    ['the server was removed', () => undefined, stale],
    [
      'its authorization server is another one',
      async () => {
        issuer = 'https://other.example';
        server = { ...server, issuer };
        return find();
      },
      stale,
    ],
    [
      'its authorization server is another tenant of the same one',
      async () => {
        issuer = 'https://as.example/other';
        server = { ...server, issuer };
        return find();
      },
      stale,
    ],
    ['the server moved', async () => ({ server: { ...server, url: 'https://moved.example/mcp' }, secrets }), stale],
    [
      'codes are exchanged elsewhere',
      async () => ({ server: { ...server, token_url: 'https://moved.example/token' }, secrets }),
      stale,
    ],
    [
      'its authorization server exchanges codes elsewhere',
      async () => {
        endpoint.answer = () => ({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: 'https://moved.example/token',
        });
        return find();
      },
      stale,
    ],
    ['its client is another one', async () => ({ server, secrets: { client_id: 'another' } }), stale],
    [
      'the code is no longer good',
      async () => {
        const { answer } = endpoint;
        endpoint.answer = (at) => {
          endpoint.status = at.url.endsWith('/token') ? 400 : 200;
          return at.url.endsWith('/token') ? { error: 'invalid_grant' } : answer(at);
        };
        return find();
      },
      { code: 'auth_required', message: "The sign-in to 'alpha' failed with 'invalid_grant'." },
    ],
  ];
  for (const [title, change, expected] of changes) {
    it(`fails for whoever began it when ${title} meanwhile, and no token is stored`, async () => {
      const begun = await begin();
      const failed: unknown = await finish(begun, { code: 'c1' }, change as never).catch((it: unknown) => it);
      assert.ok(failed instanceof SignInFailed);
      assert.equal(failed.returnTo, '/ui');
      await assert.rejects(Promise.reject(failed), expected);
      const isAsked = 'code' in expected && expected.code === 'auth_required';
      assert.deepEqual([tokenRequests().length, tokens.held.size], [isAsked ? 1 : 0, 0]);
      await assert.rejects(finish(begun), stale, 'it was used');
    });
  }

  it('that the server refuses is told by its code where that is one of the RFCs', async () => {
    for (const [error, shown] of [
      ['access_denied', 'access_denied'],
      ['canary', 'server_error'],
    ] as const) {
      const message = `The sign-in to 'alpha' failed with '${shown}'.`;
      await assert.rejects(finish(await begin(), { error, error_description: 'canary' }), {
        code: 'auth_required',
        message,
      });
    }
    assert.equal(tokenRequests().length, 0);
  });
});
