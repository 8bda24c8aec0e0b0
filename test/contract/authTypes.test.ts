import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { AuthResolution } from '../../sidecar/gateway/backends/auth/authenticator.ts';
import { authenticators } from '../../sidecar/gateway/backends/auth/index.ts';
import type { CallFacts } from '../../sidecar/gateway/backends/backends.ts';
import { readBody } from '../../sidecar/gateway/backends/net/readBody.ts';
import type { BackendSecrets, McpRegistration } from '../../sidecar/gateway/backends/registration.ts';
import { Fault } from '../../sidecar/platform/faults.ts';
import type { AuthTypeDefinition } from '../../sidecar/protocol/gateway/authTypes/definition.ts';
import { type AuthTypeName, authTypes, credentialMembers } from '../../sidecar/protocol/gateway/authTypes/index.ts';
import {
  type AuthorizationServer,
  confidential,
  startAuthorizationServer,
} from '../support/backends/authorizationServer.ts';
import { type BackendsUnderTest, openBackends } from '../support/backends/backendsUnderTest.ts';
import { signInWithBrowser } from '../support/backends/browser.ts';
import { inboundOf, virtualKey } from '../support/backends/callOf.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../support/backends/echoBackend.ts';
import { verifySigv4 } from '../support/backends/verifySigv4.ts';
import { verifies } from '../support/verifies.ts';

interface Prepared {
  readonly server?: Partial<McpRegistration>;
  readonly secrets?: BackendSecrets;
  /** The caller's own token. */
  readonly bearer?: string;
}

interface Case {
  readonly prepare: (world: World) => Promise<Prepared> | Prepared;
  readonly resolution: AuthResolution;
  /** Which header carries it, and what is right there. Absent: no credential is sent. */
  readonly header?: string;
  readonly isRight?: (value: string, heard: Heard, world: World) => Promise<boolean> | boolean;
  /** A signature: `upstream_token_header` has no meaning for it, and the body has to be known. */
  readonly isSignature?: true;
  /** What is missing when `secrets` are empty: the field, or what the caller has to do. */
  readonly without?: { readonly code: string; readonly says: RegExp };
}

interface World extends BackendsUnderTest {
  readonly echo: EchoBackend;
  readonly idp: AuthorizationServer;
}

const secret = 'canary-backend-secret-0002';
const aws = { aws_access_key_id: 'AKIDCANARY', aws_secret_access_key: 'canary-aws-secret-0003' } as const;
const client = { client_id: confidential.id, client_secret: confidential.secret } as const;
const static_ = (header: string, wanted: string, value = secret): Case => ({
  prepare: () => ({ secrets: { auth_value: value } }),
  resolution: 'static-token',
  header,
  isRight: (sent) => sent === wanted,
  without: { code: 'invalid_params', says: /credentials\.auth_value/ },
});
const bare = (value: string) => value.replace(/^Bearer /, '');

/** The token of a caller who signed in at the authorization server, for use on their behalf. */
async function callerToken(world: World): Promise<string> {
  const server: McpRegistration = { server_id: 'elsewhere', auth_type: 'oauth2', ...oauth(world) };
  await signIn(world, server, { ...client, scopes: ['openid'] }, 'alice');
  return (await world.tokens.read({ user: 'alice', server_id: 'elsewhere' }))?.access_token ?? '';
}

async function signIn(world: World, server: McpRegistration, secrets: BackendSecrets, user: string): Promise<void> {
  const redirectUri = 'http://127.0.0.1/callback';
  world.idp.account = user;
  const { url, cookie } = await world.backends.signIn.begin({ server, secrets, user, redirectUri });
  const query = await signInWithBrowser(url, redirectUri);
  await world.backends.signIn.finish({ query, cookie, find: async () => ({ server, secrets }) });
}

const oauth = ({ idp }: World): Partial<McpRegistration> => ({ issuer: idp.url, allow_private_network: true });

/** A new auth type needs a row to compile, and passes the suite below with it. */
const cases: Readonly<Record<AuthTypeName, readonly Case[]>> = {
  none: [{ prepare: () => ({}), resolution: 'no-auth' }],
  api_key: [static_('x-api-key', secret)],
  bearer_token: [static_('authorization', `Bearer ${secret}`)],
  basic: [static_('authorization', `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`, `robot:${secret}`)],
  authorization: [static_('authorization', `Hawk ${secret}`, `Hawk ${secret}`)],
  token: [static_('authorization', `token ${secret}`)],
  oauth2: [
    {
      async prepare(world) {
        const server = { ...oauth(world), oauth2_flow: 'authorization_code' };
        await signIn(world, { server_id: 's1', alias: 'alpha', ...server }, { ...client, scopes: ['openid'] }, 'alice');
        return { server, secrets: client };
      },
      resolution: 'stored-user-token',
      header: 'authorization',
      isRight: async (sent, _, { idp }) => (await idp.accountOf(bare(sent))) === 'alice',
      without: { code: 'auth_required', says: /Sign in/ },
    },
    {
      prepare: (world) => ({ server: { ...oauth(world), oauth2_flow: 'client_credentials' }, secrets: client }),
      resolution: 'm2m-client-credentials',
      header: 'authorization',
      isRight: (sent, _, { idp }) => /^Bearer .{20,}$/.test(sent) && idp.tokenRequests.length === 1,
      without: { code: 'invalid_params', says: /credentials\.client_id/ },
    },
  ],
  oauth2_token_exchange: [
    {
      async prepare(world) {
        const server = { ...oauth(world), token_exchange_endpoint: `${world.idp.url}/token` };
        return { server, secrets: client, bearer: await callerToken(world) };
      },
      resolution: 'token-exchange',
      header: 'authorization',
      isRight: async (sent, _, { idp, tokens }) =>
        (await idp.accountOf(bare(sent))) === 'alice' &&
        bare(sent) !== (await tokens.read({ user: 'alice', server_id: 'elsewhere' }))?.access_token,
      without: { code: 'invalid_params', says: /credentials\.client_id/ },
    },
  ],
  cloud_sigv4: [
    {
      prepare: () => ({ secrets: { ...aws, aws_session_token: 'canary-session' } }),
      resolution: 'aws-sigv4',
      header: 'authorization',
      isRight: (_, heard) =>
        verifySigv4(heard, () => aws.aws_secret_access_key).join() ===
        'content-type,host,x-amz-date,x-amz-security-token',
      isSignature: true,
    },
  ],
};

const all = Object.entries(cases).flatMap(([type, rows]) =>
  rows.map((row) => ({ type: type as AuthTypeName, ...row })),
);
for (const { type, prepare, resolution, header, isRight, isSignature, without } of all) {
  describe(`auth type '${type}' (${resolution})`, () => {
    let world: World;
    let prepared: Prepared;

    before(async () => {
      world = { ...openBackends(), echo: await startEchoBackend(), idp: await startAuthorizationServer() };
      prepared = await prepare(world);
      world.idp.tokenRequests.length = 0;
    });
    after(async () => {
      await world.backends.close();
      await Promise.all([world.echo.close(), world.idp.close()]);
    });
    beforeEach(() => void (world.echo.heard.length = 0));
    afterEach(() => {
      for (const { path, rawHeaders, body } of world.echo.heard) {
        assert.ok(!`${path}${rawHeaders.join()}${body.toString()}`.includes(virtualKey), 'the virtual key left');
      }
      for (const { form, authorization = '' } of world.idp.tokenRequests) {
        assert.ok(!`${JSON.stringify(form)}${authorization}`.includes(virtualKey), 'the virtual key left');
      }
    });

    const serverWith = (more: Partial<McpRegistration> = {}): McpRegistration => ({
      server_id: 's1',
      server_name: 'first server',
      alias: 'alpha',
      url: `${world.echo.url}/mcp`,
      auth_type: type,
      allow_private_network: true,
      ...prepared.server,
      ...more,
    });

    async function call(
      server: McpRegistration,
      secrets: BackendSecrets = prepared.secrets ?? {},
      headers: Readonly<Record<string, string>> = {},
      more: Partial<CallFacts> = {},
    ) {
      world.backends.setRegistered([server, { server_id: 's2', alias: 'beta' }], []);
      const signal = new AbortController().signal;
      const facts = { inbound: inboundOf(headers, prepared.bearer), user: 'alice', signal, ...more };
      const outbound = await world.backends.forServer(server, secrets, facts);
      const request = {
        method: 'POST',
        url: `${world.echo.url}/mcp?tenant=a%20b&x=1`,
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0"}',
      };
      const response = await outbound.send(request, signal);
      await readBody(response.body, 10_000);
      const [heard] = world.echo.heard.splice(0);
      assert.ok(heard);
      return { heard, outbound, response };
    }

    it('sends what the specification says, and tells which credential it was', async () => {
      verifies('gateway.auth.none', 'gateway.auth.api_key', 'gateway.auth.bearer_token');
      verifies('gateway.auth.basic', 'gateway.auth.authorization', 'gateway.auth.token');
      verifies(
        'gateway.auth.oauth2.client-credentials',
        'gateway.auth.oauth2_token_exchange',
        'gateway.auth.cloud_sigv4',
      );
      verifies('gateway.auth.oauth2.chosen', 'gateway.server.oauth2_flow');
      const { heard, outbound } = await call(serverWith());
      assert.equal(outbound.resolution, resolution);
      assert.equal(heard.body.toString(), '{"jsonrpc":"2.0"}');
      if (header === undefined) {
        assert.equal(heard.headers.authorization, undefined);
        assert.equal(heard.headers['x-api-key'], undefined);
      } else assert.ok(await isRight?.(String(heard.headers[header]), heard, world));
    });

    it('sends nothing of the caller but what was asked for', async () => {
      const { heard } = await call(
        serverWith({ extra_headers: ['X-Tenant', 'X-Key', 'Cookie', 'x-gateway-tags'] }),
        undefined,
        {
          'x-tenant': 'blue',
          'x-key': `prefix ${virtualKey}`,
          cookie: 'session=1',
          'x-gateway-tags': 'a',
          'x-unasked': 'yes',
          'x-mcp-alpha-x-mine': 'mine',
          'x-mcp-beta-x-neighbour': 'no',
          'x-mcp-alpha-cookie': 'no',
        },
      );
      const sent = Object.keys(heard.headers).filter(
        (it) => it.startsWith('x-') && !it.startsWith('x-amz-') && it !== header,
      );
      assert.deepEqual(sent.sort(), ['x-mine', 'x-tenant']);
      assert.equal(heard.headers['x-tenant'], 'blue');
      assert.equal(heard.headers.cookie, undefined);
    });

    it('lets no caller take the place of its credential', async () => {
      const slot = header ?? 'x-api-key';
      const { heard, outbound } = await call(serverWith({ extra_headers: [slot] }), undefined, {
        [slot]: 'Bearer the-callers',
        [`x-mcp-alpha-${slot}`]: 'Bearer the-callers',
      });
      if (header === undefined) assert.equal(heard.headers[slot], 'Bearer the-callers');
      else assert.ok(await isRight?.(String(heard.headers[slot]), heard, world));
      assert.equal(outbound.resolution, header === undefined ? 'no-auth' : resolution);
    });

    it('sends static headers over those of the caller, whatever the case of their letters', async () => {
      const { heard } = await call(
        serverWith({ static_headers: { 'X-TEAM': 'admins' }, extra_headers: ['x-team'] }),
        undefined,
        {
          'X-Team': 'the-callers',
          'x-mcp-ALPHA-X-Team': 'the-callers',
        },
      );
      assert.equal(heard.headers['x-team'], 'admins');
      assert.equal(heard.rawHeaders.filter((it) => it.toLowerCase() === 'x-team').length, 1);
    });

    if (header !== undefined && !isSignature) {
      it('moves to the header that the operator names, where nothing takes its place', async () => {
        const named = { ...prepared.secrets, upstream_token_header: 'X-Upstream-Token' };
        const server = serverWith({ static_headers: { 'x-upstream-token': 'shadow' } });
        const { heard } = await call(server, named, { 'x-mcp-alpha-x-upstream-token': 'shadow' });
        assert.equal(heard.headers[header], undefined);
        assert.ok(await isRight?.(String(heard.headers['x-upstream-token']), heard, world));
      });
    }

    if (without) {
      it('says what is missing before anything is sent', async () => {
        const server = serverWith(prepared.server ? { ...prepared.server } : {});
        await assert.rejects(
          call({ ...server, server_id: 'unknown' }, without.code === 'auth_required' ? client : {}),
          (thrown) => thrown instanceof Fault && thrown.code === without.code && without.says.test(thrown.message),
        );
        assert.equal(world.echo.heard.length, 0);
      });
    }

    it('sends a body that flows as it is, or refuses it where it would have to sign it', async () => {
      verifies('gateway.auth.flowing-body');
      const { backends, echo } = world;
      const server = serverWith();
      backends.setRegistered([server], []);
      const signal = new AbortController().signal;
      const facts = { inbound: inboundOf({}, prepared.bearer), user: 'alice', signal };
      const outbound = await backends.forServer(server, prepared.secrets ?? {}, facts);
      const body = Readable.from([Buffer.from('flowing '), Buffer.from('body')]);
      const request = { method: 'POST', url: `${echo.url}/mcp`, headers: {}, body };
      if (!isSignature) {
        const response = await outbound.send(request, signal);
        await readBody(response.body, 10_000);
        assert.equal(echo.heard[0]?.body.toString(), 'flowing body');
      } else {
        await assert.rejects(
          outbound.send(request, signal),
          (it) => it instanceof Fault && it.code === 'invalid_params',
        );
        assert.equal(echo.heard.length, 0);
        assert.equal(body.readableDidRead, false);
      }
    });

    it('follows no redirect', async () => {
      const before = world.echo.answer;
      world.echo.answer = (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      try {
        const { response } = await call(serverWith());
        assert.equal(response.status, 302);
      } finally {
        world.echo.answer = before;
      }
    });

    it('keeps secrets out of errors', async () => {
      const secrets = Object.entries(prepared.secrets ?? {}).map(([name, it]) => [name, `${String(it)}\u0000 canary-`]);
      const thrown: unknown[] = [];
      const note = (it: unknown) => void thrown.push(it);
      await call(serverWith({ static_headers: { 'X-A': 'canary-\u0000' } })).catch(note);
      await call(serverWith(), Object.fromEntries(secrets)).catch(note);
      const [first] = thrown;
      assert.ok(first instanceof Fault && first.message.includes('static_headers.X-A'));
      for (const it of thrown) assert.doesNotMatch(inspect(it, { depth: 10 }) + JSON.stringify(it), /canary/i);
    });
  });
}

describe('the table of auth types', () => {
  const definitions = Object.entries<AuthTypeDefinition>(authTypes);

  it('has the nine of the specification, and each has passed the suite', () => {
    verifies('gateway.auth.nine');
    assert.deepEqual(Object.keys(authenticators), Object.keys(cases));
    assert.equal(Object.keys(cases).length, 9);
  });

  for (const [name, { credentials, fields, needs = [], owns }] of definitions) {
    it(`'${name}' asks in its form for credentials that it reads, needs no others, and writes headers in lower case`, () => {
      const asked = Object.keys(fields).filter((it) => it.startsWith('credentials.'));
      const named = [...asked.map((it) => it.slice('credentials.'.length)), ...needs];
      assert.deepEqual(
        named.filter((it) => !(it in credentials)),
        [],
      );
      assert.deepEqual(
        owns,
        owns.map((it) => it.toLowerCase()),
      );
    });
  }

  it('has one meaning for each member of the credentials', () => {
    const members: Readonly<Record<string, unknown>> = credentialMembers;
    for (const [name, { credentials }] of definitions)
      for (const [member, it] of Object.entries(credentials)) assert.equal(members[member], it, `${name} ${member}`);
  });
});
