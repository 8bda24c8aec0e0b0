import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { beforeEach, describe, it } from 'mocha';
import { ClientTokens } from '../../../../../../sidecar/gateway/backends/oauth/clientTokens.ts';
import { ExchangedTokens } from '../../../../../../sidecar/gateway/backends/oauth/exchangedTokens.ts';
import type { BackendSecrets, McpRegistration } from '../../../../../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { TokenEndpoint } from '../../../../../support/backends/tokenEndpoint.ts';

const { signal } = new AbortController();
const secrets: BackendSecrets = { client_id: 'us', client_secret: 'canary-secret' };
const granted = { access_token: 't1', token_type: 'Bearer' };
const exchangedToken = { ...granted, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' };

describe('tokens from a token endpoint', () => {
  let endpoint: TokenEndpoint;
  let clock: SetClock;
  let own: ClientTokens;
  let exchanged: ExchangedTokens;
  let count: number;

  beforeEach(() => {
    [endpoint, clock, count] = [new TokenEndpoint(), new SetClock(), 0];
    const [fetchFor, nowMs] = [() => endpoint.fetch, () => clock.nowMs()];
    own = new ClientTokens({ fetchFor, nowMs });
    exchanged = new ExchangedTokens({ fetchFor, nowMs, fingerprint: (text) => `#${text}` });
    endpoint.answer = () => ({ ...exchangedToken, access_token: `t${(count += 1)}` });
  });

  const server = (more: Partial<McpRegistration> = {}): McpRegistration => ({
    server_id: 's1',
    alias: 'alpha',
    oauth2_flow: 'client_credentials',
    url: 'https://mcp.example/mcp',
    token_url: 'https://as.example/token',
    ...more,
  });
  const ownToken = (more: Partial<McpRegistration> = {}, given: BackendSecrets = secrets, refused?: string) =>
    own.token({ server: server(more), secrets: given, refused, signal });
  const exchange = (subject: string, more: Partial<McpRegistration> = {}, given: BackendSecrets = secrets) =>
    exchanged.token({ server: server(more), secrets: given, subject, signal });
  const forms = () => endpoint.asked.map((it) => it.form);

  describe('that were exchanged', () => {
    const differences: readonly (readonly [of: string, Partial<McpRegistration>, BackendSecrets])[] = [
      ['server', { server_id: 's2' }, {}],
      ['endpoint', { token_exchange_endpoint: 'https://as.example/other' }, {}],
      ['endpoint among the secrets', {}, { token_exchange_endpoint: 'https://as.example/third' }],
      ['scope', {}, { scopes: ['a'] }],
      ['audience', { audience: 'https://a.example' }, {}],
      ['audience among the secrets', {}, { audience: 'https://b.example' }],
      ['resource', {}, { upstream_resource: 'auto' }],
      ['type', { subject_token_type: 'urn:x' }, {}],
      ['type among the secrets', {}, { subject_token_type: 'urn:y' }],
      ['profile', { token_exchange_profile: 'entra_obo' }, {}],
      ['version of the registration', { updated_at: '2026-11-22T00:00:00Z' }, {}],
    ];
    it('are one for each subject and each registration, and nobody gets that of another', async () => {
      const ask = async (subject: string) => {
        const all = [await exchange(subject)];
        for (const [, more, given] of differences) all.push(await exchange(subject, more, { ...secrets, ...given }));
        return all;
      };
      const [ada, bob] = [await ask('ada'), await ask('bob')];
      assert.equal(new Set([...ada, ...bob]).size, 2 * (differences.length + 1));
      assert.deepEqual([await ask('ada'), await ask('bob'), count], [ada, bob, 2 * (differences.length + 1)]);
    });

    it('are asked for where the registration says, with the values of the server before those of the secrets', async () => {
      const hidden = { token_exchange_endpoint: 'https://as.example/b', audience: 'b', subject_token_type: 'urn:b' };
      await exchange(
        'ada',
        { token_exchange_endpoint: 'https://as.example/a', audience: 'a', subject_token_type: 'urn:a' },
        { ...secrets, ...hidden },
      );
      await exchange('ada', {}, { ...secrets, ...hidden, upstream_resource: 'auto' });
      const client = { client_id: 'us', client_secret: 'canary-secret' };
      const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange';
      const common = { ...client, grant_type, subject_token: 'ada' };
      assert.deepEqual(forms(), [
        { ...common, audience: 'a', subject_token_type: 'urn:a' },
        { ...common, audience: 'b', subject_token_type: 'urn:b', resource: 'https://mcp.example/mcp' },
      ]);
      assert.deepEqual(
        endpoint.asked.map((it) => it.url),
        ['https://as.example/a', 'https://as.example/b'],
      );
    });

    it('are let go with their server, and those of others stay', async () => {
      await exchange('ada');
      await exchange('ada', { server_id: 's12' });
      exchanged.forget('s1');
      assert.deepEqual([await exchange('ada'), await exchange('ada', { server_id: 's12' })], ['t3', 't2']);
    });

    it('are not kept after a refusal: the next call asks anew', async () => {
      endpoint.answer = () => ({ error: 'invalid_grant', error_description: 'canary' });
      endpoint.status = 400;
      const refused = {
        code: 'auth_required',
        data: { reason: 'subject_token_refused', server_id: 's1' },
      };
      await assert.rejects(exchange('ada'), refused);
      await assert.rejects(exchange('ada'), refused);
      assert.equal(endpoint.asked.length, 2);
      endpoint.status = 200;
      endpoint.answer = () => exchangedToken;
      assert.equal(await exchange('ada'), 't1');
    });

    it('need an issued_token_type under the RFC and none under the profile of Entra', async () => {
      endpoint.answer = () => granted;
      await assert.rejects(exchange('ada'), { code: 'unavailable', message: /' did not return a usable token/ });
      assert.equal(await exchange('ada', { token_exchange_profile: 'entra_obo' }), 't1');
      assert.equal(await exchange('bob', {}, { ...secrets, token_exchange_profile: 'entra_obo' }), 't1');
    });

    it('need an endpoint and a client', async () => {
      await assert.rejects(exchange('ada', { token_url: null }), { code: 'unavailable' });
      await assert.rejects(exchange('ada', {}, {}), { code: 'unavailable' });
      assert.equal(endpoint.asked.length, 0);
    });
  });

  describe("of the gateway's own client", () => {
    it('are one for each server and version of it, and are let go with it', async () => {
      assert.deepEqual(
        [await ownToken(), await ownToken({ server_id: 's12' }), await ownToken({ updated_at: 'x' })],
        ['t1', 't2', 't3'],
      );
      own.forget('s1');
      assert.deepEqual(
        [await ownToken({ server_id: 's12' }), await ownToken(), await ownToken({}, secrets, 't4')],
        ['t2', 't4', 't5'],
      );
    });

    it('are asked for with the audience of the server before that of the secrets', async () => {
      await ownToken({ audience: 'a' }, { ...secrets, audience: 'b' });
      await ownToken({ server_id: 's2' }, { ...secrets, audience: 'b' });
      assert.deepEqual(
        forms().map((it) => it['audience']),
        ['a', 'b'],
      );
    });

    it('are asked for where the issuer has its endpoint when only that is registered', async () => {
      endpoint.answer = ({ url }) =>
        url.includes('well-known')
          ? { issuer: 'https://as.example', token_endpoint: 'https://as.example/t' }
          : { ...granted, expires_in: 61 };
      await ownToken({ token_url: null, issuer: 'https://as.example' });
      assert.equal(endpoint.asked.at(-1)?.url, 'https://as.example/t');
      clock.pass(999);
      await ownToken({ token_url: null, issuer: 'https://as.example' });
      const before = endpoint.asked.length;
      clock.pass(1);
      await ownToken({ token_url: null, issuer: 'https://as.example' });
      assert.ok(endpoint.asked.length > before, 'a minute before its end it is asked for again');
    });

    it('need a client', async () => {
      await assert.rejects(ownToken({}, {}), {
        code: 'invalid_params',
        message: /'credentials.client_id' is missing for 'alpha'/,
      });
    });
  });

  const forbidden = new Fault('forbidden', 'That address is not allowed.');
  const refused = (message: string, error?: string) => ({
    code: 'unavailable',
    message,
    data: { reason: 'authorization_server', ...(error !== undefined && { error }) },
  });
  const unusable = refused('The authorization server did not return a usable response.');
  const failures: readonly (readonly [
    title: string,
    answer: object | string | Error,
    status: number,
    expected: object,
  ])[] = [
    [
      'a code of the RFCs is repeated',
      { error: 'invalid_client', error_description: 'canary' },
      401,
      refused("The authorization server returned the error 'invalid_client'.", 'invalid_client'),
    ],
    [
      'a grant that is over is named',
      { error: 'invalid_grant' },
      400,
      refused("The authorization server for 'alpha' returned 'invalid_grant'.", 'invalid_grant'),
    ],
    ['any other code is not repeated', { error: 'canary_code' }, 400, unusable],
    ['a page is no answer', '<html>canary', 200, unusable],
    ['a token of another kind is none', { access_token: 'canary', token_type: 'DPoP' }, 200, unusable],
    ['what our own guard says stays as it is', forbidden, 200, { code: 'forbidden', message: forbidden.message }],
    ['a broken connection is no answer', new Error('canary'), 200, unusable],
  ];
  for (const [title, answer, status, expected] of failures) {
    it(`that are not given: ${title}, and no secret is in the error`, async () => {
      endpoint.answer = () => answer;
      endpoint.status = status;
      const thrown: unknown = await ownToken().catch((it: unknown) => it);
      assert.ok(thrown instanceof Fault);
      const { code, message, data } = thrown;
      assert.deepEqual({ code, message, ...(data !== undefined && { data }) }, expected);
      if (expected === unusable) assert.match(String(thrown.cause), /^Error: token endpoint: \w+$/);
      assert.doesNotMatch(inspect(thrown, { depth: 10 }), /canary/);
    });
  }
});
