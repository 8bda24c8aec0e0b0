import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { ClientDocuments } from '../../../../../sidecar/gateway/oauth/clientDocuments.ts';
import { type Client, Clients, clientDigest } from '../../../../../sidecar/gateway/oauth/clients.ts';
import { Grants } from '../../../../../sidecar/gateway/oauth/grants.ts';
import { Revocations } from '../../../../../sidecar/gateway/oauth/revocations.ts';
import { type TokenDeps, token } from '../../../../../sidecar/gateway/oauth/token.ts';
import { introspect, revoke } from '../../../../../sidecar/gateway/oauth/tokenStatus.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';
import { callContext } from '../../../../support/gateway/callContext.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

const base = 'https://gateway.example';
const redirect = 'http://127.0.0.1:9/callback';
const verifier = 'v'.repeat(43);
const HOUR = 60 * 60_000;

type Fields = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>> & { readonly access_token: string; readonly refresh_token: string };

/** What replicas agree on, forgotten when it is over, as the store does it. */
class ExpiringClaims {
  readonly kept = new Map<string, number>();
  readonly #clock: StandingClock;
  constructor(clock: StandingClock) {
    this.#clock = clock;
  }
  async claim(id: string, expiresAtMs: number): Promise<boolean> {
    if (await this.isClaimed(id)) return false;
    this.kept.set(id, expiresAtMs);
    return true;
  }
  async isClaimed(id: string): Promise<boolean> {
    return (this.kept.get(id) ?? 0) > this.#clock.nowMs();
  }
}

describe('the token endpoint', () => {
  let clock: StandingClock;
  let claims: ExpiringClaims;
  let clients: Clients;
  let client: Client;
  let grants: Grants;
  let deps: TokenDeps;
  /** The hash that a key has today, by the one that it had. */
  let keys: Map<string, string | Fault>;

  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    claims = new ExpiringClaims(clock);
    const sealer = createSealer(randomBytes(32));
    const documents = new ClientDocuments(() => Promise.reject(new Error('nothing is fetched here')), clock);
    clients = new Clients({ sealer, secretKey: randomBytes(32), documents });
    client = clients.make({ name: 'Raw', redirectUris: [redirect], authMethod: 'none' });
    grants = new Grants({ sealer, random: randomBytes });
    keys = new Map([['hash', 'hash']]);
    const byHash = async (hash: string) => {
      const found = keys.get(hash) ?? new Fault('auth_required', 'no such key');
      if (found instanceof Fault) throw found;
      return { key: { token: found } } as Awaited<ReturnType<TokenDeps['callers']['byHash']>>;
    };
    const nowMs = () => clock.nowMs();
    deps = { clients, grants, claims, revocations: new Revocations(claims, clock), callers: { byHash }, nowMs };
  });

  const form = (path: string, fields: Fields, headers: Fields = {}) =>
    new Request(`${base}${path}`, { method: 'POST', body: new URLSearchParams(fields), headers });
  const ask = async (fields: Fields, headers: Fields = {}): Promise<Json> =>
    (await (await token(form('/token', fields, headers), base, deps)).json()) as Json;
  const codeFor = (a = 'all') => {
    const p = createHash('sha256').update(verifier).digest('base64url');
    return grants.code({ t: 'hash', a, c: clientDigest(client), r: redirect, p }, clock.nowMs());
  };
  const redeem = (code: string, changes: Fields = {}) => {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier };
    return ask({ ...fields, client_id: client.id, ...changes });
  };
  const refresh = (refresh_token: string, changes: Fields = {}) =>
    ask({ grant_type: 'refresh_token', refresh_token, client_id: client.id, ...changes });
  const status = async (text: string, key = 'hash', isAdmin = false) => {
    const context = callContext({ baseUrl: base, caller: { isAdmin, key: { token: key } } });
    const answer = await introspect(form('/introspect', { token: text }), context, deps);
    return (await answer.json()) as Record<string, unknown>;
  };
  const end = (text: string, by = client) => revoke(form('/revoke', { token: text, client_id: by.id }), deps);

  it('gives tokens for the hash that a key has by now, since old hashes are soon forgotten', async () => {
    const code = codeFor();
    keys.set('hash', 'second');
    keys.set('second', 'third');
    const first = await redeem(code);
    assert.equal(grants.openAccess(first.access_token)?.t, 'second');
    keys.delete('hash');
    const second = await refresh(first.refresh_token);
    assert.equal(grants.openAccess(second.access_token)?.t, 'third');
    assert.equal(grants.openRefresh(second.refresh_token)?.t, 'third');
  });
  it('keeps a code used up for longer than it is good on any replica, whose clocks differ', async () => {
    const code = codeFor();
    await redeem(code);
    clock.pass(61_000);
    const behind = { ...deps, nowMs: () => clock.nowMs() - 5_000 };
    deps = behind;
    await assert.rejects(redeem(code), { error: 'invalid_grant' });
  });
  it('ends what a code gave when the code comes again, for as long as any of it could be used', async () => {
    const code = codeFor();
    const { refresh_token } = await redeem(code);
    const family = grants.openRefresh(refresh_token)?.f ?? '';
    await assert.rejects(redeem(code), { error: 'invalid_grant' });
    clock.pass(30 * 24 * HOUR - 1);
    assert.equal(await claims.isClaimed(`oauth revoked ${family}`), true, 'as long as the last of them could be used');
    await assert.rejects(refresh(refresh_token), { error: 'invalid_grant' });
  });
  it('keeps a family revoked for longer than any token of it that was made meanwhile', async () => {
    const { refresh_token } = await redeem(codeFor());
    await end(refresh_token);
    clock.pass(30 * 24 * HOUR + 30 * 60_000);
    const family = grants.openRefresh(refresh_token)?.f ?? '';
    assert.equal(await claims.isClaimed(`oauth revoked ${family}`), true);
  });
  it('gives refresh tokens of one family one after another, each good for its own thirty days to the last millisecond', async () => {
    const first = await redeem(codeFor());
    let { refresh_token } = first;
    for (const ms of [0, 0, 29 * 24 * HOUR, 30 * 24 * HOUR - 1, 0]) {
      clock.pass(ms);
      ({ refresh_token } = await refresh(refresh_token));
    }
    assert.equal(grants.openRefresh(refresh_token)?.f, grants.openRefresh(first.refresh_token)?.f);
    clock.pass(30 * 24 * HOUR);
    await assert.rejects(refresh(refresh_token), { error: 'invalid_grant' });
  });
  it('takes a code to the last millisecond of its minute', async () => {
    const [code, late] = [codeFor(), codeFor()];
    clock.pass(59_999);
    await redeem(code);
    clock.pass(1);
    await assert.rejects(redeem(late), { error: 'invalid_grant' });
  });
  it('refuses a refresh token of a revoked family and does not use it up', async () => {
    const { refresh_token } = await redeem(codeFor());
    await end(refresh_token);
    const before = [...claims.kept.keys()];
    await assert.rejects(refresh(refresh_token), { error: 'invalid_grant' });
    assert.deepEqual([...claims.kept.keys()], before);
  });
  it('keeps code and refresh token good where the database did not answer for the key', async () => {
    const code = codeFor();
    keys.set('hash', new Fault('unavailable', 'The database is not responding.'));
    await assert.rejects(redeem(code), { code: 'unavailable' });
    keys.set('hash', 'hash');
    const { refresh_token } = await redeem(code);
    keys.set('hash', new Fault('unavailable', 'The database is not responding.'));
    await assert.rejects(refresh(refresh_token), { code: 'unavailable' });
    keys.set('hash', 'hash');
    assert.match((await refresh(refresh_token)).access_token, /^swb_at_/);
  });
  it('takes a resource of the audience in whichever spelling, and refuses another one that is ours', async () => {
    const { refresh_token } = await redeem(codeFor('named/alpha'), { resource: `${base}/alpha/mcp` });
    for (const resource of [`${base}/mcp`, `${base}/mcp/beta`, 'https://other.example/mcp/alpha'])
      await assert.rejects(refresh(refresh_token, { resource }), { error: 'invalid_target' });
    await refresh(refresh_token, { resource: `${base}/mcp/alpha` });
  });

  describe('knows a client', () => {
    const basicOf = (id: string, secret: string) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    });
    let secret: string;
    beforeEach(() => {
      client = clients.make({ name: 'Secret', redirectUris: [redirect], authMethod: 'client_secret_basic' });
      secret = clients.secretOf(client.id);
    });
    const fields = () => ({ grant_type: 'refresh_token', refresh_token: 'none' });
    /** One that is known is refused for its token. */
    const rows: readonly [what: string, error: string, request: () => [Fields, Fields]][] = [
      [
        'by Basic, in the encoding of forms',
        'invalid_grant',
        () => [fields(), basicOf(client.id.replace('_', '%5F'), secret)],
      ],
      [
        'by Basic, and the same id in the form',
        'invalid_grant',
        () => [{ ...fields(), client_id: client.id }, basicOf(client.id, secret)],
      ],
      [
        'by Basic, and an empty id in the form',
        'invalid_grant',
        () => [{ ...fields(), client_id: '' }, basicOf(client.id, secret)],
      ],
      [
        'not by Basic where the form names another',
        'invalid_client',
        () => [{ ...fields(), client_id: 'other' }, basicOf(client.id, secret)],
      ],
      [
        'not by a wrong secret in Basic, whatever the form says',
        'invalid_client',
        () => [{ ...fields(), client_secret: secret }, basicOf(client.id, 'wrong')],
      ],
      [
        'not by the secret of another client',
        'invalid_client',
        () => [fields(), basicOf(client.id, clients.secretOf(`${client.id}x`))],
      ],
      ['not by a secret that cannot be decoded', 'invalid_client', () => [fields(), basicOf(client.id, '%')]],
      ['not without anything', 'invalid_client', () => [fields(), {}]],
    ];
    for (const [what, error, request] of rows)
      it(what, async () => void (await assert.rejects(ask(...request()), { name: 'OAuthRefusal', error })));
  });

  describe('revokes', () => {
    it('by either token of a family, for the client that has it', async () => {
      for (const name of ['access_token', 'refresh_token'] as const) {
        const made = await redeem(codeFor());
        assert.equal((await end(made[name])).status, 200);
        assert.deepEqual(await status(made.access_token), { active: false }, name);
      }
    });
    it('nothing for another client, which is answered alike', async () => {
      const made = await redeem(codeFor());
      const other = clients.make({ name: 'Other', redirectUris: [redirect], authMethod: 'none' });
      assert.equal((await end(made.access_token, other)).status, 200);
      assert.equal((await status(made.access_token))['active'], true);
    });
  });

  describe('says of a token', () => {
    it('when it was made, when it is over, and what it is for', async () => {
      const madeAt = clock.nowMs() / 1_000;
      const { access_token, refresh_token } = await redeem(codeFor('named/alpha'));
      clock.pass(5_500);
      const scope = 'mcp';
      const facts = { active: true, scope, aud: `${base}/mcp/alpha`, iat: madeAt };
      assert.deepEqual(await status(access_token), { ...facts, exp: madeAt + 3_600, token_type: 'Bearer' });
      assert.deepEqual(await status(refresh_token), { ...facts, exp: madeAt + 30 * 24 * 3_600 });
    });
    it('that it is good to its last millisecond', async () => {
      const { access_token } = await redeem(codeFor());
      clock.pass(HOUR - 1);
      assert.equal((await status(access_token))['active'], true);
      clock.pass(1);
      assert.deepEqual(await status(access_token), { active: false });
    });
    it('nothing to the holder of another key, but to an administrator', async () => {
      const { access_token } = await redeem(codeFor());
      assert.deepEqual(await status(access_token, 'another'), { active: false });
      assert.equal((await status(access_token, 'another', true))['active'], true);
    });
  });
});
