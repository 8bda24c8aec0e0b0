import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { SpendLogsQuery } from '../../../../sidecar/protocol/gateway/activityQueries.ts';
import type { McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { textOf } from '../../../support/mcp/gateway.ts';
import { type Shelter, startShelter } from '../../../support/openapi/shelter.ts';
import { shelterDocument } from '../../../support/openapi/shelterDocument.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

describe('an OpenAPI service behind the gateway', () => {
  let stand: Stand;
  let shelter: Shelter;
  let key: string;
  const clients: Client[] = [];
  const ids: string[] = [];

  before(async () => {
    shelter = await startShelter();
    stand = await openStand();
    key = await stand.addKey({ key_alias: 'ada' });
  });
  after(async () => {
    await stand.close();
    await shelter.close();
  });
  beforeEach(() => {
    shelter.heard.splice(0);
    shelter.document = JSON.stringify(shelterDocument({ servers: [{ url: '/v1' }] }));
  });
  afterEach(async () => {
    await Promise.allSettled(clients.splice(0).map((it) => it.close()));
    for (const id of ids.splice(0)) await stand.manage('DELETE', `/v1/mcp/server/${id}`);
  });

  type Server = Partial<McpServerRecord> & { readonly credentials?: object };
  async function add(more: Server = {}, alias = 'pets'): Promise<string> {
    const at = { alias, transport: 'http', spec_path: `${shelter.url}/openapi.json`, allow_private_network: true };
    const { server_id } = await stand.manage('POST', '/v1/mcp/server', { ...at, ...more });
    ids.push(String(server_id));
    return String(server_id);
  }
  async function connect(
    path = '/pets/mcp',
    { mode = 'legacy', headers = {} }: { mode?: 'legacy' | 'auto'; headers?: Record<string, string> } = {},
  ) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    clients.push(client);
    const requestInit = { headers: { 'x-gateway-api-key': `Bearer ${key}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${stand.base}${path}`), { requestInit }));
    return client;
  }
  const call = (client: Client, name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });
  const healthOf = async (id: string) => {
    const path = `/v1/mcp/server/health?server_ids=${id}`;
    const [found] = (await stand.manage('GET', path)) as unknown as Record<string, unknown>[];
    return [found?.['status'], found?.['health_check_error']];
  };

  for (const mode of ['legacy', 'auto'] as const) {
    it(`lists and calls its operations for a client of the ${mode === 'auto' ? 'modern' : 'legacy'} era`, async () => {
      verifies('gateway.openapi.tools', 'gateway.openapi.request', 'gateway.openapi.answers');
      await add();
      const client = await connect('/pets/mcp', { mode });
      const { tools } = await client.listTools();
      assert.equal(tools.length, 7);
      assert.equal(tools.find((it) => it.name === 'delete_pets_id')?.annotations?.destructiveHint, true);
      const listed = await call(client, 'listPets', {
        limit: 2,
        tags: ['a', 'b'],
        filter: { kind: 'cat' },
        theme: 'x',
      });
      assert.deepEqual([textOf(listed), listed.structuredContent], ['[{"name":"Tom"}]', { result: [{ name: 'Tom' }] }]);
      const added = await call(client, 'addPet', { body: { name: 'Tom', kind: 'cat' } });
      assert.deepEqual(added.structuredContent, {
        method: 'POST',
        path: '/v1/pets',
        body: '{"name":"Tom","kind":"cat"}',
      });
      const [first] = shelter.operations();
      assert.equal(first?.path, '/v1/pets?limit=2&tags=a&tags=b&filter%5Bkind%5D=cat');
      assert.equal(first?.headers.cookie, 'theme=x');
      assert.equal(shelter.documents().length, 1, 'the document is fetched once');
    });
  }

  it('is one of several servers at the address of all', async () => {
    await add();
    const client = await connect('/mcp');
    assert.ok((await client.listTools()).tools.some((it) => it.name === 'pets__listPets'));
    assert.equal(textOf(await call(client, 'pets__listPets', {})), '[{"name":"Tom"}]');
  });

  it('has errors of the API, and answers of other kinds, as results', async () => {
    verifies('gateway.openapi.answers', 'gateway.openapi.network');
    await add();
    const client = await connect();
    const get = async (id: string) => {
      const { content, isError = false } = await call(client, 'pets_get', { id });
      const [first] = content as { type: string; text?: string; data?: string }[];
      return [isError, first?.type === 'text' ? first.text : `${first?.type} ${first?.data}`];
    };
    assert.deepEqual(await get('missing'), [true, 'HTTP 404 Not Found\n{"error":"no such pet"}']);
    assert.deepEqual(await get('broken'), [true, 'HTTP 500 Internal Server Error\nout of order']);
    assert.deepEqual(await get('moved'), [
      true,
      'HTTP 302 Found: the API redirects to another address, which is not followed.',
    ]);
    assert.deepEqual(await get('gone'), [false, 'HTTP 204 No Content']);
    assert.deepEqual(await get('photo'), [false, 'image iVBORw==']);
    assert.deepEqual(await get('zip'), [
      false,
      'HTTP 200 OK\nThe response is 3 bytes of application/zip, which is not text.',
    ]);
    assert.deepEqual(await get('huge'), [true, 'HTTP 200 OK\nThe response is longer than 4000000 bytes.']);
  });

  it('counts as failed when it answers with HTTP 5xx, for its circuit and its retries', async () => {
    verifies('gateway.resilience.circuit', 'gateway.resilience.retry');
    await add({ circuit_breaker: { failures: 2, window_s: 600, open_s: 600 } });
    await add({ retry: { attempts: 2, backoff_ms: 1 } }, 'again');
    const textOfGet = async (client: Client, id: string) => textOf(await call(client, 'pets_get', { id }));
    const client = await connect();
    for (const id of ['missing', 'broken', 'missing', 'broken'])
      assert.match(await textOfGet(client, id), /^HTTP (404|500)/);
    assert.match(await textOfGet(client, 'gone'), /Too many requests to the MCP server 'pets' failed/);
    assert.equal(shelter.operations().length, 4);
    const retrying = await connect('/again/mcp');
    await retrying.listTools();
    for (const [id, times] of [
      ['missing', 1],
      ['broken', 2],
    ] as const) {
      shelter.heard.splice(0);
      await textOfGet(retrying, id);
      assert.equal(shelter.operations().length, times, id);
    }
  });

  it('gets no request for arguments that do not match, climb, or break a header', async () => {
    verifies('gateway.openapi.request');
    await add();
    const client = await connect();
    const refused = async (name: string, args: Record<string, unknown>) => {
      const { isError, ...result } = await call(client, name, args);
      assert.equal(isError, true);
      return textOf(result);
    };
    assert.match(await refused('listPets', { limit: 1_000 }), /'arguments\/limit' must be <= 100/);
    assert.match(await refused('listPets', { nothing: 1 }), /must NOT have additional properties/);
    assert.match(await refused('addPet', { body: { name: '<b>' } }), /must match pattern/);
    assert.match(await refused('addPet', {}), /must have required property 'body'/);
    assert.match(await refused('pets_get', { id: '../admin' }), /must not contain the path segment/);
    assert.match(await refused('listPets', { 'X-Trace': 'a\r\nx-admin: 1' }), /must not contain line breaks/);
    assert.match(await refused('no_such_tool', {}), /not available/);
    assert.deepEqual(shelter.operations(), []);
  });

  it('gets the credential and headers of the registration, and none of an argument instead', async () => {
    verifies('gateway.openapi.governed');
    await add({
      auth_type: 'bearer_token',
      credentials: { auth_value: 'secret-token' },
      static_headers: { 'x-trace': 'fixed' },
      extra_headers: ['x-tenant'],
    });
    const client = await connect('/pets/mcp', { headers: { 'x-tenant': 'blue' } });
    await call(client, 'listPets', { 'X-Trace': 'mine' });
    const [heard] = shelter.operations();
    assert.equal(heard?.headers.authorization, 'Bearer secret-token');
    assert.equal(heard?.headers['x-trace'], 'fixed');
    assert.equal(heard?.headers['x-tenant'], 'blue');
    assert.ok(!JSON.stringify(heard?.rawHeaders).includes(key));
    assert.equal(
      shelter.documents()[0]?.headers.authorization,
      undefined,
      'the document is fetched without a credential',
    );
  });

  it('is signed as other servers are', async () => {
    await add({
      auth_type: 'cloud_sigv4',
      credentials: {
        aws_region_name: 'eu-west-1',
        aws_service_name: 'execute-api',
        aws_access_key_id: 'AKIDEXAMPLE',
        aws_secret_access_key: 'wJalrXUtnFEMI',
      },
    });
    await call(await connect(), 'addPet', { body: { name: 'Tom' } });
    assert.match(String(shelter.operations()[0]?.headers.authorization), /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  });

  it('obeys access to tools and arguments, and each call has a record', async () => {
    verifies('gateway.openapi.governed');
    await add({
      disallowed_tools: ['addPet'],
      allowed_params: { listPets: ['limit'] },
      openapi: { exclude: { methods: ['delete'] } },
    });
    const client = await connect();
    const names = (await client.listTools()).tools.map((it) => it.name);
    assert.ok(!names.includes('addPet') && !names.includes('delete_pets_id') && names.includes('listPets'));
    assert.equal((await call(client, 'addPet', { body: { name: 'x' } })).isError, true);
    assert.match(textOf(await call(client, 'listPets', { tags: ['a'] })), /does not allow these arguments: tags/);
    assert.equal(shelter.operations().length, 0);
    await call(client, 'listPets', { limit: 1 });
    const found = async () =>
      (await stand.gateway.store.spendLogs.page(SpendLogsQuery.parse({ page_size: 1_000 }))).data;
    await until('the call is on record', async () =>
      (await found()).some((it) => it.mcp_namespaced_tool_name === 'pets/listPets' && it.status === 'success'),
    );
  });

  it('is reached by no private address, whoever names it', async () => {
    verifies('gateway.openapi.network', 'gateway.openapi.documents');
    const spec_path = `${shelter.url}/openapi.json`;
    const answer = await stand.as(stand.adminKey, '/v1/mcp/server', {
      method: 'POST',
      body: JSON.stringify({ alias: 'a', spec_path }),
    });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /allow_private_network/);
    await stand.addServer({ alias: 'private', server_id: 'private', spec_path, allow_private_network: false });
    ids.push('private');
    const client = await connect('/mcp');
    assert.ok(!(await client.listTools()).tools.some((it) => it.name.startsWith('private')));
    assert.equal(shelter.heard.length, 0);

    shelter.document = JSON.stringify(shelterDocument({ servers: [{ url: 'http://127.0.0.1:1/internal' }] }));
    await add({}, 'foreign');
    const foreign = await connect('/foreign/mcp');
    const refused = await call(foreign, 'listPets', {});
    assert.equal(refused.isError, true);
    assert.match(textOf(refused), /names a server at another address than its own/);
    assert.equal(shelter.operations().length, 0);
  });

  it('is no file that somebody names through the API', async () => {
    verifies('gateway.openapi.files');
    const answer = await stand.as(stand.adminKey, '/v1/mcp/server', {
      method: 'POST',
      body: JSON.stringify({ alias: 'a', spec_path: '/etc/passwd', url: shelter.url }),
    });
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /Only the configuration file can name a file/);
  });

  it('can be a file that the configuration names', async () => {
    verifies('gateway.openapi.files');
    const file = join(stand.folder, 'api.json');
    writeFileSync(file, JSON.stringify(shelterDocument()));
    const server = { alias: 'filed', server_id: 'filed', spec_path: file, url: `${shelter.url}/v2`, from_config: true };
    await stand.addServer(server);
    const client = await connect('/filed/mcp');
    assert.equal(textOf(await call(client, 'pets_get', { id: '1' })), '{"method":"GET","path":"/v2/pets/1","body":""}');
    rmSync(file);
    const [status, why] = await healthOf('filed');
    assert.deepEqual(
      [status, why],
      ['unhealthy', 'The file of the OpenAPI document cannot be read. Check that it exists and may be read.'],
    );
    await stand.gateway.store.mcp_server.remove('filed');
  });

  it('is fetched anew by a health check, and clients are notified of tools that changed', async () => {
    verifies('gateway.openapi.refreshed');
    const id = await add();
    const client = await connect();
    assert.equal((await client.listTools()).tools.length, 7);
    let isNotified = false;
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      isNotified = true;
    });
    assert.deepEqual(await healthOf(id), ['healthy', null]);
    assert.equal(shelter.documents().at(-1)?.headers['if-none-match'] !== undefined, true);
    assert.equal(isNotified, false, 'nothing has changed');
    const { paths, ...document } = shelterDocument({ servers: [{ url: '/v1' }] });
    shelter.document = JSON.stringify({ ...document, paths: { '/pets': paths['/pets'] } });
    assert.deepEqual(await healthOf(id), ['healthy', null]);
    await until('the client is notified', () => isNotified);
    assert.deepEqual(
      (await client.listTools()).tools.map((it) => it.name),
      ['listPets', 'addPet'],
    );
    shelter.document = '{"swagger":"2.0"}';
    const [status, why] = await healthOf(id);
    assert.equal(status, 'unhealthy');
    assert.match(String(why), /Swagger 2\.0/);
    assert.equal((await client.listTools()).tools.length, 2, 'what was known still serves');
    assert.equal(textOf(await call(client, 'listPets', {})), '[{"name":"Tom"}]');
  });

  it('is tried before it is saved', async () => {
    const draft = { alias: 'tried', transport: 'http', spec_path: `${shelter.url}/openapi.json` };
    const tried = async (more: object) =>
      (await stand.manage('POST', '/mcp-rest/test/tools/list', { ...draft, ...more })) as {
        readonly tools: readonly object[];
        readonly message: string;
      };
    assert.equal((await tried({ allow_private_network: true })).tools.length, 7);
    assert.match((await tried({})).message, /allow_private_network/);
    shelter.document = '[]';
    assert.match((await tried({ allow_private_network: true })).message, /not an object/);
  });

  it('is not read beyond 16 MB', async () => {
    verifies('gateway.openapi.documents');
    let sent = 0;
    const { answer } = shelter;
    shelter.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (sent < 50_000_000) {
          sent += 1_000_000;
          if (!response.write('x'.repeat(1_000_000))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    try {
      const id = await add();
      const [status, why] = await healthOf(id);
      assert.equal(status, 'unhealthy');
      assert.match(String(why), /longer than 16000000 bytes/);
      assert.ok(sent < 50_000_000, `${sent} bytes were read`);
    } finally {
      shelter.answer = answer;
    }
  });

  it('lists hundreds of operations, read once', async () => {
    const paths: Record<string, object> = {};
    for (let at = 0; at < 600; at += 1) paths[`/things/${at}`] = shelterDocument().paths['/pets'];
    shelter.document = JSON.stringify({ ...shelterDocument({ servers: [{ url: '/v1' }] }), paths });
    await add();
    const client = await connect();
    const names = (await client.listTools()).tools.map((it) => it.name);
    assert.equal(new Set(names).size, 1_200);
    assert.equal(shelter.documents().length, 1);
    assert.equal(textOf(await call(client, 'listPets_600', {})).includes('/v1/things/599'), true);
  });
});
