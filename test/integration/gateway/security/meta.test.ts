import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { speakAll } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { openSse } from '../../../support/mcp/sseClient.ts';
import { verifies } from '../../../support/verifies.ts';

type Meta = Readonly<Record<string, unknown>>;

const members = (count: number): Meta => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

const inOrder: Readonly<Record<string, Meta>> = {
  'nothing at all': {},
  'a progress token': { progressToken: 'p1' },
  'sixteen members': members(16),
  'two levels': { trace: { id: 1 } },
  'four kilobytes': { a: 'x'.repeat(4_096 - '{"a":""}'.length) },
  'whatever MCP itself puts there': {
    'io.modelcontextprotocol/related-task': { taskId: 't1', more: nested(20) },
    'io.modelcontextprotocol/large': 'x'.repeat(50_000),
    ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`io.modelcontextprotocol/m${at}`, at])),
  },
};
const tooMuch: readonly (readonly [says: string, meta: Meta, problem: string])[] = [
  ['seventeen members', members(17), '_meta has more than 16 members'],
  ['a byte more', { a: 'x'.repeat(4_097 - '{"a":""}'.length) }, '_meta is larger than 4096 bytes'],
  ['bytes that are fewer characters', { a: '€'.repeat(1_400) }, '_meta is larger than 4096 bytes'],
  ['a large progress token', { progressToken: 'x'.repeat(5_000) }, '_meta is larger than 4096 bytes'],
  ['three levels', { a: { b: [1] } }, '_meta is nested more than 2 levels deep'],
  [
    'a name that only looks like one of MCP',
    { 'x-io.modelcontextprotocol/a': nested(3) },
    '_meta is nested more than 2 levels deep',
  ],
];

/** What a caller hangs on its messages, and how deep they are. */
describe('the size of what a caller says beside its call (deep JSON)', () => {
  verifies('security.deep-json');
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand();
    for (const alias of ['echo', 'other']) await stand.addServer({ alias, url: `${stand.backend.url}/mcp/${alias}` });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => {
    stand.backend.heard.splice(0);
    stand.backend.answer = speakAll;
  });

  const callsHeard = () => stand.calls().filter((it) => it.body.includes('"tools/call"'));
  const call = (path: string, name: string, _meta: Meta) =>
    stand.mcp(path, key).request('tools/call', { name, arguments: { a: 1 }, _meta });

  for (const [says, meta] of Object.entries(inOrder)) {
    it(`lets ${says} through, as it is`, async () => {
      for (const [path, name] of [
        ['/echo/mcp', 'echo'],
        ['/mcp', 'echo__echo'],
      ] as const) {
        assert.equal((await call(path, name, meta)).json.error, undefined);
      }
      const sent = callsHeard().map(
        (it) => (JSON.parse(it.body.toString()) as { params: { _meta: Meta } }).params._meta,
      );
      assert.equal(sent.length, 2);
      // A shared connection gives progress tokens of its own.
      for (const it of sent) assert.deepEqual({ ...it, progressToken: 0 }, { ...meta, progressToken: 0 });
    });
  }

  for (const [says, meta, problem] of tooMuch) {
    it(`refuses ${says} on every way in, and no server hears of it`, async () => {
      const error = { code: -32602, message: `Invalid params: ${problem}` };
      assert.deepEqual((await call('/echo/mcp', 'echo', meta)).json.error, error);
      assert.deepEqual((await call('/mcp', 'echo__echo', meta)).json.error, error);
      const list = await stand.mcp('/mcp', key).request('tools/list', { _meta: meta });
      assert.deepEqual(list.json.error, error);
      const standard = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
      const params = { name: 'echo', _meta: { ...standard, ...meta } };
      const modern = await stand.mcp('/echo/mcp', key).request('tools/call', params, headers);
      assert.deepEqual([modern.status, modern.json.error], [400, error]);
      assert.deepEqual(callsHeard(), []);
    });
  }

  it('drops a notification with too much, and passes on the next', async () => {
    const session = await stand.mcp('/echo/mcp', key).initialized();
    const note = (_meta: Meta) =>
      session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed', params: { _meta } });
    assert.equal((await note(members(17))).status, 202);
    assert.equal((await note({ a: 1 })).status, 202);
    const heard = stand.calls().filter((it) => it.body.includes('roots/list_changed'));
    assert.deepEqual(
      heard.map((it) => (JSON.parse(it.body.toString()) as { params: unknown }).params),
      [{ _meta: { a: 1 } }],
    );
  });

  for (const [says, levels, isFine] of [
    ['as deep as anybody needs', 60, true],
    ['deeper than that', 70, false],
  ] as const) {
    it(`${isFine ? 'takes' : 'refuses'} arguments ${says}, over each transport and REST`, async () => {
      const args = { a: nested(levels) };
      const status = async (path: string, body: object) =>
        (await stand.as(key, path, { method: 'POST', body: JSON.stringify(body) })).status;
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo__echo', arguments: args } };
      assert.equal(await status('/mcp', message), isFine ? 200 : 400);
      assert.equal(await status('/mcp-rest/tools/call', { name: 'echo__echo', arguments: args }), isFine ? 200 : 400);
      const sse = await openSse(stand.base, key);
      try {
        assert.equal(await status(sse.address, message), isFine ? 202 : 400);
        if (isFine) await sse.next();
      } finally {
        await sse.close();
      }
      assert.equal(callsHeard().length, isFine ? 3 : 0);
    });
  }
});
