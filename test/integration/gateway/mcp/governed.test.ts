import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PreVerdict } from '../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { httpFixture } from '../../../support/mcp/httpFixture.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';
import { verifies } from '../../../support/verifies.ts';
import { TwoServers } from './twoServers.ts';

describe('the MCP surface of the gateway', () => {
  const two = new TwoServers();
  const namesOf = (answer: { json: { result?: { tools?: { name: string }[] } } }) =>
    (answer.json.result?.tools ?? []).map((it) => it.name);

  describe('shows and lets call the same', () => {
    it('a hidden tool, an unknown one and one of a hidden server are refused in the same words', async () => {
      await two.start({ tools: { 'key-1': { 'id-web': ['echo'] } } });
      assert.deepEqual(namesOf(await two.client.request('tools/list')), ['web__echo']);
      const names = ['web__test_simple_text', 'web__no_such', 'other__echo', 'nowhere__echo', 'echo'];
      for (const name of names) {
        const { status, json } = await two.client.call(name);
        assert.equal(status, 200);
        const text = `Error: The tool '${name}' is not available.`;
        assert.deepEqual(json.result, { content: [{ type: 'text', text }], isError: true });
      }
      assert.deepEqual(two.web.calls, []);
      assert.equal((await two.client.call('web__echo', { text: 'x' })).json.result?.content?.[0]?.text, 'x');
    });

    it('a tool that its server does not have is refused in the same words, and one that fails fails by itself', async () => {
      for (const tool of ['no_such', 'another']) {
        for (const again of [1, 2]) {
          const { json } = await two.client.call(`web__${tool}`);
          const text = `Error: The tool 'web__${tool}' is not available.`;
          assert.deepEqual(json.result, { content: [{ type: 'text', text }], isError: true }, String(again));
        }
      }
      const { json } = await two.client.call('web__test_error_handling');
      assert.match(json.result?.content?.[0]?.text ?? '', /intentionally returns an error/);
      assert.equal(two.web.seen.filter((it) => it.method === 'tools/list').length, 1);
    });

    it('a refusal is a failed request, which is no tool of its own and names what was asked for', async () => {
      verifies('gateway.usage.refused-tools');
      await two.start({ tools: { 'key-1': {} } });
      await two.client.call('web__echo');
      const [record] = two.gateway.records;
      assert.deepEqual([record?.endpoint, record?.status, record?.model], ['/mcp', 'failure', 'MCP: tools/call']);
      assert.deepEqual([record?.tool, record?.metadata], [undefined, { refused_tool: 'web__echo' }]);
    });

    it('a call of a tool that the server does not have counts for the server, and is no tool of its own', async () => {
      verifies('gateway.usage.refused-tools');
      await two.client.call('web__no_such');
      await two.client.call('web__test_error_handling');
      const seen = two.gateway.records.slice(-2).map((it) => [it.model, it.tool, it.metadata]);
      assert.deepEqual(seen, [
        ['MCP: tools/call', 'web', { refused_tool: 'web__no_such' }],
        ['MCP: test_error_handling', 'web/test_error_handling', undefined],
      ]);
    });

    it('on the address of one server too', async () => {
      await two.start({ tools: { 'key-1': { 'id-web': ['echo'] } } });
      assert.deepEqual(namesOf(await two.at('/web/mcp').request('tools/list')), ['echo']);
      assert.equal((await two.at('/web/mcp').call('test_simple_text')).json.result?.isError, true);
      assert.equal((await two.at('/other/mcp').request('tools/list')).status, 404);
    });

    it('parameters that nobody may give are not shown and not taken', async () => {
      await two.start({}, { allowed_params: { echo: ['text'] } });
      const listed = await two.at('/web/mcp').request('tools/list');
      const echo = listed.json.result?.tools?.find((it) => it.name === 'echo') as unknown as { inputSchema: object };
      assert.deepEqual(Object.keys((echo.inputSchema as { properties: object }).properties), ['text']);
      const { json } = await two.client.call('web__echo', { text: 'x', loud: true, soft: 1 });
      assert.equal(
        json.result?.content?.[0]?.text,
        "Error: The tool 'web__echo' does not allow these arguments: loud, soft.",
      );
      assert.deepEqual(two.web.calls, []);
    });
  });

  describe('finds its servers', () => {
    it('by alias, name or id in any case, by several names, by toolset and by access group', async () => {
      for (const path of ['/web/mcp', '/WEB/mcp', '/id-web/mcp', '/mcp/web']) {
        assert.ok(namesOf(await two.at(path).request('tools/list')).includes('echo'), path);
      }
      const several = { '/mcp/web,other': 2, '/mcp/readers': 1, '/toolset/readers/mcp': 1, '/mcp/staff': 1 };
      for (const [path, servers] of Object.entries(several)) {
        const names = namesOf(await two.at(path).request('tools/list')).filter((it) => it.endsWith('__echo'));
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
        assert.equal((await two.at(path).request('tools/list')).status, 404, path);
      }
    });

    it('within x-mcp-servers, which never widens', async () => {
      const listed = async (value: string) =>
        namesOf(await two.client.with({ 'x-mcp-servers': value }).request('tools/list')).filter((it) =>
          it.endsWith('__echo'),
        );
      assert.deepEqual(await listed('WEB'), ['web__echo']);
      assert.deepEqual(await listed('staff, nowhere'), ['other__echo']);
      assert.deepEqual(await listed('nowhere'), []);
      assert.deepEqual(await listed(''), []);
      assert.equal((await two.client.with({ 'x-mcp-servers': 'web' }).call('other__echo')).json.result?.isError, true);
      const path = two.at('/other/mcp').with({ 'x-mcp-servers': 'web' });
      assert.ok(namesOf(await path.request('tools/list')).includes('echo'));
    });
  });

  describe('asks guardrails', () => {
    const pre = (verdict: PreVerdict) => two.start({ more: { preMcpCall: () => Promise.resolve(verdict) } });
    const refusal = { guardrail_name: 'pii', error: 'blocked_pii_entity', message: 'No names here.' } as const;

    it('whose arguments and headers go to the server instead of the caller’s', async () => {
      await pre({ arguments: { text: 'masked' }, headers: { 'x-gateway-assertion': 'signed' } });
      const { json } = await two.client.call('web__echo', { text: 'secret' });
      assert.equal(json.result?.content?.[0]?.text, 'masked');
      const sent = two.web.seen.find((it) => it.method === 'tools/call');
      assert.equal(sent?.headers['x-gateway-assertion'], 'signed');
      assert.ok(!sent?.text.includes('secret'));
    });

    it('whose refusal is a result that an agent can read', async () => {
      await pre({ refusal });
      const { json } = await two.client.call('web__echo', { text: 'x' });
      assert.deepEqual(json.result, { content: [{ type: 'text', text: 'Error: No names here.' }], isError: true });
      assert.deepEqual(two.web.calls, []);
    });

    it('beside the call, and their refusal takes the place of the answer', async () => {
      await two.start({ more: { duringMcpCall: () => Promise.resolve(refusal) } });
      const { json } = await two.client.call('web__echo', { text: 'x' });
      assert.equal(json.result?.isError, true);
      assert.equal(two.gateway.records[0]?.error, 'pii: No names here.');
    });
  });

  it('asks for the price before a call, and settles it after', async () => {
    const costs: number[] = [];
    const info = { mcp_server_cost_info: { default_cost_per_query: 0.5, tool_name_to_cost_per_query: { echo: 0.25 } } };
    const admit = (_context: unknown, { cost }: { cost: number }) => {
      costs.push(cost);
      return Promise.resolve({ settle: (spend: number) => void costs.push(-spend) });
    };
    await two.start({ more: { admit } }, { mcp_info: info });
    await two.client.call('web__echo', { text: 'x' });
    assert.deepEqual(costs, [0.25, -0.25]);
    assert.equal(two.gateway.records[0]?.spend, 0.25);
  });

  it('calls no server where limits say no', async () => {
    await two.start({ more: { admit: () => Promise.reject(new Fault('forbidden', 'Budget has been exceeded.')) } });
    assert.equal((await two.client.call('web__echo', { text: 'x' })).status, 403);
    assert.deepEqual(two.web.calls, []);
    assert.equal(two.gateway.records[0]?.status, 'failure');
  });

  it('leaves a server that cannot be asked out of lists, and names it', async () => {
    await two.other.close();
    const { json } = await two.client.request('tools/list');
    assert.ok(namesOf({ json }).every((it) => it.startsWith('web__')));
    assert.deepEqual(json.result?.['_meta'], {
      'switchboard/failed_servers': ['other'],
      'switchboard/missing': ["other: The MCP server 'other' could not be reached."],
    });
    two.other = await httpFixture();
  });

  it('pages a long merged list, and every item is on one page', async () => {
    await two.start({ options: { pageSize: 5 } });
    const names: string[] = [];
    let cursor: unknown;
    do {
      const { json } = await two.client.request('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...namesOf({ json }));
      cursor = json.result?.['nextCursor'];
    } while (cursor !== undefined);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes('web__echo') && names.includes('other__echo'));
    assert.equal((await two.client.request('tools/list', { cursor: 'x' })).json.error?.code, -32602);
  });

  it('drops names that two servers of one name both use', async () => {
    const twin = { transport: 'http', alias: 'twin' } as const;
    await two.start({
      servers: [
        { server_id: 'a', url: two.web.url, ...twin },
        { server_id: 'b', url: two.other.url, ...twin },
      ],
    });
    assert.deepEqual(namesOf(await two.client.request('tools/list')), []);
    assert.equal((await two.client.call('twin__echo', { text: 'x' })).json.result?.isError, true);
    assert.ok(two.gateway.logLines.some((it) => it.includes('twin__echo')));
  });

  it('tells debug callers how their call went out, without their secrets', async () => {
    const debug = two.client.with({ 'x-gateway-mcp-debug': 'true', authorization: 'Bearer sk-0123456789abcdef' });
    const { headers } = await debug.call('web__echo', { text: 'x' });
    assert.equal(headers.get('x-mcp-debug-inbound-auth'), 'x-gateway-api-key=(none); authorization=Bearer ***cdef');
    assert.equal(headers.get('x-mcp-debug-auth-resolution'), 'no-auth');
    assert.equal(headers.get('x-mcp-debug-outbound-url'), two.web.url);
    assert.equal((await two.client.call('web__echo')).headers.get('x-mcp-debug-auth-resolution'), null);
  });

  it('passes the bytes of a tool’s result as they are', async () => {
    const direct = await new RawClient(two.web.url).initialized();
    const through = await two.at('/web/mcp').initialized();
    for (const tool of ['test_multiple_content_types', 'test_error_handling', 'test_image_content']) {
      assert.deepEqual((await through.call(tool)).json, (await direct.call(tool)).json);
    }
  });
});
