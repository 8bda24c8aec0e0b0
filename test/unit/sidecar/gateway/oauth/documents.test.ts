import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { authorizationServer, protectedResource } from '../../../../../sidecar/gateway/oauth/documents.ts';
import { oauthRoutes } from '../../../../../sidecar/gateway/oauth/routes.ts';
import { RouteTable } from '../../../../../sidecar/gateway/routing/routeTable.ts';
import { verifies } from '../../../../support/verifies.ts';

const base = 'https://gateway.example';
const table = new RouteTable(oauthRoutes);
const read = (address: string) => {
  const { route, params } = table.find('GET', `/.well-known/${address}`) ?? {};
  const path = params?.['rest'] ?? '';
  if (!route || route.path === '/.well-known/**') return undefined;
  const isResource = route.path.includes('protected-resource');
  const document = isResource ? protectedResource(path, base) : authorizationServer(path, base);
  return document as Record<string, unknown> | undefined;
};

describe('the protected-resource document (RFC 9728)', () => {
  verifies('gateway.oauth.discovery');
  const rows: readonly [path: string, resource: string, server: string][] = [
    ['', '/mcp', '/mcp'],
    ['/mcp', '/mcp', '/mcp'],
    ['/mcp/', '/mcp', '/mcp'],
    ['/sse', '/sse', '/mcp'],
    ['/alpha/sse', '/alpha/sse', '/alpha'],
    ['/mcp/alpha', '/mcp/alpha', '/alpha'],
    ['/alpha/mcp', '/alpha/mcp', '/alpha'],
    ['/mcp/no-such-server', '/mcp/no-such-server', '/no-such-server'],
    ['/mcp/my%20server', '/mcp/my%20server', '/my%20server'],
    ['/mcp/a,b', '/mcp/a,b', '/mcp'],
    ['/mcp/mcp', '/mcp/mcp', '/mcp'],
    ['/mcp/ui', '/mcp/ui', '/mcp'],
    ['/toolset/readers/mcp', '/toolset/readers/mcp', '/mcp'],
  ];
  for (const [path, resource, server] of rows) {
    it(`at '${path}' is about ${resource} and names the authorization server ${server}`, () => {
      assert.deepEqual(read(`oauth-protected-resource${path}`), {
        resource: base + resource,
        authorization_servers: [base + server],
        scopes_supported: ['mcp'],
        bearer_methods_supported: ['header'],
        resource_name: 'Switchboard',
      });
    });
  }
  for (const path of ['/a/b', '/v1/mcp', '/ui/mcp', '/toolset/x', '/mcp/..%2fa', '/mcp/a/b', '/key/generate', 'x']) {
    it(`is not there for ${path}, which can be no address of a server`, () =>
      assert.equal(read(`oauth-protected-resource${path}`), undefined));
  }
});

describe('the authorization-server document (RFC 8414)', () => {
  verifies('gateway.oauth.discovery');
  const rows: readonly [path: string, prefix: string, query: string][] = [
    ['', '', '?issuer='],
    ['/mcp', '', ''],
    ['/alpha', '/alpha', ''],
    ['/mcp/alpha', '/alpha', '?issuer=%2Fmcp%2Falpha'],
    ['/alpha/mcp', '/alpha', '?issuer=%2Falpha%2Fmcp'],
    ['/mcp/mcp', '', '?issuer=%2Fmcp%2Fmcp'],
    ['/toolset/readers/mcp', '', '?issuer=%2Ftoolset%2Freaders%2Fmcp'],
  ];
  for (const kind of ['oauth-authorization-server', 'openid-configuration']) {
    for (const [path, prefix, query] of rows) {
      it(`${kind}${path} says that it is the issuer it was asked for, with endpoints below '${prefix}'`, () => {
        assert.deepEqual(read(`${kind}${path}`), {
          issuer: base + path,
          authorization_endpoint: `${base}${prefix}/authorize${query}`,
          token_endpoint: `${base}${prefix}/token`,
          registration_endpoint: `${base}${prefix}/register`,
          revocation_endpoint: `${base}/revoke`,
          introspection_endpoint: `${base}/introspect`,
          response_types_supported: ['code'],
          response_modes_supported: ['query'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
          revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
          scopes_supported: ['mcp'],
          authorization_response_iss_parameter_supported: true,
          client_id_metadata_document_supported: true,
        });
      });
    }
  }
  for (const path of ['/v1', '/ui', '/a,b', '/sse/mcp', '/a/b', '/%2e%2e', 'x']) {
    it(`is not there for ${path}`, () => assert.equal(read(`oauth-authorization-server${path}`), undefined));
  }
});

it('a server that is called like a route is served by the aggregate, and every document names an issuer that has one', () => {
  for (const path of ['/mcp/toolset', '/mcp/v1', '/mcp/alpha', '/mcp/mcp', '/toolset/x/mcp', '/mcp/%C3%A4']) {
    const servers = read(`oauth-protected-resource${path}`)?.['authorization_servers'];
    const server = String(servers);
    assert.equal(read(`oauth-authorization-server${server.slice(base.length)}`)?.['issuer'], server);
  }
});
