import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { openApi } from '../../sidecar/gateway/http/openapi.ts';
import { allRoutes, surfaceOf } from '../../sidecar/gateway/http/routes.ts';
import { countedAs, noSuchAddress, type Route, type RouteGroup } from '../../sidecar/gateway/routing/route.ts';
import { RouteTable } from '../../sidecar/gateway/routing/routeTable.ts';
import { gatewayRequirements } from '../requirements.ts';
import { readSource, sourcePaths } from '../support/sources.ts';

type WithHandler = Route & { readonly handle: unknown };
const rows = (await allRoutes()) as readonly WithHandler[];
const table = new RouteTable(rows);
const name = ({ method, path }: Route) => `${method} ${path}`;

/** The words for `allowed_routes`, those of the specification and the one for models alone: one without a row does not compile. */
const groups: Readonly<Record<RouteGroup, true>> = {
  llm_api_routes: true,
  mcp_routes: true,
  model_routes: true,
  agent_routes: true,
  passthrough_routes: true,
  management_routes: true,
  info_routes: true,
};

describe('the table of routes', () => {
  const document = openApi(rows, '1') as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const known = new Set<string>(gatewayRequirements.flatMap((it) => Object.keys(it)));

  it('has rows whose requirements are promised, and each row has some', () => {
    const bad = rows.filter((it) => it.requirements.length === 0 || !it.requirements.every((id) => known.has(id)));
    assert.deepEqual(bad.map(name), []);
  });

  it('has rows that stand in the OpenAPI document with their own method and path, or say why not', () => {
    const bad = rows.filter(({ openapi, method, path }) => {
      if (typeof openapi === 'string') return !/^[A-Z].*\.$/.test(openapi);
      if (openapi.length === 0) return true;
      const below = path.endsWith('/**') ? path.slice(0, -'**'.length) : undefined;
      return !openapi.every((it) => {
        const isOwn = below === undefined ? it.path === path && it.method === method : it.path.startsWith(below);
        return isOwn && document.paths[it.path]?.[it.method.toLowerCase()] !== undefined;
      });
    });
    assert.deepEqual(bad.map(name), []);
  });

  it('has groups that allowed_routes knows, and each row that asks for a key is in one', () => {
    const bad = rows.filter(
      ({ auth, groups: own }) => own.some((it) => !groups[it]) || (auth !== 'none') !== own.length > 0,
    );
    assert.deepEqual(bad.map(name), []);
  });

  it('knows the surface of each row by its template, as it stands in the log, and by what it is counted as', () => {
    const bad = rows.filter((it) =>
      [it.template ?? it.path, countedAs(it)].some((text) => surfaceOf(text) !== it.surface),
    );
    assert.deepEqual(bad.map(name), []);
  });

  const addresses: readonly (readonly [address: string, row: string])[] = [
    ['GET /', 'ANY /'],
    ['GET /healthz', 'ANY /healthz'],
    ['GET /openapi.json', 'ANY /openapi.json'],
    ['POST /ui/session', 'ANY /ui/session'],
    ['GET /ui/keys', 'ANY /ui/**'],
    ['GET /.well-known/jwks.json', 'ANY /.well-known/jwks.json'],
    ['GET /.well-known/oauth-protected-resource/mcp', 'GET /.well-known/oauth-protected-resource/**'],
    ['GET /.well-known/openid-configuration', 'GET /.well-known/openid-configuration/**'],
    ['GET /authorize', 'GET /authorize'],
    ['POST /echo/token', 'POST /{server}/token'],
    ['POST /register', 'POST /register'],
    ['GET /callback', 'GET /callback'],
    ['POST /introspect', 'POST /introspect'],
    ['POST /v1/mcp/server/a/sign-in', 'POST /v1/mcp/server/{server_id}/sign-in'],
    ['DELETE /mcp', 'ANY /mcp'],
    ['POST /mcp/echo', 'ANY /mcp/{server}'],
    ['POST /echo/mcp', 'ANY /{server}/mcp'],
    ['POST /credentials/mcp', 'ANY /{server}/mcp'],
    ['DELETE /credentials/mcp', 'ANY /{server}/mcp'],
    ['DELETE /credentials/sse', 'ANY /{server}/sse'],
    ['DELETE /credentials/one', 'DELETE /credentials/{credential_name}'],
    ['POST /toolset/t/mcp', 'ANY /toolset/{name}/mcp'],
    ['GET /sse', 'ANY /sse'],
    ['GET /echo/sse', 'ANY /{server}/sse'],
    ['GET /mcp-rest/tools/list', 'GET /mcp-rest/tools/list'],
    ['POST /mcp-rest/tools/call', 'POST /mcp-rest/tools/call'],
    ['GET /v1/mcp/tools', 'GET /v1/mcp/tools'],
    ['POST /a2a/weather', 'POST /a2a/{agent_id}'],
    ['POST /a2a/weather/v1/message:send', 'POST /a2a/{agent_id}/v1/message:send'],
    ['GET /a2a/weather/tasks/t:subscribe', 'GET /a2a/{agent_id}/tasks/{task}'],
    ['POST /v1/a2a/weather/message/send', 'POST /v1/a2a/{agent_id}/message/send'],
    ['GET /a2a/weather/.well-known/agent.json', 'GET /a2a/{agent_id}/.well-known/agent.json'],
    ['PUT /cloudagents/v1/agents', 'ANY /cloudagents/**'],
    ['GET /metrics', 'GET /metrics'],
    ['GET /key/list', 'GET /key/list'],
    ['POST /key/a/regenerate', 'POST /key/{key}/regenerate'],
    ['GET /v1/agents/a', 'GET /v1/agents/{agent_id}'],
    ['GET /v1/mcp/server/health', 'GET /v1/mcp/server/health'],
  ];
  for (const [address, row] of addresses)
    it(`has one row for ${address}, which names its handler: ${row}`, () => {
      const [method = '', path = ''] = address.split(' ');
      const match = table.find(method, path);
      assert.equal(match && name(match.route), row);
      assert.equal(rows.filter((it) => name(it) === row).length, 1);
      assert.equal(typeof match?.route.handle, 'function');
    });

  it('has a row for every method and path, so that nobody learns without a key which addresses there are', () => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND'])
      assert.equal(table.find(method, '/nothing/at/all')?.route.handle, noSuchAddress);
  });

  it('is the only place where paths of requests are compared', () => {
    const others = [
      'sidecar/gateway/routing/',
      'sidecar/gateway/http/',
      // Of other servers.
      'sidecar/gateway/backends/',
      'sidecar/gateway/guardrails/signer/target.ts',
      'sidecar/gateway/cloudagents/target.ts',
      'sidecar/gateway/oauth/clientDocuments.ts',
      // In parameters and bodies.
      'sidecar/gateway/oauth/addresses.ts',
      'sidecar/gateway/oauth/connect.ts',
    ];
    const compares =
      /\b(?:pathname|path|endpoint)\s*[!=]==?\s*['"`]\/|\.startsWith\(\s*['"`]\/|(?:switch|case) \(?['"`](?:GET|POST|DELETE|PUT|PATCH) |\/\^\\\//;
    const bad = sourcePaths(['sidecar/gateway'])
      .filter((it) => !others.some((own) => it.startsWith(own)))
      .flatMap((file) =>
        readSource(file)
          .split('\n')
          .flatMap((line, at) => (compares.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [])),
      );
    assert.deepEqual(bad, []);
    const inHttp = sourcePaths(['sidecar/gateway/http']).flatMap((file) =>
      /\bpathname\s*[!=]==?\s*['"`]|pathname\.startsWith/.test(readSource(file)) ? [file] : [],
    );
    assert.deepEqual(inHttp, []);
  });
});
