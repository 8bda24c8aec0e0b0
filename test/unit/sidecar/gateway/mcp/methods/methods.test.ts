import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { legacyVersions, metaKeys } from '../../../../../../sidecar/protocol/gateway/mcpWire.ts';
import {
  type McpFrontSetup,
  mcpFrontUnderTest,
  messageOf,
  modernHeaders,
  modernRequest,
  request,
  result,
  type SeenMessage,
} from '../../../../../support/mcp/frontUnderTest.ts';

const modernServer = (then: NonNullable<McpFrontSetup['answer']>) => (seen: SeenMessage) =>
  seen.method === 'server/discover' ? result(seen, { supportedVersions: ['2026-07-28'] }) : then(seen);

describe('a request at an address of several servers', () => {
  const rows: readonly [string, object, readonly [string, object] | number][] = [
    ['prompts/get', { name: 'b__p__q', arguments: { x: '1' } }, ['b', { name: 'p__q', arguments: { x: '1' } }]],
    ['prompts/get', { name: 'x__p' }, -32602],
    ['prompts/get', { name: 5 }, -32602],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'b__p' }, argument: { name: 'a', value: 'v' } },
      ['b', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } }],
    ],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'x__p' } }, -32602],
    ['completion/complete', { ref: { type: 'ref/other', name: 'b__p' } }, -32602],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'b:1' } },
      ['b', { ref: { type: 'ref/resource', uri: 'b:1' } }],
    ],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'no:1' } }, -32602],
    ['resources/subscribe', { uri: 'b:1' }, ['b', { uri: 'b:1' }]],
    ['resources/unsubscribe', { uri: 'b:1' }, ['b', { uri: 'b:1' }]],
    ['tasks/get', { taskId: 't' }, -32601],
    ['notifications/initialized', {}, -32601],
    ['toString', {}, -32601],
  ];
  for (const [method, params, expected] of rows)
    it(`for ${method} with ${JSON.stringify(params)} ${typeof expected === 'number' ? `is refused with ${expected}` : 'reaches its server alone'}`, async () => {
      const gateway = mcpFrontUnderTest({
        servers: ['a', 'b'],
        answer: (seen) =>
          seen.method === 'resources/list' ? result(seen, { resources: [{ uri: `${seen.server}:1` }] }) : undefined,
      });
      const answer = await gateway.rpc('/mcp', method, params);
      const sent = gateway.seen.filter((it) => it.method === method).map((it) => [it.server, it.params]);
      if (typeof expected === 'number') assert.deepEqual([answer.error?.code, sent], [expected, []]);
      else assert.deepEqual([answer.error, sent], [undefined, [expected]]);
      if (typeof expected !== 'number')
        assert.ok(gateway.admitted.some((it) => it.server_id === 'id-b' && it.spend === 0));
    });

  it('is refused for a prompt or a resource of a server of which the caller has some tools', async () => {
    const some = { server_id: 'id-a', alias: 'a', transport: 'http', url: 'http://a/mcp' } as const;
    const gateway = mcpFrontUnderTest({
      more: { visible: () => [{ server: some, allows: () => true, isWhole: false }] },
    });
    const asked: readonly [string, string, object][] = [
      ['/mcp', 'prompts/get', { name: 'a__p' }],
      ['/a/mcp', 'prompts/get', { name: 'p' }],
      ['/mcp', 'resources/read', { uri: 'a:1' }],
      ['/a/mcp', 'resources/read', { uri: 'a:1' }],
      ['/mcp', 'completion/complete', { ref: { type: 'ref/prompt', name: 'a__p' } }],
      ['/a/mcp', 'completion/complete', { ref: { type: 'ref/prompt', name: 'p' } }],
    ];
    for (const [path, method, params] of asked)
      assert.notEqual((await gateway.rpc(path, method, params)).error, undefined, `${path} ${method}`);
    assert.deepEqual((await gateway.rpc('/a/mcp', 'resources/list')).result, { resources: [] });
    assert.equal(gateway.seen.length, 0);
  });
});

describe('a request of the modern era', () => {
  const ask = async (
    gateway: ReturnType<typeof mcpFrontUnderTest>,
    path: string,
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    key = 'key-1',
  ) => {
    const headers = modernHeaders(method, (params['name'] ?? params['uri']) as string | undefined);
    return messageOf(await gateway.post(path, modernRequest(method, params), { headers, key }));
  };

  it('is answered for its key alone, whatever its server says', async () => {
    const scopes: readonly [unknown, unknown][] = [
      ['public', 'private'],
      ['private', 'private'],
      [undefined, undefined],
    ];
    for (const [theirs, ours] of scopes) {
      const gateway = mcpFrontUnderTest({
        answer: modernServer((seen) =>
          result(seen, { contents: [], ...(theirs !== undefined && { cacheScope: theirs }) }),
        ),
      });
      const answer = await ask(gateway, '/web/mcp', 'resources/read', { uri: 'a:1' });
      assert.equal(answer.result?.['cacheScope'], ours);
    }
  });

  it('has a state that is good for the same caller, server, method and name alone', async () => {
    const gateway = mcpFrontUnderTest({
      servers: ['a', 'b'],
      answer: modernServer((seen) =>
        seen.params?.['requestState'] === undefined
          ? result(seen, { resultType: 'input_required', requestState: 'theirs', inputRequests: {} })
          : result(seen, { content: [], state: seen.params['requestState'] }),
      ),
    });
    const first = await ask(gateway, '/a/mcp', 'tools/call', { name: 'x' });
    const requestState = first.result?.['requestState'];
    assert.notEqual(requestState, 'theirs');
    const rows: readonly [string, string, object, string, boolean][] = [
      ['/a/mcp', 'tools/call', { name: 'x' }, 'key-1', true],
      ['/mcp', 'tools/call', { name: 'a__x' }, 'key-1', true],
      ['/b/mcp', 'tools/call', { name: 'x' }, 'key-1', false],
      ['/a/mcp', 'tools/call', { name: 'y' }, 'key-1', false],
      ['/a/mcp', 'prompts/get', { name: 'x' }, 'key-1', false],
      ['/a/mcp', 'tools/call', { name: 'x' }, 'key-2', false],
    ];
    for (const [path, method, params, key, isTaken] of rows) {
      const before = gateway.seen.length;
      const answer = await ask(gateway, path, method, { ...params, requestState }, key);
      const sent = gateway.seen.slice(before).filter((it) => it.method === method);
      assert.deepEqual(
        [answer.error?.code, sent.map((it) => it.params?.['requestState'])],
        isTaken ? [undefined, ['theirs']] : [-32602, []],
        `${path} ${method} ${key}`,
      );
    }
    for (const state of ['theirs', 5, ''])
      assert.equal(
        (await ask(gateway, '/a/mcp', 'tools/call', { name: 'x', requestState: state })).error?.code,
        -32602,
      );
  });

  it('for what several servers speak is answered by the eldest of them', async () => {
    const versions: readonly [string, readonly string[], number | undefined][] = [
      ['both', ['2026-07-28'], undefined],
      ['one', ['2025-11-25'], -32022],
    ];
    for (const [, ofB, code] of versions) {
      const gateway = mcpFrontUnderTest({
        servers: ['a', 'b'],
        answer: (seen) =>
          seen.method === 'server/discover'
            ? result(seen, { supportedVersions: seen.server === 'b' ? ofB : ['2026-07-28'] })
            : undefined,
      });
      const answer = await ask(gateway, '/mcp', 'server/discover');
      assert.equal(answer.error?.code, code);
      if (code === undefined) assert.equal(answer.result?.['cacheScope'], 'private');
    }
    const away = mcpFrontUnderTest({
      servers: ['a', 'b'],
      answer: (seen) => (seen.server === 'b' ? { status: 500 } : result(seen, { supportedVersions: ['2026-07-28'] })),
    });
    assert.deepEqual((await ask(away, '/mcp', 'server/discover')).result?.['supportedVersions'], ['2026-07-28']);
  });

  it('names the same versions in server/discover and in the error for an unknown version', async () => {
    const rows: readonly [string, readonly (readonly string[])[], readonly string[]][] = [
      ['/a/mcp', [['2099-01-01', '2026-07-28', '2025-11-25']], ['2026-07-28', '2025-11-25']],
      ['/mcp', [['2026-07-28', '2025-11-25'], ['2026-07-28']], ['2026-07-28']],
      ['/a/mcp', [['2025-11-25']], legacyVersions],
      ['/mcp', [['2026-07-28'], ['2025-06-18']], legacyVersions],
    ];
    for (const [path, listed, expected] of rows) {
      const gateway = mcpFrontUnderTest({
        servers: ['a', 'b'].slice(0, listed.length),
        answer: (seen) =>
          seen.method === 'server/discover'
            ? result(seen, { supportedVersions: listed[seen.server === 'a' ? 0 : 1] })
            : undefined,
      });
      const discovered = await ask(gateway, path, 'server/discover');
      const ofDiscover = discovered.result?.['supportedVersions'] ?? supportedIn(discovered);
      const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
      const _meta = { [metaKeys.protocolVersion]: '2099-01-01', [metaKeys.clientCapabilities]: {} };
      const refused = await messageOf(await gateway.post(path, request('tools/list', { _meta }), { headers }));
      assert.equal(refused.error?.code, -32022);
      assert.deepEqual([ofDiscover, supportedIn(refused)], [expected, expected], path);
    }
  });
});

const supportedIn = ({ error }: Awaited<ReturnType<typeof messageOf>>): unknown =>
  (error?.data as { readonly supported?: unknown } | undefined)?.supported;
