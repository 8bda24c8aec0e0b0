import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'mocha';
import { ClientDocuments } from '../../../../../sidecar/gateway/oauth/clientDocuments.ts';
import { Clients } from '../../../../../sidecar/gateway/oauth/clients.ts';
import { isSameRedirect } from '../../../../../sidecar/gateway/oauth/redirects.ts';
import { OAuthRefusal } from '../../../../../sidecar/gateway/oauth/refusal.ts';
import { register as answer } from '../../../../../sidecar/gateway/oauth/register.ts';
import { systemClock } from '../../../../../sidecar/platform/clock.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';
import { verifies } from '../../../../support/verifies.ts';

const trusted = 'editor://vendor.extension/callback';
const documents = new ClientDocuments(() => Promise.reject(new Error('nothing is fetched here')), systemClock);
const clients = new Clients({ sealer: createSealer(randomBytes(32)), secretKey: randomBytes(32), documents });

async function register(body: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = new Request('http://127.0.0.1/register', { method: 'POST', body: text });
  try {
    const response = await answer(request, { clients, trustedRedirects: [trusted], nowMs: systemClock.nowMs });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefusal)) throw thrown;
    return { status: 400, json: { error: thrown.error } };
  }
}
const one = { redirect_uris: ['https://client.example/cb'] };

describe('a client that registers (RFC 7591)', () => {
  verifies('gateway.oauth.clients');
  for (const uri of [
    'https://client.example/cb?x=1',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8080/cb',
    'http://[::1]:5/cb',
    'http://localhost:3000/cb',
    trusted,
  ]) {
    it(`may be answered at ${uri}`, async () => {
      const { status, json } = await register({ redirect_uris: [uri], token_endpoint_auth_method: 'none' });
      assert.equal(status, 201);
      assert.deepEqual(json['redirect_uris'], [uri]);
      assert.equal(json['client_secret'], undefined);
    });
  }
  for (const uri of [
    'http://client.example/cb',
    'http://127.0.0.1.example/cb',
    'http://2130706433.example/cb',
    'https://user:word@client.example/cb',
    'http://user@127.0.0.1/cb',
    'https://client.example/cb#part',
    'javascript:alert(1)',
    'data:text/html,x',
    'editor://vendor.extension/other',
    'https://client.example/a b',
    'https:\\\\client.example/cb',
    '/cb',
    '',
  ]) {
    it(`may not be answered at ${JSON.stringify(uri)}`, async () => {
      const { status, json } = await register({ redirect_uris: [uri] });
      assert.deepEqual([status, json['error']], [400, 'invalid_redirect_uri']);
    });
  }
  for (const body of [
    {},
    { redirect_uris: [] },
    { redirect_uris: [7] },
    { redirect_uris: Array(11).fill('https://c.example/') },
    { ...one, token_endpoint_auth_method: 'private_key_jwt' },
    { ...one, grant_types: ['client_credentials'] },
    { ...one, response_types: ['token'] },
    'no json',
    `{"redirect_uris":["https://c.example/"],"x":"${'x'.repeat(17_000)}"}`,
  ]) {
    it(`is refused with ${JSON.stringify(body).slice(0, 70)}`, async () => {
      const { status, json } = await register(body);
      assert.deepEqual([status, json['error']], [400, 'invalid_client_metadata']);
    });
  }
  it('gets a secret where it wants one, or says nothing of it', async () => {
    for (const more of [{}, { token_endpoint_auth_method: 'client_secret_post' }]) {
      const { json } = await register({ ...one, ...more });
      assert.match(String(json['client_secret']), /^[\w-]{43}$/);
      assert.equal(json['client_secret_expires_at'], 0);
    }
  });
  it('is shown without characters that make one name look like another', async () => {
    const { json } = await register({ ...one, client_name: ' \u202eEvil\u0000\u200b\n Co ' });
    assert.equal(json['client_name'], 'Evil Co');
    assert.equal((await register(one)).json['client_name'], 'Unnamed client');
  });
});

describe('two redirect addresses', () => {
  const rows: readonly [registered: string, asked: string, same: boolean][] = [
    ['https://c.example/cb', 'https://c.example/cb', true],
    ['https://c.example/cb', 'https://c.example/cb/', false],
    ['https://c.example/cb', 'https://c.example:8443/cb', false],
    ['https://c.example/cb', 'https://c.example/cb?x', false],
    ['https://c.example/', 'https://C.example/', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb', true],
    ['http://[::1]:1/cb', 'http://[::1]:2/cb', true],
    ['http://localhost:1/cb', 'http://localhost:2/cb', true],
    ['http://localhost:1/cb', 'http://127.0.0.1:1/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1/other', false],
    ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1:1/cb?x=1', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb?x=1', false],
    ['http://127.0.0.1/cb', 'http://x@127.0.0.1/cb', false],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb', false],
    ['https://127.0.0.1:1/cb', 'https://127.0.0.1:2/cb', false],
  ];
  for (const [registered, asked, same] of rows) {
    it(`${registered} and ${asked} are ${same ? '' : 'not '}the same`, () =>
      assert.equal(isSameRedirect(registered, asked), same));
  }
});
