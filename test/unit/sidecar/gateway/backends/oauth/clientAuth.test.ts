import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeEach, describe, it } from 'mocha';
import { ClientTokens } from '../../../../../../sidecar/gateway/backends/oauth/clientTokens.ts';
import type { BackendSecrets } from '../../../../../../sidecar/gateway/backends/registration.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';
import { TokenEndpoint } from '../../../../../support/backends/tokenEndpoint.ts';

const issuer = 'https://as.example';
const { signal } = new AbortController();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = ({ privateKey }: typeof rsa) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('how the gateway says who it is at a token endpoint', () => {
  let endpoint: TokenEndpoint;
  let offered: readonly string[] | undefined;
  let answer: object | string;
  let tokens: ClientTokens;

  beforeEach(() => {
    [endpoint, offered, answer] = [new TokenEndpoint(), undefined, { access_token: 't1', token_type: 'Bearer' }];
    const clock = new SetClock();
    tokens = new ClientTokens({ fetchFor: () => endpoint.fetch, nowMs: () => clock.nowMs() });
    endpoint.answer = ({ url }) =>
      url.includes('.well-known')
        ? {
            issuer,
            token_endpoint: `${issuer}/token`,
            ...(offered && { token_endpoint_auth_methods_supported: offered }),
          }
        : answer;
  });
  const token = (secrets: BackendSecrets) => {
    const server = { server_id: 's1', alias: 'alpha', issuer, oauth2_flow: 'client_credentials' };
    return tokens.token({ server, secrets, signal });
  };

  const [post, basic, none] = ['client_secret_post', 'client_secret_basic', 'none'] as const;
  const rows: readonly (readonly [
    offers: readonly string[] | undefined,
    wanted: string | undefined,
    isSecret: boolean,
    sent: string,
  ])[] = [
    [undefined, undefined, true, post],
    [[post, basic], undefined, true, post],
    [[basic], undefined, true, basic],
    [['private_key_jwt'], undefined, true, post],
    [[post], basic, true, basic],
    [[basic], post, true, post],
    [[post], none, true, none],
    [[post], undefined, false, none],
    [[basic], basic, false, none],
  ];
  for (const [offers, wanted, isSecret, sent] of rows) {
    it(`is ${sent} where ${String(offers)} is offered, ${String(wanted)} registered, with${isSecret ? '' : 'out'} a secret`, async () => {
      offered = offers;
      await token({
        client_id: 'us',
        client_secret: isSecret ? 's ü' : null,
        token_endpoint_auth_method: wanted ?? null,
      });
      const [, { form, headers } = assert.fail()] = endpoint.asked;
      const credentials = `Basic ${Buffer.from('us:s+%C3%BC').toString('base64')}`;
      assert.equal(headers.get('authorization'), sent === basic ? credentials : null);
      assert.equal(form['client_secret'], sent === post ? 's ü' : undefined);
      assert.equal(form['client_id'], sent === basic ? undefined : 'us');
      assert.equal(form['client_assertion'], undefined);
    });
  }

  for (const [alg, key, id] of [
    ['RS256', rsa, 'k1'],
    ['PS256', rsa, undefined],
    ['ES256', ec, 'k1'],
  ] as const) {
    it(`is an assertion signed by ${alg} where that is registered, and no secret`, async () => {
      const own = {
        client_id: 'us',
        client_secret: 'canary',
        client_private_key: pem(key),
        client_private_key_id: id ?? null,
      };
      await token({ ...own, ...(alg !== 'RS256' && { client_assertion_signing_alg: alg }) });
      const { form = {} } = endpoint.asked.at(-1) ?? {};
      const assertion = form['client_assertion'] ?? '';
      const { payload } = await jwtVerify(assertion, key.publicKey);
      assert.deepEqual([payload.iss, payload.sub, payload.aud], ['us', 'us', issuer]);
      assert.deepEqual(decodeProtectedHeader(assertion), { alg, ...(id && { kid: id }) });
      assert.equal(form['client_secret'], undefined);
    });
  }

  for (const [title, client_private_key, alg] of [
    ['no key', 'canary', 'RS256'],
    ['a key of another kind', pem(ec), 'RS256'],
    ['a key for another algorithm', pem(rsa), 'ES256'],
    ['an algorithm that is not known', pem(rsa), 'HS256'],
  ] as const) {
    it(`is nothing with ${title}, which the error names and does not quote`, async () => {
      const secrets = { client_id: 'us', client_private_key, client_assertion_signing_alg: alg };
      const thrown: unknown = await token(secrets).catch((it: unknown) => it);
      assert.match(
        String(thrown),
        new RegExp(`'credentials.client_private_key' is not a valid private key for ${alg}`),
      );
      assert.doesNotMatch(inspect(thrown, { depth: 10 }), /canary|MII/);
      assert.equal(endpoint.asked.filter((it) => it.url.endsWith('/token')).length, 0);
    });
  }

  it('does not matter to who somebody is: an ID token is not read, however wrong', async () => {
    answer = { access_token: 't1', token_type: 'Bearer', id_token: 'wrong', refresh_token: 'r' };
    assert.equal(await token({ client_id: 'us' }), 't1');
  });

  it('gets no token from an answer that is broken, empty or of another status', async () => {
    for (const [status, text] of [
      [200, '{"id_token": '],
      [204, ''],
      [304, ''],
      [201, JSON.stringify(answer)],
      [302, JSON.stringify(answer)],
    ] as const) {
      answer = text;
      const { answer: before } = endpoint;
      endpoint.answer = (at) => {
        endpoint.status = at.url.includes('.well-known') ? 200 : status;
        return before(at);
      };
      const got: unknown = await token({ client_id: 'us' }).catch((it: unknown) => it);
      assert.equal((got as { code?: unknown }).code, 'unavailable', `${status} ${String(got)}`);
      endpoint.answer = before;
    }
  });
});
