import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { until } from '../../../support/until.ts';
import { TwoServers } from './twoServers.ts';

describe('the MCP surface of the gateway', () => {
  const two = new TwoServers();

  describe('keeps sessions', () => {
    it('for the key and the address they were opened with, until they are ended', async () => {
      const session = await two.at('/web/mcp').initialized();
      assert.equal((await session.request('ping')).status, 200);
      assert.equal((await session.with({ authorization: 'Bearer key-2' }).request('ping')).status, 404);
      assert.equal((await session.at(`${two.gateway.base}/mcp`).request('ping')).status, 404);
      assert.equal((await session.send('DELETE')).status, 200);
      assert.equal((await session.request('ping')).status, 404);
      assert.equal((await session.send('DELETE')).status, 404);
    });

    it('with ids that nobody can make up or change', async () => {
      const session = await two.client.initialized();
      assert.equal((await session.request('ping')).status, 200);
      for (const id of ['', 'x', 'A'.repeat(80)]) {
        assert.equal((await two.client.with({ 'mcp-session-id': id }).request('ping')).status, 404, id);
      }
    });

    it('a client without one is answered as well, but hears nothing by itself', async () => {
      assert.equal((await two.client.call('web__echo', { text: 'x' })).json.result?.content?.[0]?.text, 'x');
      assert.equal((await two.client.send('GET', { accept: 'text/event-stream' })).status, 400);
    });

    it('answers and progress that are of no question go nowhere, and what is for all servers reaches those in use', async () => {
      const session = await two.client.initialized();
      await session.call('web__echo', { text: 'x' });
      const before = two.web.seen.length;
      const notes = [
        { id: 'id-other:1', result: {} },
        { id: 'made up', result: {} },
        { method: 'notifications/progress', params: { progressToken: 'id-nowhere:1', progress: 1 } },
        { method: 'notifications/initialized' },
      ];
      for (const note of notes) assert.equal((await session.post({ jsonrpc: '2.0', ...note })).status, 202);
      assert.equal(two.web.seen.length, before);
      await session.post({ jsonrpc: '2.0', id: 'id-web:7', result: {} });
      await session.post({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'id-web:"t"', progress: 1 },
      });
      await session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
      const seen = two.web.seen
        .slice(before)
        .map((it) => JSON.parse(it.text) as { id?: number; params?: { progressToken: string } });
      assert.deepEqual([seen.length, seen[0]?.id, seen[1]?.params?.progressToken], [3, 7, 't']);
      assert.deepEqual(two.other.seen, []);
    });

    it('that end take the sessions of their servers along', async () => {
      const session = await two.client.initialized();
      await session.call('web__echo', { text: 'x' });
      await session.send('DELETE');
      await until('the server was told', () => two.web.seen.some((it) => it.httpMethod === 'DELETE'));
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
      ['a method header that is missing', () => two.client.modern('tools/list', {}, { 'mcp-method': '' }), 400, -32020],
      [
        'a method header of another method',
        () => two.client.modern('tools/list', {}, { 'mcp-method': 'tools/call' }),
        400,
        -32020,
      ],
      [
        'a name header of another tool',
        () => two.client.modern('tools/call', { name: 'a' }, { 'mcp-name': 'b' }),
        400,
        -32020,
      ],
      [
        'a name header with base64 that is none',
        () => two.client.modern('tools/call', { name: 'a' }, { 'mcp-name': '=?base64?*?=' }),
        400,
        -32020,
      ],
      [
        'a version header of another version',
        () => two.client.modern('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
        400,
        -32020,
      ],
      [
        'a header without _meta',
        () => two.client.request('tools/list', {}, { 'mcp-protocol-version': '2026-07-28' }),
        400,
        -32602,
      ],
      [
        '_meta without capabilities',
        () => two.client.request('tools/list', { _meta: { [version]: '2026-07-28' } }),
        400,
        -32602,
      ],
      ['initialize', () => two.client.modern('initialize'), 404, -32601],
      ['ping', () => two.client.modern('ping'), 404, -32601],
      ['logging/setLevel', () => two.client.modern('logging/setLevel'), 404, -32601],
      ['resources/subscribe', () => two.client.modern('resources/subscribe', { uri: 'a' }), 404, -32601],
      ['a method of nobody', () => two.client.modern('no/such'), 404, -32601],
    ];
    for (const [what, ask, status, code] of rows) {
      it(`${what}: ${status}, ${code}`, async () => {
        const answer = await ask();
        assert.deepEqual([answer.status, answer.json.error?.code], [status, code]);
      });
    }

    it('an unknown version: 400, -32022, with the versions that server/discover lists', async () => {
      const meta = { [version]: '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
      const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
      const { status, json } = await two.client.request('tools/list', { _meta: meta }, headers);
      assert.equal(status, 400);
      assert.equal(json.error?.code, -32022);
      const { requested, supported } = (json.error?.data ?? {}) as { requested?: string; supported?: string[] };
      assert.equal(requested, '2099-01-01');
      const { json: found } = await two.client.modern('server/discover');
      assert.deepEqual(supported, found.result?.['supportedVersions']);
      assert.deepEqual(supported, ['2026-07-28']);
    });

    it('lists are private to the key', async () => {
      for (const path of ['/mcp', '/web/mcp']) {
        const { json } = await two.at(path).modern('tools/list');
        assert.equal(json.result?.['cacheScope'], 'private');
        assert.equal(json.result?.['resultType'], 'complete');
        assert.equal(typeof json.result?.['ttlMs'], 'number');
      }
    });

    it('the state of a question is worth nothing to another key or another tool', async () => {
      const first = await two.at('/web/mcp').modern('tools/call', { name: 'test_input_required', arguments: {} });
      assert.equal(first.json.result?.['resultType'], 'input_required');
      const requestState = first.json.result?.['requestState'];
      assert.notEqual(requestState, 'round-1');
      const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } };
      const again = { name: 'test_input_required', arguments: {}, requestState, inputResponses };
      const mine = await two.at('/web/mcp').modern('tools/call', again);
      assert.match(mine.json.result?.content?.[0]?.text ?? '', /round-1: hello Ada/);
      const foreign = await two.at('/web/mcp').with({ authorization: 'Bearer key-2' }).modern('tools/call', again);
      assert.equal(foreign.json.error?.code, -32602);
      const elsewhere = await two.at('/web/mcp').modern('tools/call', { ...again, name: 'test_simple_text' });
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
        const answer = await two.client.post(body);
        assert.deepEqual([answer.status, answer.json.error?.code], [status, code]);
      });
    }

    it('a body that is too large: 413', async () => {
      await two.start({ options: { maxBodyBytes: 1_000 } });
      assert.equal((await two.client.call('web__echo', { text: 'x'.repeat(2_000) })).status, 413);
    });

    it('another content type: 415', async () => {
      assert.equal((await two.client.post('{}', { 'content-type': 'text/plain' })).status, 415);
    });
  });
});
