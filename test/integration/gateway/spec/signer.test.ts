import assert from 'node:assert/strict';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { after, before, beforeEach, describe, it } from 'mocha';
import { type AuthTypeName, authTypeNames } from '../../../../sidecar/protocol/gateway/authTypes/index.ts';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import type { McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import {
  type AuthorizationServer,
  confidential,
  startAuthorizationServer,
} from '../../../support/backends/authorizationServer.ts';
import { openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { signInWithBrowser } from '../../../support/backends/browser.ts';
import { verifySigv4 } from '../../../support/backends/verifySigv4.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { isRefusal, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

const guardrails = Guardrails.parse([
  {
    guardrail_name: 'signer',
    gateway_params: { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call', default_on: true },
  },
  {
    guardrail_name: 'clean',
    gateway_params: { guardrail: 'secret_redaction', mode: 'pre_mcp_call', default_on: true },
  },
  {
    guardrail_name: 'watch',
    gateway_params: { guardrail: 'pii_redaction', mode: 'during_mcp_call', action: 'block', default_on: true },
  },
]);
const client = { client_id: confidential.id, client_secret: confidential.secret };
const aws = { aws_access_key_id: 'AKIDMCP', aws_secret_access_key: 'secret-of-the-server' };
type Authorization = Pick<McpServerRecord, 'auth_type'> & Partial<McpServerRecord> & { credentials?: object };

/** Specification, Zero-trust add-on and Guardrails: through the whole gateway, verified as a backend does it. */
describe('a tool call under the guardrails of the gateway', () => {
  let stand: Stand;
  let idp: AuthorizationServer;
  let key: string;
  let own: string;

  before(async () => {
    [stand, idp] = [
      await openStand({ tools: twoTools, guardrails: () => guardrails }),
      await startAuthorizationServer(),
    ];
    key = await stand.addKey({ user_id: 'alice' });
    const value = (auth_value: string) => ({ credentials: { auth_value } });
    const registered: Readonly<Record<AuthTypeName, Omit<Authorization, 'auth_type'>>> = {
      none: {},
      api_key: value('word'),
      bearer_token: value('word'),
      basic: value('user:word'),
      authorization: value('Hawk word'),
      token: value('word'),
      oauth2: { oauth2_flow: 'client_credentials', issuer: idp.url, credentials: client },
      oauth2_token_exchange: { issuer: idp.url, token_exchange_endpoint: `${idp.url}/token`, credentials: client },
      cloud_sigv4: { credentials: aws },
    };
    for (const [auth_type, more] of Object.entries(registered) as [AuthTypeName, object][])
      await stand.register({ alias: auth_type, auth_type, ...more });
    own = await tokenOfAlice(idp);
  });
  after(async () => {
    await stand.close();
    await idp.close();
  });
  beforeEach(() => void stand.backend.heard.splice(0));

  it('is said to be what a server looks at by the debug headers, where no auth_type authenticates', async () => {
    verifies('gateway.header.debug.signer');
    const mayLook = await stand.addKey({ allow_debug: true });
    const headers = { 'x-gateway-api-key': `Bearer ${mayLook}`, 'x-gateway-mcp-debug': 'true' };
    for (const [alias, resolution] of [
      ['none', 'jwt-signer'],
      ['bearer_token', 'static-token'],
      ['basic', 'static-token'],
    ] as const) {
      const answer = await stand.ask(`/${alias}/mcp`, headers, toolCall('echo'));
      assert.equal(answer.headers.get('x-mcp-debug-auth-resolution'), resolution, alias);
      assert.equal(answer.headers.get('x-mcp-debug-server-auth-type'), alias);
    }
  });

  const call = (alias: string, args: object = {}) => {
    const headers = { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Bearer ${own}` };
    return stand.ask(`/${alias}/mcp`, headers, toolCall('echo', args));
  };
  const sent = () => stand.calls().findLast((it) => it.body.includes('tools/call'));

  /** Which credential each auth type sends beside the signature. */
  const credentials: Readonly<Record<AuthTypeName, RegExp | undefined>> = {
    none: undefined,
    api_key: undefined,
    bearer_token: /^Bearer word$/,
    basic: /^Basic dXNlcjp3b3Jk$/,
    authorization: /^Hawk word$/,
    token: /^token word$/,
    oauth2: /^Bearer [\w-]{20,}$/,
    oauth2_token_exchange: /^Bearer [\w-]{20,}$/,
    cloud_sigv4: /^AWS4-HMAC-SHA256 /,
  };
  for (const auth_type of authTypeNames) {
    it(`is signed with RS256 beside the credential of ${auth_type}, for a backend that knows only the JWKS`, async () => {
      verifies('gateway.signer.each-call', 'gateway.signer.short-lived', 'gateway.signer.jwks');
      verifies('gateway.signer.composes');
      const answer = await call(auth_type);
      assert.ok(answer.status === 200 && !isRefusal(answer), answer.text);
      const heard = sent();
      assert.ok(heard);
      const { authorization = '', 'x-gateway-assertion': assertion, 'x-api-key': apiKey } = heard.headers;
      const credential = credentials[auth_type];
      if (credential) assert.match(authorization, credential);
      if (auth_type === 'cloud_sigv4') verifySigv4(heard, () => aws.aws_secret_access_key);
      if (auth_type === 'api_key') assert.equal(apiKey, 'word');
      assert.notEqual(authorization, `Bearer ${own}`, 'the token of the caller stays here');
      const signed = credential ? String(assertion).replace(/^Bearer /, '') : authorization.slice(7);
      const published = (await (await fetch(`${stand.base}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
      const audience = `${stand.backend.url}/mcp/${auth_type}`;
      const { payload, protectedHeader } = await jwtVerify(signed, createLocalJWKSet(published), { audience });
      assert.equal(protectedHeader.alg, 'RS256');
      assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 300);
    });
  }

  it('is judged and changed by pre_mcp_call before it leaves', async () => {
    verifies('gateway.guardrail.pre_mcp_call');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    assert.equal(isRefusal(await call('none', { text: `use ${secret}` })), false);
    assert.ok(sent()?.body.includes('use ') && !sent()?.body.includes(secret));
  });

  it('is refused by during_mcp_call while it runs', async () => {
    verifies('gateway.guardrail.during_mcp_call');
    const answer = await call('none', { text: 'mail ada@example.com' });
    assert.equal(isRefusal(answer), true);
    assert.doesNotMatch(answer.text, /ada@example\.com/);
  });
});

/** The token of a person who signed in at the authorization server elsewhere. */
async function tokenOfAlice({ url: issuer }: AuthorizationServer): Promise<string> {
  const { backends, tokens } = openBackends();
  const server = { server_id: 'elsewhere', auth_type: 'oauth2', issuer, allow_private_network: true };
  const registered = { server, secrets: { ...client, scopes: ['openid'] } };
  const redirectUri = 'http://127.0.0.1/callback';
  const { url, cookie } = await backends.signIn.begin({ ...registered, user: 'alice', redirectUri });
  const query = await signInWithBrowser(url, redirectUri);
  await backends.signIn.finish({ query, cookie, find: async () => registered });
  const token = await tokens.read({ user: 'alice', server_id: 'elsewhere' });
  await backends.close();
  assert.ok(token);
  return token.access_token;
}
