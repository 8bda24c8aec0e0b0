import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SmallRequest } from '../../../../../../sidecar/gateway/backends/net/smallFetch.ts';
import type { AuthorizationServer } from '../../../../../../sidecar/gateway/backends/oauth/discovery.ts';
import { registerClient } from '../../../../../../sidecar/gateway/backends/oauth/registerClient.ts';
import { verifies } from '../../../../../support/verifies.ts';

const server = {
  issuer: 'https://as.example',
  token_endpoint: 'https://as.example/token',
  registration_endpoint: 'https://as.example/register',
} as AuthorizationServer;

/** Registers the gateway at a server that says this. */
async function register(redirectUri: string, text = '{"client_id":"c"}', status = 201, found = server) {
  const sent: SmallRequest[] = [];
  const registered = await registerClient(found, { redirectUri, name: 'Gateway' }, (request) => {
    sent.push(request);
    return Promise.resolve({ status, headers: {}, text });
  });
  return { registered, sent, body: JSON.parse(sent[0]?.body ?? '{}') as Readonly<Record<string, unknown>> };
}

describe('the registration of the gateway as a client', () => {
  for (const [redirect, type] of [
    ['http://127.0.0.1:4000/callback', 'native'],
    ['http://localhost:4000/callback', 'native'],
    ['http://[::1]:4000/callback', 'native'],
    ['https://localhost:4000/callback', 'native'],
    ['https://gateway.example/callback', 'web'],
    ['https://localhost.example/callback', 'web'],
    ['http://10.0.0.7:4000/callback', 'web'],
  ] as const)
    it(`is that of a ${type} client for ${redirect}`, async () => {
      verifies('gateway.auth.oauth2.application-type');
      const { body, sent } = await register(redirect);
      assert.deepEqual([sent.length, sent[0]?.method, sent[0]?.url], [1, 'POST', server.registration_endpoint]);
      assert.deepEqual(body, {
        client_name: 'Gateway',
        application_type: type,
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      });
    });

  it('is kept with its issuer, its address, and how the server wants to be called', async () => {
    const said = '{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post","more":1}';
    assert.deepEqual((await register('https://gateway.example/callback', said, 200)).registered, {
      client_id: 'c',
      client_secret: 's',
      token_endpoint_auth_method: 'client_secret_post',
      issuer: 'https://as.example',
      redirect_uris: ['https://gateway.example/callback'],
    });
  });

  const none: readonly [says: string, text: string, status: number][] = [
    ['refuses it', '{"client_id":"c","error":"invalid_redirect_uri"}', 400],
    ['answers with a page', '<h1>Hello</h1>', 201],
    ['gives no client ID', '{"client_id":""}', 201],
  ];
  for (const [says, text, status] of none)
    it(`fails if the server ${says}`, () =>
      assert.rejects(register('https://gateway.example/callback', text, status), /did not register this gateway/));

  it('fails without a request if the server has no endpoint for it', async () => {
    const { registration_endpoint: _, ...bare } = server;
    await assert.rejects(register('https://g.example/callback', '', 201, bare), /does not support client registration/);
  });
});
