import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { McpServer, PreVerdict } from '../../../../sidecar/gateway/mcp/services.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { type TestGateway, type TestGatewayOptions, testGateway } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

describe('the MCP surface of the gateway', () => {
  let web: HttpFixture;
  let other: HttpFixture;
  let gateway: TestGateway;
  let client: RawClient;
  const gateways: TestGateway[] = [];

  async function start(more: Partial<TestGatewayOptions> = {}, registration: Partial<McpServer> = {}): Promise<void> {
    gateway = await testGateway({
      servers: [
        { server_id: 'id-web', alias: 'web', transport: 'http', url: web.url, ...registration },
        { server_id: 'id-other', alias: 'other', transport: 'http', url: other.url, mcp_access_groups: ['staff'] },
      ],
      toolsets: { readers: ['id-web'] },
      ...more,
    });
    gateways.push(gateway);
    client = new RawClient(`${gateway.base}/mcp`);
  }
  const at = (path: string) => client.at(`${gateway.base}${path}`);
  const namesOf = (answer: { json: { result?: { tools?: { name: string }[] } } }) =>
    (answer.json.result?.tools ?? []).map((it) => it.name);

  beforeEach(async () => {
    web = await httpFixture({ name: 'web', json: true });
    other = await httpFixture({ name: 'other', json: true });
    await start();
  });
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((it) => it.close()));
    await web.close();
    await other.close();
  });

  describe('shows and lets call the same', () => {
    it('a hidden tool, an unknown one and one of a hidden server are refused in the same words', async () => {
      await start({ tools: { 'key-1': { 'id-web': ['echo'] } } });
      assert.deepEqual(namesOf(await client.request('tools/list')), ['web__echo']);
      const names = ['web__test_simple_text', 'web__no_such', 'other__echo', 'nowhere__echo', 'echo'];
      for (const name of names) {
        const { status, json } = await client.call(name);
        assert.equal(status, 200);
        const text = `Error: The tool '${name}' is not available.`;
        assert.deepEqual(json.result, { content: [{ type: 'text', text }], isError: true });
      }
      assert.deepEqual(web.calls, []);
      assert.equal((await client.call('web__echo', { text: 'x' })).json.result?.content?.[0]?.text, 'x');
    });

    it('a tool that its server does not have is refused in the same words, and one that fails fails by itself', async () => {
      for (const tool of ['no_such', 'another']) {
        for (const again of [1, 2]) {
          const { json } = await client.call(`web__${tool}`);
          const text = `Error: The tool 'web__${tool}' is not available.`;
          assert.deepEqual(json.result, { content: [{ type: 'text', text }], isError: true }, String(again));
        }
      }
      const { json } = await client.call('web__test_error_handling');
      assert.match(json.result?.content?.[0]?.text ?? '', /intentionally returns an error/);
      assert.equal(web.seen.filter((it) => it.method === 'tools/list').length, 1);
    });

    it('a refusal is a failed request, which is no tool of its own and names what was asked for', async () => {
      verifies('gateway.usage.refused-tools');
      await start({ tools: { 'key-1': {} } });
      await client.call('web__echo');
      const [record] = gateway.records;
      assert.deepEqual([record?.endpoint, record?.status, record?.model], ['/mcp', 'failure', 'MCP: tools/call']);
      assert.deepEqual([record?.tool, record?.metadata], [undefined, { refused_tool: 'web__echo' }]);
    });

    it('a call of a tool that the server does not have counts for the server, and is no tool of its own', async () => {
      verifies('gateway.usage.refused-tools');
      await client.call('web__no_such');
      await client.call('web__test_error_handling');
      const seen = gateway.records.slice(-2).map((it) => [it.model, it.tool, it.metadata]);
      assert.deepEqual(seen, [
        ['MCP: tools/call', 'web', { refused_tool: 'web__no_such' }],
        ['MCP: test_error_handling', 'web/test_error_handling', undefined],
      ]);
    });

    it('on the address of one server too', async () => {
      await start({ tools: { 'key-1': { 'id-web': ['echo'] } } });
      assert.deepEqual(namesOf(await at('/web/mcp').request('tools/list')), ['echo']);
      assert.equal((await at('/web/mcp').call('test_simple_text')).json.result?.isError, true);
      assert.equal((await at('/other/mcp').request('tools/list')).status, 404);
    });

    it('parameters that nobody may give are not shown and not taken', async () => {
      await start({}, { allowed_params: { echo: ['text'] } });
      const listed = await at('/web/mcp').request('tools/list');
      const echo = listed.json.result?.tools?.find((it) => it.name === 'echo') as unknown as { inputSchema: object };
      assert.deepEqual(Object.keys((echo.inputSchema as { properties: object }).properties), ['text']);
      const { json } = await client.call('web__echo', { text: 'x', loud: true, soft: 1 });
      assert.equal(json.result?.content?.[0]?.text, "Error: The tool 'web__echo' may not be given: loud, soft.");
      assert.deepEqual(web.calls, []);
    });
  });

  describe('finds its servers', () => {
    it('by alias, name or id in any case, by several names, by toolset and by access group', async () => {
      for (const path of ['/web/mcp', '/WEB/mcp', '/id-web/mcp', '/mcp/web']) {
        assert.ok(namesOf(await at(path).request('tools/list')).includes('echo'), path);
      }
      const several = { '/mcp/web,other': 2, '/mcp/readers': 1, '/toolset/readers/mcp': 1, '/mcp/staff': 1 };
      for (const [path, servers] of Object.entries(several)) {
        const names = namesOf(await at(path).request('tools/list')).filter((it) => it.endsWith('__echo'));
        assert.equal(names.length, servers, path);
      }
    });

    it('and answers 404 for everything else', async () => {
      for (const path of [
        '/nowhere/mcp',
        '/mcp/nowhere',
        '/mcp/a,b',
        '/toolset/nowhere/mcp',
        '/mcp/..%2fweb',
        '/mcp//web',
      ]) {
        assert.equal((await at(path).request('tools/list')).status, 404, path);
      }
    });

    it('within x-mcp-servers, which never widens', async () => {
      const listed = async (value: string) =>
        namesOf(await client.with({ 'x-mcp-servers': value }).request('tools/list')).filter((it) =>
          it.endsWith('__echo'),
        );
      assert.deepEqual(await listed('WEB'), ['web__echo']);
      assert.deepEqual(await listed('staff, nowhere'), ['other__echo']);
      assert.deepEqual(await listed('nowhere'), []);
      assert.deepEqual(await listed(''), []);
      assert.equal((await client.with({ 'x-mcp-servers': 'web' }).call('other__echo')).json.result?.isError, true);
      const path = at('/other/mcp').with({ 'x-mcp-servers': 'web' });
      assert.ok(namesOf(await path.request('tools/list')).includes('echo'));
    });
  });

  describe('keeps sessions', () => {
    it('for the key and the address they were opened with, until they are ended', async () => {
      const session = await at('/web/mcp').initialized();
      assert.equal((await session.request('ping')).status, 200);
      assert.equal((await session.with({ authorization: 'Bearer key-2' }).request('ping')).status, 404);
      assert.equal((await session.at(`${gateway.base}/mcp`).request('ping')).status, 404);
      assert.equal((await session.send('DELETE')).status, 200);
      assert.equal((await session.request('ping')).status, 404);
      assert.equal((await session.send('DELETE')).status, 404);
    });

    it('with ids that nobody can make up or change', async () => {
      const session = await client.initialized();
      assert.equal((await session.request('ping')).status, 200);
      for (const id of ['', 'x', 'A'.repeat(80)]) {
        assert.equal((await client.with({ 'mcp-session-id': id }).request('ping')).status, 404, id);
      }
    });

    it('a client without one is answered as well, but hears nothing by itself', async () => {
      assert.equal((await client.call('web__echo', { text: 'x' })).json.result?.content?.[0]?.text, 'x');
      assert.equal((await client.send('GET', { accept: 'text/event-stream' })).status, 400);
    });

    it('answers and progress that are of no question go nowhere, and what is for all servers reaches those in use', async () => {
      const session = await client.initialized();
      await session.call('web__echo', { text: 'x' });
      const before = web.seen.length;
      const notes = [
        { id: 'id-other:1', result: {} },
        { id: 'made up', result: {} },
        { method: 'notifications/progress', params: { progressToken: 'id-nowhere:1', progress: 1 } },
        { method: 'notifications/initialized' },
      ];
      for (const note of notes) assert.equal((await session.post({ jsonrpc: '2.0', ...note })).status, 202);
      assert.equal(web.seen.length, before);
      await session.post({ jsonrpc: '2.0', id: 'id-web:7', result: {} });
      await session.post({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'id-web:"t"', progress: 1 },
      });
      await session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
      const seen = web.seen
        .slice(before)
        .map((it) => JSON.parse(it.text) as { id?: number; params?: { progressToken: string } });
      assert.deepEqual([seen.length, seen[0]?.id, seen[1]?.params?.progressToken], [3, 7, 't']);
      assert.deepEqual(other.seen, []);
    });

    it('that end take the sessions of their servers along', async () => {
      const session = await client.initialized();
      await session.call('web__echo', { text: 'x' });
      await session.send('DELETE');
      await until('the server was told', () => web.seen.some((it) => it.httpMethod === 'DELETE'));
    });
  });

  describe('holds the newer era to its rules', () => {
    const version = 'io.modelcontextprotocol/protocolVersion';
    const rows: readonly [
      string,
      () => Promise<{ status: number; json: { error?: { code: number } } }>,
      number,
      number,
    ][] = [
      ['a method header that is missing', () => client.modern('tools/list', {}, { 'mcp-method': '' }), 400, -32020],
      [
        'a method header of another method',
        () => client.modern('tools/list', {}, { 'mcp-method': 'tools/call' }),
        400,
        -32020,
      ],
      [
        'a name header of another tool',
        () => client.modern('tools/call', { name: 'a' }, { 'mcp-name': 'b' }),
        400,
        -32020,
      ],
      [
        'a name header with base64 that is none',
        () => client.modern('tools/call', { name: 'a' }, { 'mcp-name': '=?base64?*?=' }),
        400,
        -32020,
      ],
      [
        'a version header of another version',
        () => client.modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
        400,
        -32020,
      ],
      [
        'a header without _meta',
        () => client.request('tools/list', {}, { 'mcp-protocol-version': '2026-07-28' }),
        400,
        -32602,
      ],
      [
        '_meta without capabilities',
        () => client.request('tools/list', { _meta: { [version]: '2026-07-28' } }),
        400,
        -32602,
      ],
      ['initialize', () => client.modern('initialize'), 404, -32601],
      ['ping', () => client.modern('ping'), 404, -32601],
      ['logging/setLevel', () => client.modern('logging/setLevel'), 404, -32601],
      ['resources/subscribe', () => client.modern('resources/subscribe', { uri: 'a' }), 404, -32601],
      ['a method of nobody', () => client.modern('no/such'), 404, -32601],
    ];
    for (const [what, ask, status, code] of rows) {
      it(`${what}: ${status}, ${code}`, async () => {
        const answer = await ask();
        assert.deepEqual([answer.status, answer.json.error?.code], [status, code]);
      });
    }

    it('an unknown version: 400, -32022, with the versions that there are', async () => {
      const meta = { [version]: '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
      const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
      const { status, json } = await client.request('tools/list', { _meta: meta }, headers);
      assert.equal(status, 400);
      assert.equal(json.error?.code, -32022);
      const { requested, supported } = (json.error?.data ?? {}) as { requested?: string; supported?: string[] };
      assert.equal(requested, '2099-01-01');
      assert.ok(supported?.includes('2026-07-28'));
    });

    it('lists are private to the key', async () => {
      for (const path of ['/mcp', '/web/mcp']) {
        const { json } = await at(path).modern('tools/list');
        assert.equal(json.result?.['cacheScope'], 'private');
        assert.equal(json.result?.['resultType'], 'complete');
        assert.equal(typeof json.result?.['ttlMs'], 'number');
      }
    });

    it('the state of a question is worth nothing to another key or another tool', async () => {
      const first = await at('/web/mcp').modern('tools/call', { name: 'test_input_required', arguments: {} });
      assert.equal(first.json.result?.['resultType'], 'input_required');
      const requestState = first.json.result?.['requestState'];
      assert.notEqual(requestState, 'round-1');
      const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
      const again = { name: 'test_input_required', arguments: {}, requestState, inputResponses };
      const mine = await at('/web/mcp').modern('tools/call', again);
      assert.match(mine.json.result?.content?.[0]?.text ?? '', /round-1: hello Ada/);
      const foreign = await at('/web/mcp').with({ authorization: 'Bearer key-2' }).modern('tools/call', again);
      assert.equal(foreign.json.error?.code, -32602);
      const elsewhere = await at('/web/mcp').modern('tools/call', { ...again, name: 'test_simple_text' });
      assert.equal(elsewhere.json.error?.code, -32602);
    });
  });

  describe('takes only what is a message', () => {
    const rows: readonly [string, string, number, number][] = [
      ['no JSON', '{', 400, -32700],
      ['a number', '5', 400, -32600],
      ['no version', '{"id":1,"method":"ping"}', 400, -32600],
      ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
      ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
      [
        'lists in lists without an end',
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(64)}${']'.repeat(64)}}}`,
        400,
        -32600,
      ],
      ['an empty batch', '[]', 400, -32600],
    ];
    for (const [what, body, status, code] of rows) {
      it(`${what}: ${status}, ${code}`, async () => {
        const answer = await client.post(body);
        assert.deepEqual([answer.status, answer.json.error?.code], [status, code]);
      });
    }

    it('a body that is too large: 413', async () => {
      await start({ options: { maxBodyBytes: 1_000 } });
      assert.equal((await client.call('web__echo', { text: 'x'.repeat(2_000) })).status, 413);
    });

    it('another content type: 415', async () => {
      assert.equal((await client.post('{}', { 'content-type': 'text/plain' })).status, 415);
    });
  });

  describe('asks guardrails', () => {
    const pre = (verdict: PreVerdict) => start({ more: { preMcpCall: () => Promise.resolve(verdict) } });
    const refusal = { guardrail_name: 'pii', error: 'blocked_pii_entity', message: 'No names here.' } as const;

    it('whose arguments and headers go to the server instead of the caller’s', async () => {
      await pre({ arguments: { text: 'masked' }, headers: { 'x-gateway-assertion': 'signed' } });
      const { json } = await client.call('web__echo', { text: 'secret' });
      assert.equal(json.result?.content?.[0]?.text, 'masked');
      const sent = web.seen.find((it) => it.method === 'tools/call');
      assert.equal(sent?.headers['x-gateway-assertion'], 'signed');
      assert.ok(!sent?.text.includes('secret'));
    });

    it('whose refusal is a result that an agent can read', async () => {
      await pre({ refusal });
      const { json } = await client.call('web__echo', { text: 'x' });
      assert.deepEqual(json.result, { content: [{ type: 'text', text: 'Error: No names here.' }], isError: true });
      assert.deepEqual(web.calls, []);
    });

    it('beside the call, and their refusal takes the place of the answer', async () => {
      await start({ more: { duringMcpCall: () => Promise.resolve(refusal) } });
      const { json } = await client.call('web__echo', { text: 'x' });
      assert.equal(json.result?.isError, true);
      assert.equal(gateway.records[0]?.error, 'pii: No names here.');
    });
  });

  it('asks for the price before a call, and settles it after', async () => {
    const costs: number[] = [];
    const info = { mcp_server_cost_info: { default_cost_per_query: 0.5, tool_name_to_cost_per_query: { echo: 0.25 } } };
    const admit = (_context: unknown, { cost }: { cost: number }) => {
      costs.push(cost);
      return Promise.resolve({ settle: (spend: number) => void costs.push(-spend) });
    };
    await start({ more: { admit } }, { mcp_info: info });
    await client.call('web__echo', { text: 'x' });
    assert.deepEqual(costs, [0.25, -0.25]);
    assert.equal(gateway.records[0]?.spend, 0.25);
  });

  it('calls no server where limits say no', async () => {
    await start({ more: { admit: () => Promise.reject(new Fault('forbidden', 'Budget has been exceeded.')) } });
    assert.equal((await client.call('web__echo', { text: 'x' })).status, 403);
    assert.deepEqual(web.calls, []);
    assert.equal(gateway.records[0]?.status, 'failure');
  });

  it('leaves a server that cannot be asked out of lists, and names it', async () => {
    await other.close();
    const { json } = await client.request('tools/list');
    assert.ok(namesOf({ json }).every((it) => it.startsWith('web__')));
    assert.deepEqual(json.result?.['_meta'], { 'switchboard/failed_servers': ['other'] });
    other = await httpFixture();
  });

  it('pages a long merged list, and every item is on one page', async () => {
    await start({ options: { pageSize: 5 } });
    const names: string[] = [];
    let cursor: unknown;
    do {
      const { json } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...namesOf({ json }));
      cursor = json.result?.['nextCursor'];
    } while (cursor !== undefined);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes('web__echo') && names.includes('other__echo'));
    assert.equal((await client.request('tools/list', { cursor: 'x' })).json.error?.code, -32602);
  });

  it('drops names that two servers of one name both use', async () => {
    const twin = { transport: 'http', alias: 'twin' } as const;
    await start({
      servers: [
        { server_id: 'a', url: web.url, ...twin },
        { server_id: 'b', url: other.url, ...twin },
      ],
    });
    assert.deepEqual(namesOf(await client.request('tools/list')), []);
    assert.equal((await client.call('twin__echo', { text: 'x' })).json.result?.isError, true);
    assert.ok(gateway.logLines.some((it) => it.includes('twin__echo')));
  });

  it('tells debug callers how their call went out, without their secrets', async () => {
    const debug = client.with({ 'x-gateway-mcp-debug': 'true', authorization: 'Bearer sk-0123456789abcdef' });
    const { headers } = await debug.call('web__echo', { text: 'x' });
    assert.equal(headers.get('x-mcp-debug-inbound-auth'), 'x-gateway-api-key=(none); authorization=Bearer ***cdef');
    assert.equal(headers.get('x-mcp-debug-auth-resolution'), 'no-auth');
    assert.equal(headers.get('x-mcp-debug-outbound-url'), web.url);
    assert.equal((await client.call('web__echo')).headers.get('x-mcp-debug-auth-resolution'), null);
  });

  it('passes the bytes of a tool’s result as they are', async () => {
    const direct = await new RawClient(web.url).initialized();
    const through = await at('/web/mcp').initialized();
    for (const tool of ['test_multiple_content_types', 'test_error_handling', 'test_image_content']) {
      assert.deepEqual((await through.call(tool)).json, (await direct.call(tool)).json);
    }
  });
});
