import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type TestGateway, type TestGatewayOptions, testGateway } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';

interface Tools {
  readonly tools: { name: string; namespaced_name: string; mcp_info: { server_id: string } }[];
  readonly error: string | null;
}

describe('the REST routes for tools', () => {
  let web: HttpFixture;
  const gateways: TestGateway[] = [];

  async function start(more: Partial<TestGatewayOptions> = {}): Promise<TestGateway> {
    const gateway = await testGateway({
      servers: [
        { server_id: 'id-web', alias: 'web', transport: 'http', url: web.url },
        { server_id: 'id-gone', alias: 'gone', transport: 'http', url: 'http://127.0.0.1:9/mcp' },
      ],
      toolsets: { readers: ['id-web'] },
      admins: ['admin'],
      ...more,
    });
    gateways.push(gateway);
    return gateway;
  }
  async function ask<T>(
    { base }: TestGateway,
    path: string,
    body?: unknown,
    key = 'key-1',
  ): Promise<{ status: number; json: T }> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, init);
    return { status: response.status, json: (await response.json()) as T };
  }
  beforeEach(async () => {
    web = await httpFixture({ name: 'web', json: true });
  });
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((it) => it.close()));
    await web.close();
  });

  it('list tools by their bare names, and say which they have on merged addresses', async () => {
    const { json } = await ask<Tools>(await start(), '/mcp-rest/tools/list?server_id=id-web');
    const echo = json.tools.find((it) => it.name === 'echo');
    assert.equal(echo?.namespaced_name, 'web__echo');
    assert.equal(echo?.mcp_info.server_id, 'id-web');
    assert.equal(json.error, null);
  });

  it('answer 200 whatever happens to a list, and say what', async () => {
    const gateway = await start();
    const rows = {
      '?server_id=nowhere': 'server_not_found',
      '?mcp_server_name=gone': 'server_error',
      '': 'partial_failure',
    };
    for (const [query, error] of Object.entries(rows)) {
      const { status, json } = await ask<Tools>(gateway, `/mcp-rest/tools/list${query}`);
      assert.deepEqual([status, json.error], [200, error], query);
    }
    assert.equal((await ask<Tools>(gateway, '/mcp-rest/tools/list?toolset_name=readers')).json.error, null);
  });

  it('show disabled tools to admins alone', async () => {
    const gateway = await start({ tools: { 'key-1': { 'id-web': ['echo'] }, admin: { 'id-web': ['echo'] } } });
    const count = async (key: string) =>
      (await ask<Tools>(gateway, '/mcp-rest/tools/list?include_disabled_tools=true', undefined, key)).json.tools.length;
    assert.equal(await count('key-1'), 1);
    assert.ok((await count('admin')) > 10);
  });

  it('list the tools of a key', async () => {
    const { json } = await ask<Tools>(await start({ tools: { 'key-1': { 'id-web': ['echo'] } } }), '/v1/mcp/tools');
    assert.deepEqual(
      json.tools.map((it) => it.name),
      ['echo'],
    );
  });

  it('call a tool, by server and by its long name', async () => {
    const gateway = await start();
    const args = { text: 'hi' };
    for (const body of [{ name: 'echo', server_id: 'id-web' }, { name: 'web__echo' }]) {
      const { status, json } = await ask<object>(gateway, '/mcp-rest/tools/call', { ...body, arguments: args });
      assert.deepEqual([status, json], [200, { content: [{ type: 'text', text: 'hi' }] }]);
    }
    assert.deepEqual(gateway.records.map((it) => [it.endpoint, it.tool, it.status])[0], [
      '/mcp-rest/tools/call',
      'web/echo',
      'success',
    ]);
  });

  it('answer 403 for a tool that may not be called, and leave a record', async () => {
    const gateway = await start({ tools: { 'key-1': { 'id-web': ['echo'] } } });
    for (const name of ['web__test_simple_text', 'web__no_such', 'nowhere__echo']) {
      assert.equal((await ask(gateway, '/mcp-rest/tools/call', { name })).status, 403);
    }
    assert.deepEqual(
      gateway.records.map((it) => it.status),
      ['failure', 'failure', 'failure'],
    );
  });

  it('answer 400 for what a guardrail refuses', async () => {
    const refusal = { guardrail_name: 'pii', error: 'blocked_pii_entity', message: 'No names.' } as const;
    const gateway = await start({ more: { preMcpCall: () => Promise.resolve({ refusal }) } });
    const { status, json } = await ask(gateway, '/mcp-rest/tools/call', { name: 'web__echo' });
    assert.equal(status, 400);
    assert.deepEqual((json as { detail: unknown }).detail, {
      error: 'blocked_pii_entity',
      message: 'No names.',
      guardrail_name: 'pii',
    });
  });

  it('answer 400 for a body that is none, naming the member', async () => {
    const { status, json } = await ask(await start(), '/mcp-rest/tools/call', { name: 5 });
    assert.equal(status, 400);
    assert.match((json as { error: { message: string } }).error.message, /^name:/);
  });

  describe('that try a server before it is saved', () => {
    it('are for admins', async () => {
      const gateway = await start();
      const draft = { transport: 'http', url: web.url };
      for (const path of ['/mcp-rest/test/connection', '/mcp-rest/test/tools/list']) {
        assert.equal((await ask(gateway, path, draft)).status, 403);
      }
      assert.deepEqual(web.seen, []);
      assert.deepEqual((await ask(gateway, '/mcp-rest/test/connection', draft, 'admin')).json, {
        status: 'ok',
        message: 'Connected.',
      });
      const { json } = await ask<Tools>(gateway, '/mcp-rest/test/tools/list', draft, 'admin');
      assert.ok(json.tools.length > 10);
      assert.equal(gateway.connections.count, 0);
    });

    it('start no program that is not allowed, not even for them', async () => {
      const draft = { transport: 'stdio', command: '/bin/sh', args: ['-c', 'echo x'] };
      const { json } = await ask<{ status: string; message: string }>(
        await start(),
        '/mcp-rest/test/connection',
        draft,
        'admin',
      );
      assert.equal(json.status, 'error');
      assert.match(json.message, /has a command that is not allowed/);
    });
  });
});
