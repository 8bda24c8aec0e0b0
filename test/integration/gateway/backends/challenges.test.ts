import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { BackendSecrets, McpRegistration } from '../../../../sidecar/gateway/backends/registration.ts';
import { type BackendsUnderTest, openBackends } from '../../../support/backends/backendsUnderTest.ts';
import { inboundOf } from '../../../support/backends/callOf.ts';
import { type EchoBackend, type Heard, startEchoBackend } from '../../../support/backends/echoBackend.ts';

const redirectUri = 'http://127.0.0.1/callback';
type Routes = Record<string, (heard: Heard, response: ServerResponse) => void>;
const json = (document: object) => (_heard: Heard, response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
const refuses = (challenge: string, status: number) => (_heard: Heard, response: ServerResponse) =>
  void response.writeHead(status, { 'www-authenticate': challenge }).end();

/** What an MCP server says of the tokens it wants, and what the gateway asks its authorization server for then. */
describe('the challenge of an MCP server', () => {
  let backend: EchoBackend;
  let world: BackendsUnderTest;
  let server: McpRegistration;
  let secrets: BackendSecrets;
  let routes: Routes;

  beforeEach(async () => {
    [backend, world] = [await startEchoBackend(), openBackends()];
    const { url } = backend;
    server = { server_id: 's1', alias: 'alpha', auth_type: 'oauth2', url: `${url}/mcp`, allow_private_network: true };
    secrets = { client_id: 'our-client_1', client_secret: 'a secret+1' };
    routes = {
      '/mcp': refuses(`Bearer resource_metadata="${url}/elsewhere", scope="read"`, 401),
      '/elsewhere': json({ resource: `${url}/mcp`, authorization_servers: [`${url}/as`], scopes_supported: ['all'] }),
      '/.well-known/oauth-authorization-server/as': json({
        issuer: `${url}/as`,
        authorization_endpoint: `${url}/as/authorize`,
        token_endpoint: `${url}/as/token`,
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      }),
      '/as/token': json({ access_token: 'token-1', token_type: 'Bearer', scope: 'read' }),
    };
    backend.answer = (heard, response) => {
      const route = routes[heard.path.split('?')[0] ?? ''];
      if (route) route(heard, response);
      else response.writeHead(404).end();
    };
  });
  afterEach(async () => {
    await world.backends.close();
    await backend.close();
  });

  const begin = () => world.backends.signIn.begin({ server, secrets, user: 'ada', redirectUri });
  const asked = async () => new URL((await begin()).url).searchParams;
  const heardAt = (path: string) => backend.heard.filter((it) => it.path === path);
  async function signIn(): Promise<void> {
    const { url, cookie } = await begin();
    const query = new URLSearchParams({ code: 'c1', state: new URL(url).searchParams.get('state') ?? '' });
    await world.backends.signIn.finish({ query, cookie, find: async () => ({ server, secrets }) });
  }

  it('says where its metadata is and which scopes it wants; its own name is the resource', async () => {
    const parameters = await asked();
    assert.equal(parameters.get('scope'), 'read');
    assert.equal(parameters.get('resource'), `${backend.url}/mcp`);
    assert.equal(heardAt('/mcp')[0]?.headers.authorization, undefined);
  });

  it('gives way to what was registered', async () => {
    secrets = { ...secrets, scopes: ['mine'], upstream_resource: 'https://api.example' };
    const parameters = await asked();
    assert.deepEqual([parameters.get('scope'), parameters.get('resource')], ['mine', 'https://api.example']);
  });

  it('without scopes leaves the choice to the metadata', async () => {
    routes['/mcp'] = refuses(`Bearer resource_metadata="${backend.url}/elsewhere"`, 401);
    assert.equal((await asked()).get('scope'), 'all');
  });

  it('that leads to a document about another server leads to no sign-in: whom that names gets to know nothing', async () => {
    routes['/elsewhere'] = json({
      resource: 'https://other.example/mcp',
      authorization_servers: [`${backend.url}/as`],
    });
    await assert.rejects(begin(), { code: 'unavailable', message: /' describes a different server\. Check its 'url'/ });
    assert.deepEqual(
      backend.heard.filter((it) => it.path.startsWith('/as')),
      [],
    );
    const [asked] = heardAt('/.well-known/oauth-authorization-server/as');
    assert.deepEqual([asked?.method, asked?.body.length, asked?.headers.authorization], ['GET', 0, undefined]);
    assert.equal(await world.clients.read({ server_id: 's1' }), undefined);
  });

  it('without any metadata means the endpoints of 2025-03-26; without a challenge it means nothing', async () => {
    routes = { '/mcp': refuses('Bearer', 401) };
    const { url } = await begin();
    assert.ok(url.startsWith(`${backend.url}/authorize?`), url);
    routes = {};
    await assert.rejects(begin(), { code: 'unavailable' });
  });

  it('does not make up for metadata of another issuer', async () => {
    const document = json({ issuer: 'https://other.example', token_endpoint: `${backend.url}/token` });
    routes = { '/mcp': refuses('Bearer', 401), '/.well-known/oauth-authorization-server': document };
    await assert.rejects(begin(), { code: 'unavailable' });
  });

  it('leads to a token, for which the client says who it is as the authorization server wants it', async () => {
    await signIn();
    const [request] = heardAt('/as/token');
    const basic = Buffer.from('our-client_1:a+secret%2B1').toString('base64');
    assert.equal(request?.headers.authorization, `Basic ${basic}`);
    assert.equal((await world.tokens.read({ user: 'ada', server_id: 's1' }))?.access_token, 'token-1');
  });

  it('for more scopes in the middle sends the person to sign in for those, and what the token had', async () => {
    await signIn();
    const { signal } = new AbortController();
    const call = async () => {
      const outbound = await world.backends.forServer(server, secrets, { inbound: inboundOf(), user: 'ada', signal });
      return outbound.send({ method: 'POST', url: `${backend.url}/mcp`, headers: {}, body: '{}' }, signal);
    };
    routes['/mcp'] = refuses('Bearer error="insufficient_scope", scope="write"', 403);
    await assert.rejects(call(), { code: 'auth_required', message: "Sign in to 'alpha' first." });
    routes['/mcp'] = refuses('Bearer error="invalid_token"', 403);
    assert.equal((await call()).status, 403);
    routes['/mcp'] = refuses(`Bearer resource_metadata="${backend.url}/elsewhere", scope="read"`, 401);
    assert.equal((await asked()).get('scope'), 'read write');
    await signIn();
    assert.equal((await world.tokens.read({ user: 'ada', server_id: 's1' }))?.missing_scopes, undefined);
  });
});
