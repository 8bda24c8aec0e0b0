import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { AuthDeps } from '../../../../../../sidecar/gateway/backends/auth/authenticator.ts';
import { authenticatorOf } from '../../../../../../sidecar/gateway/backends/auth/index.ts';
import type { BackendSecrets, McpRegistration } from '../../../../../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';

const key = 'sk-virtual';
const client = { client_id: 'us', client_secret: 'secret' } as const;
const own = { auth_type: 'oauth2', oauth2_flow: 'client_credentials' } as const;
const exchange = { auth_type: 'oauth2_token_exchange', token_url: 'https://as.example/token' } as const;

/** Which credential a call leaves with, for whom it was asked, and what a refusal by the server makes of it. */
describe('the credential of a call', () => {
  let asked: string[];
  let deps: AuthDeps;

  beforeEach(() => {
    asked = [];
    let count = 0;
    const token =
      (kind: string) => async (request: { user?: string; subject?: string; refused?: string; signal: AbortSignal }) => {
        request.signal.throwIfAborted();
        asked.push([kind, request.user ?? request.subject, request.refused].filter((it) => it !== undefined).join(' '));
        return `${kind}-${(count += 1)}`;
      };
    const needs = async (_: unknown, user: string, scopes: readonly string[]) => {
      asked.push(`needs ${user} ${scopes.join(',')}`);
      return new Fault('auth_required', 'Sign in.');
    };
    deps = {
      userTokens: { token: token('user'), needs },
      clientTokens: { token: token('client') },
      exchangedTokens: { token: token('exchanged') },
      fingerprint: (text: string) => `#${text.length}`,
      nowMs: () => 0,
    } as unknown as AuthDeps;
  });

  const credential = (
    more: Partial<McpRegistration>,
    secrets: BackendSecrets = {},
    bearer?: string,
    signal = new AbortController().signal,
  ) => {
    const server = { server_id: 's1', alias: 'alpha', url: 'https://mcp.example/mcp', ...more };
    const caller = { user: 'ada', bearer, holdsKey: (text: string) => text.includes(key) };
    return authenticatorOf(server.auth_type).credential({ server, secrets, caller, signal }, deps);
  };

  const passing: readonly (readonly [
    more: Partial<McpRegistration>,
    bearer: string | undefined,
    header: string | undefined,
  ])[] = [
    [{ oauth_passthrough: true }, 'Bearer abc', 'Bearer abc'],
    [{ delegate_auth_to_upstream: true }, ' bearer  abc', 'Bearer abc'],
    [{ auth_type: 'oauth2', oauth_passthrough: true }, 'abc', 'Bearer abc'],
    [{ ...own, delegate_auth_to_upstream: true }, 'abc', 'Bearer abc'],
    [{ oauth_passthrough: true }, undefined, undefined],
    [{ oauth_passthrough: true }, 'Bearer ', undefined],
    [{ oauth_passthrough: true }, `Bearer ${key}`, undefined],
    [{ auth_type: 'oauth2', delegate_auth_to_upstream: true }, key, undefined],
    [{ oauth_passthrough: false, delegate_auth_to_upstream: null }, 'abc', undefined],
  ];
  for (const [more, bearer, header] of passing) {
    it(`is ${header ?? 'none'} for ${JSON.stringify(more)} and a caller with ${bearer ?? 'no token'}, and no other token is asked for`, async () => {
      const { headers, resolution, identity, renew, needs } = await credential(more, client, bearer);
      assert.deepEqual(headers, header === undefined ? {} : { authorization: header });
      assert.equal(resolution, header === undefined ? 'no-auth' : 'oauth2-passthrough');
      assert.equal(identity, header === undefined ? '' : 'token:#3');
      assert.deepEqual([asked, renew, needs], [[], undefined, undefined]);
    });
  }

  const renewed: readonly (readonly [kind: string, more: Partial<McpRegistration>, who: string, identity: string])[] = [
    ['user', { auth_type: 'oauth2' }, ' ada', 'user:#3'],
    ['user', { auth_type: 'oauth2', oauth2_flow: null }, ' ada', 'user:#3'],
    ['user', { auth_type: 'oauth2', oauth2_flow: 'authorization_code' }, ' ada', 'user:#3'],
    ['client', own, '', ''],
    ['exchanged', exchange, ' a subject', 'subject:#9'],
  ];
  for (const [kind, more, who, identity] of renewed) {
    it(`is the token of ${JSON.stringify(more)}, and another one once after a refusal`, async () => {
      const first = await credential(more, { ...client, upstream_token_header: ' X-Token ' }, 'Bearer a subject');
      assert.deepEqual([first.headers, first.identity], [{ 'x-token': `Bearer ${kind}-1` }, identity]);
      const left = AbortSignal.abort(new Error('left'));
      await assert.rejects(async () => first.renew?.(left), /left/);
      const second = await first.renew?.(new AbortController().signal);
      assert.deepEqual(second?.headers, { 'x-token': `Bearer ${kind}-2` });
      assert.deepEqual([second.identity, second.resolution, second.renew], [identity, first.resolution, undefined]);
      assert.deepEqual(asked, [`${kind}${who}`, `${kind}${who} ${kind}-1`]);
    });
  }

  it('may be given more scopes by the person alone, also after it was renewed', async () => {
    const first = await credential({ auth_type: 'oauth2' });
    const second = await first.renew?.(new AbortController().signal);
    for (const it of [first, second]) assert.equal((await it?.needs?.(['write', 'admin']))?.code, 'auth_required');
    assert.deepEqual(asked.slice(2), ['needs ada write,admin', 'needs ada write,admin']);
    for (const more of [own, exchange]) assert.equal((await credential(more, client, 'abc')).needs, undefined);
  });

  it('on behalf of a caller needs a token of the caller that is not the virtual key', async () => {
    for (const bearer of [undefined, '', 'Bearer ', key, `bearer ${key}`]) {
      await assert.rejects(async () => credential(exchange, client, bearer), {
        code: 'auth_required',
        data: { reason: 'subject_token_missing', server_id: 's1' },
      });
    }
    assert.deepEqual(asked, []);
  });

  it('is not asked for where the registration cannot work, also where it was saved before it was judged', async () => {
    for (const [more, secrets, field] of [
      [own, {}, 'credentials.client_id'],
      [{ ...own, issuer: 'http://as.example' }, client, 'issuer'],
      [{ auth_type: 'oauth2', oauth2_flow: 'implicit' }, client, 'oauth2_flow'],
      [exchange, {}, 'credentials.client_id'],
      [{ ...exchange, token_url: null }, client, 'token_exchange_endpoint'],
    ] as const) {
      await assert.rejects(async () => credential(more, secrets, 'abc'), { code: 'invalid_params', data: { field } });
    }
    assert.deepEqual(asked, []);
  });

  const values: readonly (readonly [
    type: string,
    secrets: BackendSecrets,
    headers: Record<string, string> | string,
  ])[] = [
    ['api_key', { auth_value: ' abc ' }, { 'x-api-key': 'abc' }],
    ['api_key', { auth_value: 'abc', upstream_token_header: '  ' }, { 'x-api-key': 'abc' }],
    ['bearer_token', { auth_value: 'abc', upstream_token_header: 'X-Own' }, { 'x-own': 'Bearer abc' }],
    ['token', { auth_value: 'bearer abc' }, { authorization: 'token abc' }],
    ['token', { auth_value: 'tokenabc' }, { authorization: 'token tokenabc' }],
    ['basic', { auth_value: 'basic YTpi' }, { authorization: 'Basic YTpi' }],
    ['basic', { auth_value: 'YTpi' }, { authorization: `Basic ${Buffer.from('YTpi').toString('base64')}` }],
    ['basic', { auth_value: 'Basic YTp' }, { authorization: `Basic ${Buffer.from('YTp').toString('base64')}` }],
    ['basic', { auth_value: 'Basic a:b=' }, { authorization: `Basic ${Buffer.from('a:b=').toString('base64')}` }],
    ['api_key', {}, 'credentials.auth_value'],
    ['api_key', { auth_value: null }, 'credentials.auth_value'],
    ['authorization', { auth_value: ' BASIC ' }, 'credentials.auth_value'],
    ['bearer_token', { auth_value: 'a\nb' }, 'credentials.auth_value'],
    ['bearer_token', { auth_value: 'abc', upstream_token_header: 'a b' }, 'credentials.upstream_token_header'],
    [
      'bearer_token',
      { auth_value: 'abc', upstream_token_header: 'Content-Length' },
      'credentials.upstream_token_header',
    ],
  ];
  for (const [auth_type, secrets, expected] of values) {
    it(`is ${JSON.stringify(expected)} for ${auth_type} and ${JSON.stringify(secrets)}`, async () => {
      if (typeof expected === 'string') {
        const refused = { code: 'invalid_params', data: { field: expected } };
        await assert.rejects(async () => credential({ auth_type }, secrets), refused);
        assert.throws(() => authenticatorOf(auth_type).check({ server_id: 's1' }, secrets), refused);
      } else
        assert.deepEqual(await credential({ auth_type }, secrets), {
          headers: expected,
          resolution: 'static-token',
          identity: '',
        });
    });
  }
});
