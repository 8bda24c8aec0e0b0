import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { authenticatorOf } from '../../../../../sidecar/gateway/backends/auth/index.ts';
import type { BackendSecrets, McpRegistration } from '../../../../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { authTypeNames } from '../../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { openBackends } from '../../../../support/backends/backendsUnderTest.ts';
import { inboundOf } from '../../../../support/backends/callOf.ts';
import { startEchoBackend } from '../../../../support/backends/echoBackend.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('static credentials on the wire', () => {
  const rows: readonly [type: string, value: string, wanted: string][] = [
    ['bearer_token', 'abc', 'Bearer abc'],
    ['bearer_token', ' Bearer abc ', 'Bearer abc'],
    ['bearer_token', 'bearer  abc', 'Bearer abc'],
    ['bearer_token', 'bearerabc', 'Bearer bearerabc'],
    ['token', 'token abc', 'token abc'],
    ['token', 'TOKEN abc', 'token abc'],
    ['token', 'abc', 'token abc'],
    ['basic', 'user:pass', `Basic ${base64('user:pass')}`],
    ['basic', 'Basic user:pass', `Basic ${base64('user:pass')}`],
    ['basic', `Basic ${base64('user:pass')}`, `Basic ${base64('user:pass')}`],
    ['basic', `basic ${base64('user:pass')}`, `Basic ${base64('user:pass')}`],
    ['basic', 'Basic not-base64', `Basic ${base64('not-base64')}`],
    ['basic', 'ü:ß', `Basic ${base64('ü:ß')}`],
    ['authorization', 'Bearer Bearer abc', 'Bearer Bearer abc'],
    ['authorization', ' Custom abc ', 'Custom abc'],
  ];
  for (const [type, value, wanted] of rows) {
    it(`${type} with '${value}' is '${wanted}'`, async () => {
      const [{ backends }, echo] = [openBackends(), await startEchoBackend()];
      const server = { server_id: 's', auth_type: type, allow_private_network: true };
      const { signal } = new AbortController();
      const outbound = await backends.forServer(
        server,
        { auth_value: value },
        { inbound: inboundOf(), user: 'u', signal },
      );
      const { body } = await outbound.send({ method: 'GET', url: echo.url, headers: {} }, signal);
      body.destroy();
      assert.equal(echo.heard[0]?.headers.authorization, wanted);
      await backends.close();
      await echo.close();
    });
  }
});

describe('a registration that cannot work', () => {
  const key = { client_id: 'c', client_secret: 'canary' } as const;
  const rows: readonly (readonly [says: string, McpRegistration, BackendSecrets, field: string])[] = [
    ['oauth2_flow', { server_id: 's', auth_type: 'oauth2', oauth2_flow: 'implicit' }, key, 'oauth2_flow'],
    [
      'plain http for tokens',
      { server_id: 's', auth_type: 'oauth2', token_url: 'http://a.example/' },
      key,
      'token_url',
    ],
    ['an issuer that is no address', { server_id: 's', auth_type: 'oauth2', issuer: 'a.example' }, key, 'issuer'],
    [
      'a client without a secret',
      { server_id: 's', auth_type: 'oauth2', oauth2_flow: 'client_credentials' },
      { client_id: 'c' },
      'credentials.client_secret',
    ],
    [
      'a way to authenticate that is none',
      { server_id: 's', auth_type: 'oauth2' },
      { ...key, token_endpoint_auth_method: 'tls_client_auth' },
      'credentials.token_endpoint_auth_method',
    ],
    [
      'an exchange without a place',
      { server_id: 's', auth_type: 'oauth2_token_exchange' },
      key,
      'token_exchange_endpoint',
    ],
    [
      'a profile that is none',
      {
        server_id: 's',
        auth_type: 'oauth2_token_exchange',
        token_url: 'https://a.example',
        token_exchange_profile: 'x',
      },
      key,
      'token_exchange_profile',
    ],
    [
      'an algorithm that is none',
      { server_id: 's', auth_type: 'oauth2' },
      { ...key, client_assertion_signing_alg: 'HS256' },
      'credentials.client_assertion_signing_alg',
    ],
    [
      'a client without a name',
      { server_id: 's', auth_type: 'oauth2', oauth2_flow: 'client_credentials' },
      { client_secret: 'canary' },
      'credentials.client_id',
    ],
    [
      'an exchange without a client',
      { server_id: 's', auth_type: 'oauth2_token_exchange', token_url: 'https://a.example' },
      {},
      'credentials.client_id',
    ],
    [
      'a profile among the secrets that is none',
      { server_id: 's', auth_type: 'oauth2_token_exchange', token_url: 'https://a.example' },
      { ...key, token_exchange_profile: 'x' },
      'token_exchange_profile',
    ],
    [
      'plain http for an exchange',
      { server_id: 's', auth_type: 'oauth2_token_exchange', token_url: 'https://a.example' },
      { ...key, token_exchange_endpoint: 'http://a.example/' },
      'credentials.token_exchange_endpoint',
    ],
    ...(['authorization_url', 'registration_url', 'token_exchange_endpoint', 'issuer'] as const).map(
      (field) =>
        [
          `plain http for ${field}`,
          { server_id: 's', auth_type: 'oauth2', [field]: 'http://a.example/' },
          key,
          field,
        ] as const,
    ),
    [
      'half a key pair',
      { server_id: 's', auth_type: 'cloud_sigv4' },
      { aws_access_key_id: 'A' },
      'credentials.aws_secret_access_key',
    ],
    [
      'a region that is none',
      { server_id: 's', auth_type: 'cloud_sigv4' },
      { aws_region_name: 'a/b' },
      'credentials.aws_region_name',
    ],
    [
      'a role that is none',
      { server_id: 's', auth_type: 'cloud_sigv4' },
      { aws_role_name: 'admin' },
      'credentials.aws_role_name',
    ],
    [
      'a header that only the connection sets',
      { server_id: 's', auth_type: 'api_key' },
      { auth_value: 'canary', upstream_token_header: 'Host' },
      'credentials.upstream_token_header',
    ],
    [
      'an empty secret',
      { server_id: 's', auth_type: 'bearer_token' },
      { auth_value: ' Bearer ' },
      'credentials.auth_value',
    ],
    ['an address of the file system', { server_id: 's', url: 'file:///etc/passwd' }, {}, 'url'],
    ['an auth_type of another product', { server_id: 's', auth_type: 'true_passthrough' }, {}, 'auth_type'],
    ['a name of Object', { server_id: 's', auth_type: 'constructor' }, {}, 'auth_type'],
  ];
  for (const [says, server, secrets, field] of rows) {
    it(`is refused for ${says}, naming '${field}'`, async () => {
      const { backends } = openBackends();
      await assert.rejects(
        () => backends.checkServer(server, secrets),
        (it) => it instanceof Fault && it.message.includes(`'${field}'`) && !it.message.includes('canary'),
      );
    });
  }

  it('is told all auth types for an unknown auth_type', () => {
    assert.throws(
      () => authenticatorOf('oauth_delegate'),
      (it) => it instanceof Fault && it.message.includes(authTypeNames.join(', ')),
    );
    assert.equal(authenticatorOf(undefined), authenticatorOf('none'));
  });

  it('is accepted when it is right', async () => {
    const { backends } = openBackends();
    const server = {
      server_id: 's',
      url: 'https://a.example/mcp',
      auth_type: 'oauth2',
      oauth2_flow: 'client_credentials',
    };
    await backends.checkServer({ ...server, token_url: 'https://b.example/token' }, key);
    await backends.checkServer(server, { client_id: 'c', client_private_key: 'canary' });
    const inside = { ...server, url: 'http://127.0.0.1/mcp', allow_private_network: true };
    await backends.checkServer({ ...inside, token_url: 'http://127.0.0.1/token' }, key);
    const exchange = { ...server, auth_type: 'oauth2_token_exchange' };
    await backends.checkServer(exchange, { ...key, token_exchange_endpoint: 'https://b.example/token' });
    await backends.checkServer({ server_id: 's', url: 'http://a.example/mcp', static_headers: { Cookie: 'a=b' } }, {});
  });
});
