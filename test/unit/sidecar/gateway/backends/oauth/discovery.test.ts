import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { SmallFetch } from '../../../../../../sidecar/gateway/backends/net/smallFetch.ts';
import { findAuthorizationServer, readResource } from '../../../../../../sidecar/gateway/backends/oauth/discovery.ts';
import type { McpRegistration } from '../../../../../../sidecar/gateway/backends/registration.ts';

const origin = 'https://mcp.example';
const as = 'https://as.example/tenant';
const resourceAt = `${origin}/.well-known/oauth-protected-resource`;
const registered = { server_id: 's1', alias: 'alpha' };
const server: McpRegistration = { ...registered, url: `${origin}/a/mcp` };
const metadata = { issuer: as, token_endpoint: `${as}/token`, authorization_endpoint: `${as}/authorize` };
const serverPlaces = [
  'https://as.example/.well-known/oauth-authorization-server/tenant',
  'https://as.example/.well-known/openid-configuration/tenant',
  `${as}/.well-known/openid-configuration`,
];

/** What is found in a small web where each address answers one thing, and what was asked for on the way. */
describe('the authorization server of a server', () => {
  let web: Record<string, object | string>;
  let challenge: string | undefined;
  let asked: string[];

  beforeEach(() => {
    [web, challenge, asked] = [{}, undefined, []];
  });
  const fetch: SmallFetch = async ({ method, url }) => {
    asked.push(`${method} ${url}`);
    if (method === 'POST') {
      const headers = { 'www-authenticate': challenge };
      return { status: challenge === undefined ? 200 : 401, headers, text: '{}' };
    }
    const found = web[url];
    if (found === undefined) return { status: 404, headers: {}, text: JSON.stringify(metadata) };
    return { status: 200, headers: {}, text: typeof found === 'string' ? found : JSON.stringify(found) };
  };
  const find = (it: McpRegistration = server) => findAuthorizationServer(it, fetch);
  const documentOf = (resource: string, more: object = {}) => ({ resource, authorization_servers: [as], ...more });
  const unknown = { code: 'unavailable', data: { reason: 'no_authorization_server', server_id: 's1' } };

  it('is the registered one where nothing is missing, and nobody is asked', async () => {
    const token_url = 'https://b.example/token';
    const authorization_url = 'https://b.example/authorize';
    const registration_url = 'https://b.example/register';
    const all = { token_endpoint: token_url, authorization_endpoint: authorization_url };
    const issuer = 'https://b.example';
    assert.deepEqual(await find({ ...server, token_url, authorization_url }), { issuer, ...all });
    assert.deepEqual(await find({ ...server, token_url, authorization_url, registration_url, issuer: as }), {
      issuer: as,
      ...all,
      registration_endpoint: registration_url,
    });
    const own = await find({ ...server, token_url, oauth2_flow: 'client_credentials' });
    assert.deepEqual([own, asked], [{ issuer, token_endpoint: token_url }, []]);
  });

  it('that is registered by its issuer is read from its own metadata, and the server is not asked', async () => {
    const [, , last = ''] = serverPlaces;
    web[last] = { ...metadata, issuer: `${as}/`, scopes_supported: ['a'] };
    const found = await find({
      ...server,
      issuer: as,
      token_url: 'https://b.example/token',
      registration_url: `${as}/own`,
    });
    assert.deepEqual(found, {
      ...metadata,
      issuer: `${as}/`,
      token_endpoint: 'https://b.example/token',
      registration_endpoint: `${as}/own`,
      scopes_supported: ['a'],
      resource: undefined,
    });
    assert.deepEqual(
      asked,
      serverPlaces.map((it) => `GET ${it}`),
    );
  });

  it('of a server is named where its challenge says, else at its own path, else at its root, each asked once', async () => {
    challenge = `Bearer resource_metadata="${origin}/said", scope="asked"`;
    const places = [`${origin}/said`, `${resourceAt}/a/mcp`, resourceAt];
    web[serverPlaces[0] ?? ''] = { ...metadata, scopes_supported: ['offered'] };
    for (const [at, place] of places.entries()) {
      web[place] = documentOf(`${origin}/a`, { scopes_supported: ['all'] });
      const { resource, scopes_supported, issuer } = await find();
      assert.deepEqual([resource, scopes_supported, issuer], [`${origin}/a`, ['asked'], as]);
      const reads = places.slice(0, at + 1).map((it) => `GET ${it}`);
      assert.deepEqual(asked, [`POST ${server.url}`, ...reads, `GET ${serverPlaces[0]}`]);
      Reflect.deleteProperty(web, place);
      asked = [];
    }
    challenge = `Bearer resource_metadata="${resourceAt}"`;
    web[resourceAt] = documentOf(origin, { scopes_supported: ['all'] });
    assert.deepEqual((await find()).scopes_supported, ['all']);
    assert.equal(asked.filter((it) => it === `GET ${resourceAt}`).length, 1);
    web[resourceAt] = documentOf(origin);
    assert.deepEqual((await find()).scopes_supported, ['offered']);
    challenge = 'Bearer resource_metadata="no address"';
    assert.equal((await find()).issuer, as);
  });

  const names: readonly (readonly [resource: string, isItself: boolean])[] = [
    [`${origin}/a/mcp`, true],
    [`${origin}/a/mcp/`, true],
    [`${origin}/a/`, true],
    [origin, true],
    [`${origin}/a/mc`, false],
    [`${origin}/a/mcp/b`, false],
    [`${origin}/b`, false],
    ['http://mcp.example/a/mcp', false],
    ['https://mcp.example:8443/a/mcp', false],
    ['https://mcp.example.evil.example/a/mcp', false],
  ];
  for (const [resource, isItself] of names) {
    it(`is ${isItself ? '' : 'not '}that of a document about ${resource}`, async () => {
      web[resourceAt] = documentOf(resource);
      web[serverPlaces[0] ?? ''] = metadata;
      const data = { reason: 'resource_mismatch', server_id: 's1', resource };
      if (isItself) assert.equal((await find()).resource, resource);
      else await assert.rejects(find(), { code: 'unavailable', data });
      assert.deepEqual(await readResource(server, fetch), isItself ? documentOf(resource) : undefined);
    });
  }

  it('is that of the first document about the server, also after one about another', async () => {
    web[`${resourceAt}/a/mcp`] = documentOf('https://other.example');
    web[resourceAt] = documentOf(origin);
    web[serverPlaces[1] ?? ''] = metadata;
    assert.equal((await find()).resource, origin);
  });

  it('is the first of its places that speaks for it; others do not count, and nothing else is made of them', async () => {
    challenge = 'Bearer';
    web[serverPlaces[0] ?? ''] = { ...metadata, issuer: 'https://other.example' };
    web[serverPlaces[1] ?? ''] = metadata;
    assert.equal((await find({ ...server, issuer: as })).token_endpoint, metadata.token_endpoint);
    Reflect.deleteProperty(web, serverPlaces[1] ?? '');
    await assert.rejects(find({ ...server, issuer: as }), unknown);
  });

  it('may be the server itself, at fixed addresses, where that wants a token and says nothing more', async () => {
    challenge = 'Bearer';
    const [authorization_endpoint, token_endpoint, registration_endpoint] = ['authorize', 'token', 'register'].map(
      (it) => `${origin}/${it}`,
    );
    const endpoints = { authorization_endpoint, token_endpoint, registration_endpoint };
    assert.deepEqual(await find(), { issuer: origin, ...endpoints, scopes_supported: undefined, resource: undefined });
    web[`${origin}/.well-known/oauth-authorization-server`] = { ...metadata, issuer: origin };
    assert.equal((await find()).token_endpoint, metadata.token_endpoint);
    challenge = 'Bearer resource_metadata="https://mcp.example/gone"';
    await assert.rejects(find(), unknown);
    challenge = undefined;
    await assert.rejects(find(), unknown);
  });

  it('is not known where nothing usable is said', async () => {
    const unusable: readonly (object | string)[] = [
      '<html>',
      { resource: origin },
      documentOf(origin, { authorization_servers: [] }),
      documentOf(origin, { authorization_servers: ['file:///etc/passwd'] }),
    ];
    for (web[resourceAt] of unusable) await assert.rejects(find(), unknown);
    for (const [name, value] of [
      ['authorization_endpoint', 'javascript:alert(1)'],
      ['token_endpoint', undefined],
      ['registration_endpoint', 'data:,'],
    ] as const) {
      web = { [resourceAt]: documentOf(origin), [serverPlaces[0] ?? '']: { ...metadata, [name]: value } };
      await assert.rejects(find(), unknown);
    }
    await assert.rejects(find(registered), unknown);
    assert.equal(await readResource(registered, fetch), undefined);
  });
});
