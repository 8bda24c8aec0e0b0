import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { after, before, describe, it } from 'mocha';
import { FETCH_INTERVAL_MS } from '../../../../sidecar/gateway/auth/jwt/keySets.ts';
import { ConfigJwtIssuer } from '../../../../sidecar/protocol/gateway/config/jwt.ts';
import {
  type IdentityProvider,
  newSigningKey,
  startIdentityProvider,
} from '../../../support/backends/identityProvider.ts';
import { SetClock } from '../../../support/backends/setClock.ts';
import { type Answer, bearer, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const limit = 10;
const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };

describe('a token of an identity provider', () => {
  let stand: Stand;
  let clock: SetClock;
  let provider: IdentityProvider;
  let other: IdentityProvider;
  let attempts = 0;

  before(async () => {
    [provider, other] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
    clock = new SetClock(Date.parse('2026-03-04T10:00:00.000Z'));
    const issuer = (of: IdentityProvider) =>
      ConfigJwtIssuer.parse({
        issuer: of.url,
        audience: 'gateway',
        allow_private_network: true,
        claims: { team_id: 'team', roles: 'scope' },
        roles: { 'gateway:admin': { role: 'proxy_admin' } },
      });
    stand = await openStand({
      clock,
      jwt: [issuer(provider), issuer(other)],
      throttle: { wrongKeysPerMinute: limit, registrationsPerMinute: 0 },
      trustedProxies: ['127.0.0.1'],
    });
    await stand.addServer({ alias: 'echo', url: `${stand.backend.url}/mcp/echo` });
    const { store } = stand.gateway;
    await store.user.insert({ user_id: 'ada', user_role: 'proxy_admin', ...stamps });
    const members = [{ role: 'user' as const, user_id: 'ada' }];
    await store.team.insert({ team_id: 'theirs', members_with_roles: members, ...stamps });
    await store.team.insert({ team_id: 'foreign', members_with_roles: [], ...stamps });
    await store.team.insert({ team_id: 'closed', members_with_roles: members, blocked: true, ...stamps });
  });
  after(async () => {
    await stand.close();
    await Promise.all([provider.close(), other.close()]);
  });

  const token = (claims: JWTPayload = {}, more?: Parameters<IdentityProvider['token']>[2]) =>
    provider.token(clock.nowMs(), { sub: 'ada', ...claims }, more);
  /** Each from an address of its own, unless it is named. */
  async function call(credential: string, path = '/mcp-rest/tools/list', from?: string): Promise<Answer> {
    attempts += 1;
    return stand.ask(path, { ...bearer(credential), 'x-forwarded-for': from ?? `192.0.2.${attempts % 250}` });
  }
  const errorOf = ({ json }: Answer) => (json as { error: { type: string; message: string } }).error;
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const seconds = () => Math.floor(clock.nowMs() / 1_000);

  it('opens the gateway', async () => {
    const answer = await call(await token());
    assert.equal(answer.status, 200, answer.text);
  });

  /** The provider's own public key, as anybody can fetch it, as the secret of an HMAC. */
  function signedWithPublicKey(): string {
    const { publicKey, kid } = provider.keys[0]!;
    const claims = { iss: provider.url, aud: 'gateway', sub: 'ada', exp: seconds() + 600 };
    const text = `${encoded({ alg: 'HS256', kid })}.${encoded(claims)}`;
    const secret = publicKey.export({ format: 'pem', type: 'spki' });
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }
  function unsigned(): string {
    const claims = { iss: provider.url, aud: 'gateway', sub: 'ada', exp: seconds() + 600 };
    return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
  }
  async function changed(): Promise<string> {
    const [head, , signature] = (await token()).split('.');
    const claims = { iss: provider.url, aud: 'gateway', sub: 'root', exp: seconds() + 600 };
    return `${head}.${encoded(claims)}.${signature}`;
  }
  const attacker = newSigningKey('first');
  const withHeader = (header: Partial<JWTHeaderParameters>) => token({}, { key: attacker, header });
  const embedded = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });

  const forged: readonly (readonly [attack: string, make: () => string | Promise<string>, says: RegExp])[] = [
    ['alg none', unsigned, /signature algorithm/],
    ['HS256 with the public key as its secret', signedWithPublicKey, /signature algorithm/],
    ['for another audience', () => token({ aud: 'somebody else' }), /not issued for this gateway/],
    ['for no audience', () => token({ aud: undefined as never }), /not issued for this gateway/],
    ['of another issuer', () => token({ iss: 'https://evil.example.com' }), /issuer .* is not configured/],
    ['of one issuer, signed with the key of another', () => token({ iss: other.url }), /signature/],
    ['with claims that were changed', changed, /signature/],
    ['signed with a key of the same name', () => token({}, { key: attacker }), /signature/],
    ['signed with a key that nobody published', () => token({}, { key: newSigningKey('unknown') }), /signature/],
    ['with its own key in the header (jwk)', () => withHeader({ jwk: embedded as never }), /signature/],
    ['with the address of its keys (jku)', () => withHeader({ jku: `${other.url}/keys` }), /signature/],
    ['with the address of its certificate (x5u)', () => withHeader({ x5u: `${other.url}/keys` }), /signature/],
    ['whose claims are no object', () => `${encoded({ alg: 'ES256' })}.eyJbXQ.AAAA`, /cannot be read/],
  ];
  for (const [attack, make, says] of forged) {
    it(`forged token: ${attack} is refused, and counts as a guessed key`, async () => {
      verifies('security.forged-token');
      const credential = await make();
      const from = `198.51.100.${forged.findIndex(([it]) => it === attack)}`;
      const fetches = other.fetches;
      for (let n = 0; n < limit; n += 1) {
        const answer = await call(credential, '/mcp-rest/tools/list', from);
        assert.deepEqual([answer.status, errorOf(answer).type], [401, 'auth_error'], answer.text);
        assert.match(errorOf(answer).message, says);
      }
      assert.equal((await call(credential, '/mcp', from)).status, 429);
      assert.ok(other.fetches - fetches <= 1, 'nothing that the token names is fetched');
      assert.ok(!stand.logLines.join('\n').includes(credential), 'it is in no log');
    });
  }

  const refused: readonly (readonly [what: string, make: () => Promise<string>, type: string])[] = [
    ['has expired', () => token({ exp: seconds() - 31 }), 'expired_key'],
    ['is not valid yet', () => token({ nbf: seconds() + 60 }), 'auth_error'],
    ['never ends', () => token({ exp: undefined as never }), 'auth_error'],
    ['is good for longer than the configuration allows', () => token({ exp: seconds() + 90_000 }), 'auth_error'],
    ['names nobody', () => token({ sub: undefined as never }), 'auth_error'],
    ['names somebody whom the gateway does not know', () => token({ sub: 'zoe' }), 'auth_error'],
    ['is for a logout', () => token({}, { header: { typ: 'logout+jwt' } }), 'auth_error'],
  ];
  for (const [what, make, type] of refused) {
    it(`that ${what} is refused, and nobody has to wait for that`, async () => {
      verifies('gateway.jwt.refused');
      const credential = await make();
      for (let n = 0; n <= limit; n += 1) {
        const answer = await call(credential, '/mcp-rest/tools/list', '203.0.113.1');
        assert.deepEqual([answer.status, errorOf(answer).type], [401, type], answer.text);
      }
    });
  }

  it('forged token: unknown keys in a flood make the gateway fetch the keys at most once an interval', async () => {
    verifies('security.forged-token');
    clock.pass(FETCH_INTERVAL_MS);
    const before = provider.fetches;
    for (let n = 0; n < 30; n += 1)
      assert.equal((await call(await token({}, { key: newSigningKey(`flood ${n}`) }))).status, 401);
    assert.equal(provider.fetches - before, 1);
  });

  it('forged token: one in a query string is refused, also beside the same one in a header', async () => {
    verifies('security.forged-token');
    const credential = await token();
    for (const name of ['access_token', 'key', 'token']) {
      assert.equal((await stand.ask(`/mcp-rest/tools/list?${name}=${credential}`, {})).status, 401, name);
      const both = await call(credential, `/mcp-rest/tools/list?${name}=${credential}`);
      assert.equal(both.status, 400, name);
    }
    assert.equal((await call(credential, `/v1/models?access_token=${credential}`)).status, 400);
  });

  const teams: readonly (readonly [what: string, team: string, status: number])[] = [
    ['their own team', 'theirs', 200],
    ['a team that they do not belong to', 'foreign', 403],
    ['a team that does not exist', 'nowhere', 403],
    ['a team that is blocked', 'closed', 401],
  ];
  for (const [what, team, status] of teams) {
    it(`for ${what} gets the answer ${status}`, async () => {
      verifies('gateway.jwt.records');
      assert.equal((await call(await token({ team }))).status, status);
    });
  }

  it('ends with the next call when its user is disabled, and is good again later', async () => {
    verifies('gateway.jwt.records');
    const credential = await token();
    const client = await stand.mcp('/mcp', credential).initialized();
    const say = async (text: string) => (await client.post(toolCall('echo__echo', { text }))).status;
    assert.equal(await say('before'), 200);
    await stand.manage('POST', '/user/update', { user_id: 'ada', blocked: true });
    assert.equal(await say('blocked'), 401);
    await stand.manage('POST', '/user/update', { user_id: 'ada', blocked: false });
    assert.equal(await say('after'), 200);
    assert.equal(stand.calls().filter((it) => it.body.includes('blocked')).length, 0);
  });

  it('makes nobody an administrator: without a mapped role the management API is closed, also to administrators', async () => {
    verifies('gateway.jwt.roles');
    for (const scope of [undefined, 'gateway:Admin', 'admin proxy_admin', '__proto__ constructor']) {
      const answer = await call(await token(scope === undefined ? {} : { scope }), '/key/list');
      assert.equal(answer.status, 403, answer.text);
    }
    assert.equal((await call(await token({ scope: 'openid gateway:admin' }), '/key/list')).status, 200);
  });

  it('is refused on the sign-in page, where only keys are entered', async () => {
    const response = await fetch(`${stand.base}/ui/session`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify({ key: await token() }),
    });
    assert.ok([400, 401].includes(response.status), String(response.status));
  });

  it('forged token: none outlives the keys of a provider that is away for longer than the configuration allows', async () => {
    verifies('security.forged-token');
    const long = () => token({ exp: seconds() + 80_000 });
    const credential = await long();
    assert.equal((await call(credential)).status, 200);
    provider.isAway = true;
    clock.pass(600_000 + 3_600_000 - 60_000);
    assert.equal((await call(credential)).status, 200, 'the last keys are good for a time');
    clock.pass(120_000);
    for (const it of [credential, await long()]) {
      const answer = await call(it);
      assert.deepEqual([answer.status, errorOf(answer).type], [503, 'jwks_unavailable'], answer.text);
    }
    provider.isAway = false;
    clock.pass(FETCH_INTERVAL_MS);
    assert.equal((await call(credential)).status, 200);
  });

  it('forged token: one that is signed with a key that was withdrawn is refused as soon as the keys are fetched again', async () => {
    verifies('security.forged-token');
    const credential = await token({ exp: seconds() + 80_000 });
    assert.equal((await call(credential)).status, 200);
    provider.keys = [newSigningKey('second')];
    assert.equal((await call(await token())).status, 401, 'keys were fetched a moment ago');
    clock.pass(FETCH_INTERVAL_MS);
    assert.equal((await call(await token())).status, 200, 'the new key');
    assert.equal((await call(credential)).status, 401, 'the old one');
  });
});
