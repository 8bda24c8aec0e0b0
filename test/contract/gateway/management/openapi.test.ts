import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { openApi } from '../../../../sidecar/gateway/http/openapi.ts';
import { allRoutes } from '../../../../sidecar/gateway/http/routes.ts';
import { type Managed, managementRows, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const allRows = await allRoutes();
const routes = await managementRows();

describe('the OpenAPI document and the addresses of the management API', () => {
  let api: Managed;
  let document: Document;
  before(async () => {
    api = await openManaged();
    document = JSON.parse(JSON.stringify(openApi(allRows, '1.2.3'))) as Document;
  });
  after(() => api.close());

  it('has every row of the table, each with its body, its parameters and a name of its own', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, '1.2.3');
    const names = new Set<string>();
    for (const row of routes) {
      const operation = document.paths[row.path]?.[row.method.toLowerCase()];
      assert.ok(operation, `${row.method} ${row.path}`);
      assert.equal(operation.summary, row.summary);
      assert.equal(operation.requestBody !== undefined, row.body !== undefined, row.path);
      assert.ok(String(row.status ?? 200) in operation.responses, row.path);
      const inPath = operation.parameters?.filter((it) => it.in === 'path').map((it) => `{${it.name}}`) ?? [];
      assert.deepEqual(inPath, row.path.match(/\{\w+\}/g) ?? []);
      names.add(operation.operationId);
    }
    assert.equal(names.size, routes.length);
    const all = Object.values(document.paths).flatMap((it) => Object.values(it));
    const described = allRows.flatMap((it) => (typeof it.openapi === 'string' ? [] : it.openapi));
    assert.equal(all.length, described.length);
    assert.equal(new Set(all.map((it) => it.operationId)).size, all.length);
  });

  it('has what programs call beside it: tools over REST, agents and the cloud-agents service', () => {
    verifies('gateway.openapi.surfaces');
    for (const [path, method] of [
      ['/mcp-rest/tools/list', 'get'],
      ['/mcp-rest/tools/call', 'post'],
      ['/a2a/{agent_id}', 'post'],
      ['/a2a/{agent_id}/message/send', 'post'],
      ['/a2a/{agent_id}/.well-known/agent-card.json', 'get'],
      ['/cloudagents/v0/agents', 'post'],
      ['/cloudagents/v0/agents/{id}/followup', 'post'],
      ['/cloudagents/v0/repositories', 'get'],
    ] as const) {
      const operation = document.paths[path]?.[method];
      assert.ok(operation, path);
      assert.equal(operation.requestBody !== undefined, method === 'post', path);
      const inPath = operation.parameters?.filter((it) => it.in === 'path').map((it) => `{${it.name}}`) ?? [];
      assert.deepEqual(inPath, path.match(/\{\w+\}/g) ?? [], path);
    }
  });

  it('describes the fields of queries and bodies', () => {
    const list = document.paths['/key/list']?.['get'];
    assert.ok(list?.parameters?.some((it) => it.in === 'query' && it.name === 'team_id'));
    const daily = document.paths['/team/daily/activity']?.['get'];
    assert.ok(daily?.parameters?.some((it) => it.in === 'query' && it.name === 'start_date'));
    assert.match(JSON.stringify(document.paths['/v1/mcp/server']?.['post']?.requestBody), /cloud_sigv4/);
  });

  for (const { path, status } of [
    { path: '/nowhere', status: 404 },
    { path: '/key', status: 404 },
    { path: '/key//info', status: 404 },
    { path: '/key/info/', status: 200 },
    { path: '/v1/mcp/server/..%2fv1', status: 404 },
    { path: '/v1/mcp/server/a%5cb', status: 404 },
    { path: '/v1/mcp/server/%00', status: 404 },
    { path: '/v1/mcp/server/%', status: 404 },
    { path: '/v1/agents/nobody', status: 404 },
  ]) {
    it(`${path} is answered with ${status}`, async () => {
      assert.equal((await api.send(api.admin, 'GET', path)).status, status);
    });
  }

  it('a body over the limit is answered with 413, and one at the limit is read', async () => {
    verifies('gateway.error.too-large');
    const around = JSON.stringify({ key_alias: '' }).length;
    const make = (bytes: number) =>
      api.send(api.admin, 'POST', '/key/generate', { key_alias: 'x'.repeat(bytes - around) });
    const [large, whole] = [await make(4_000_001), await make(4_000_000)];
    assert.deepEqual([large.status, large.at('error.type')], [413, 'request_too_large']);
    assert.notEqual(whole.status, 413);
  });
});
