import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Guardrail } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import { speakAll, speakMcp } from '../../../support/gateway/backendAnswers.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { openSse } from '../../../support/mcp/sseClient.ts';
import { verifies } from '../../../support/verifies.ts';

const guardrails = [
  { guardrail_name: 'pii', gateway_params: { guardrail: 'pii_redaction', mode: 'pre_mcp_call', default_on: true } },
  {
    guardrail_name: 'schema',
    gateway_params: { guardrail: 'argument_schema', mode: 'pre_mcp_call', default_on: true },
  },
].map((it) => Guardrail.parse(it));
const tools = ['read_issue', 'delete_repo'].map((name) => ({ name, inputSchema: { type: 'object' } }));

/** A message in which one reader finds a call that is allowed, and another one that is not. `NAME:` stands before a tool's name. */
const attacks: readonly (readonly [says: string, text: string, code: number, words: string])[] = [
  [
    'a second tool name in capitals',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:read_issue","Name":"NAME:delete_repo","arguments":{"repo":"prod"}}}',
    -32602,
    "Invalid params: some JSON readers interpret the member 'params.Name' as 'name'",
  ],
  [
    'second arguments in capitals',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:read_issue","arguments":{"repo":"a"},"Arguments":{"repo":"bob@example.com 4111 1111 1111 1111","not_allowed":"x"}}}',
    -32602,
    "Invalid params: some JSON readers interpret the member 'params.Arguments' as 'arguments'",
  ],
  [
    'a second method in capitals',
    '{"jsonrpc":"2.0","id":7,"method":"foo/bar","Method":"tools/call","params":{"name":"NAME:delete_repo","arguments":{"repo":"prod"}}}',
    -32600,
    "Invalid request: some JSON readers interpret the member 'Method' as 'method'",
  ],
  [
    'a second tool name with a long s in params',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:read_issue"},"param\\u017f":{"name":"NAME:delete_repo"}}',
    -32600,
    "Invalid request: some JSON readers interpret the member 'param\\u017f' as 'params'",
  ],
  [
    'a name that ends at a NUL',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:read_issue","name\\u0000":"NAME:delete_repo"}}',
    -32602,
    "Invalid params: some JSON readers interpret the member 'params.name\\u0000' as 'name'",
  ],
  [
    'a tool name twice',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:delete_repo","name":"NAME:read_issue"}}',
    -32600,
    "Invalid request: the member 'params.name' appears more than once",
  ],
  [
    'an argument twice, within',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"NAME:read_issue","arguments":{"repo":{"a":1,"a":2}}}}',
    -32600,
    "Invalid request: the member 'params.arguments.repo.a' appears more than once",
  ],
];

/** A call that is let through, by whoever reads it. */
const honest =
  '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"NAME:read_issue","arguments":{"repo":"a"}}}';

describe('a message that readers understand differently (CVE-2026-27896, GHSA-q382-vc8q-7jhj, GHSA-4gph-2hhr-5mwg)', () => {
  verifies(
    'security.CVE-2026-27896',
    'security.GHSA-q382-vc8q-7jhj',
    'security.GHSA-4gph-2hhr-5mwg',
    'gateway.messages.repeats',
    'gateway.messages.twins',
  );
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ guardrails: () => guardrails });
    stand.backend.answer = (heard, response) =>
      heard.path.startsWith('/mcp') ? speakMcp(heard, response, tools) : speakAll(heard, response);
    await stand.addServer({
      server_id: 'git-id',
      alias: 'git',
      url: `${stand.backend.url}/mcp`,
      allowed_params: { read_issue: ['repo'] },
    });
    key = await stand.addKey({
      object_permission: { mcp_servers: ['git-id'], mcp_tool_permissions: { 'git-id': ['read_issue'] } },
    });
  });
  after(() => stand.close());
  beforeEach(() => {
    stand.backend.heard.splice(0);
  });

  const calls = () => stand.backend.heard.filter((it) => it.body.includes('tools/call'));
  /** What the log has to say in the end, in any order. */
  const expected: (readonly [status: string, code: string | null, error: string | null])[] = [];
  const refused = (code: number, error: string) => expected.push(['failure', `${code}`, error]);
  const went = () => expected.push(['success', null, null]);

  for (const [path, prefix] of [
    ['/git/mcp', ''],
    ['/mcp', 'git__'],
  ] as const) {
    for (const hasSession of [false, true]) {
      const where = `at ${path} ${hasSession ? 'with' : 'without'} a session`;
      for (const [says, text, code, words] of attacks) {
        it(`is refused ${where}, alone and in a batch: ${says}`, async () => {
          const client = hasSession ? await stand.mcp(path, key).initialized() : stand.mcp(path, key);
          if (hasSession) went();
          const message = text.replaceAll('NAME:', prefix);
          const alone = await client.post(message);
          assert.deepEqual([alone.status, alone.json.error], [400, { code, message: words }]);
          refused(code, words);
          assert.deepEqual(calls(), []);

          const batch = await client.post(`[${message},${honest.replaceAll('NAME:', prefix)}]`);
          if (words.endsWith('more than once')) {
            // Where readers differ on the text itself, they differ on every message in it.
            const inBatch = words.replace("'params", "'0.params");
            assert.deepEqual([batch.status, batch.json.error], [400, { code, message: inBatch }]);
            refused(code, inBatch);
            assert.deepEqual(calls(), []);
            return;
          }
          const answers = batch.json as unknown as { id: unknown; error?: object; result?: object }[];
          assert.deepEqual(answers[0], { jsonrpc: '2.0', id: 7, error: { code, message: words } });
          assert.ok(answers[1]?.result);
          refused(code, words);
          went();
          const [sent, ...others] = calls().map((it) => it.body.toString());
          assert.deepEqual(others, []);
          assert.doesNotMatch(sent ?? '', /delete_repo|bob@example|not_allowed/);
        });
      }
    }
  }

  for (const [says, text, code, words] of attacks) {
    it(`is refused over the transport of 2024-11-05: ${says}`, async () => {
      const sse = await openSse(stand.base, key);
      try {
        const body = text.replaceAll('NAME:', 'git__');
        const answer = await stand.as(key, sse.address, { method: 'POST', body });
        assert.equal(answer.status, 400);
        assert.deepEqual(((await answer.json()) as { error: unknown }).error, { code, message: words });
        refused(code, words);
        assert.deepEqual(calls(), []);
      } finally {
        await sse.close();
      }
    });
  }

  for (const [says, body, words] of [
    [
      'a tool name twice',
      '{"name":"git__delete_repo","name":"git__read_issue"}',
      "body: the member 'name' appears more than once",
    ],
    [
      'arguments in capitals',
      '{"name":"git__read_issue","arguments":{},"Arguments":{"repo":"x"}}',
      "body: some JSON readers interpret the member 'Arguments' as 'arguments'",
    ],
  ] as const) {
    it(`is refused with 400 by REST: ${says}`, async () => {
      const answer = await stand.as(key, '/mcp-rest/tools/call', { method: 'POST', body });
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: { message: string } }).error.message, words);
      expected.push(['failure', 'invalid_params', words]);
      assert.deepEqual(calls(), []);
    });
  }

  for (const [says, text, words] of [
    [
      'a second result in capitals',
      '{"jsonrpc":"2.0","id":1,"result":{"action":"decline"},"Result":{"action":"accept"}}',
      "Invalid request: some JSON readers interpret the member 'Result' as 'result'",
    ],
    [
      'a member of the result twice',
      '{"jsonrpc":"2.0","id":1,"result":{"action":"decline","action":"accept"}}',
      "Invalid request: the member 'result.action' appears more than once",
    ],
    [
      'a method in capitals in a notification',
      '{"jsonrpc":"2.0","method":"notifications/initialized","Method":"tools/call"}',
      "Invalid request: some JSON readers interpret the member 'Method' as 'method'",
    ],
  ] as const) {
    it(`is refused as an answer or notification of a client, and reaches no server: ${says}`, async () => {
      const client = await stand.mcp('/git/mcp', key).initialized();
      went();
      stand.backend.heard.splice(0);
      const answer = await client.post(text);
      assert.deepEqual([answer.status, answer.json.error], [400, { code: -32600, message: words }]);
      refused(-32600, words);
      assert.deepEqual(stand.backend.heard, []);
    });
  }

  it('leaves a record of each refusal, as of each call', async () => {
    verifies('gateway.messages.refusals-logged');
    const records = await stand.records(expected.length);
    const found = records.map(({ status, error_code, error }) => [status, error_code, error]);
    const sorted = (rows: readonly unknown[]) => rows.map((it) => JSON.stringify(it)).toSorted();
    assert.deepEqual(sorted(found), sorted(expected));
  });
});

describe('a method that is not of MCP', () => {
  verifies('gateway.messages.methods');
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({
      mcpMethods: { 'acme/search': { params: ['query'] }, 'notifications/acme/seen': { params: [] } },
    });
    stand.backend.answer = (heard, response) => {
      if (heard.body.includes('acme/search')) {
        const { id } = JSON.parse(heard.body.toString()) as { id: unknown };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
      } else speakAll(heard, response);
    };
    await stand.addServer({ alias: 'git', url: `${stand.backend.url}/mcp` });
    key = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const heard = (method: string) => stand.backend.heard.filter((it) => it.body.includes(`"${method}"`)).length;

  for (const method of ['acme/delete', 'Tools/Call', 'tools/call ', 'notifications/initialized', '__proto__', 'x'])
    it(`reaches no server as a request, and is answered with -32601: ${JSON.stringify(method)}`, async () => {
      for (const path of ['/git/mcp', '/mcp']) {
        const { json } = await stand.mcp(path, key).request(method, { name: 'echo' });
        assert.deepEqual(json.error, { code: -32601, message: 'Method not found' });
      }
      const session = await stand.mcp('/git/mcp', key).initialized();
      stand.backend.heard.splice(0);
      assert.equal((await session.request(method)).json.error?.code, -32601);
      assert.equal(heard(method), 0);
    });

  it('reaches its server where the operator lists it, with the rule for names', async () => {
    const client = stand.mcp('/git/mcp', key);
    assert.deepEqual((await client.request('acme/search', { query: 'q' })).json.result, {});
    assert.equal((await client.request('acme/search', { Query: 'q' })).json.error?.code, -32602);
    assert.equal((await stand.mcp('/mcp', key).request('acme/search', { query: 'q' })).json.error?.code, -32601);
    assert.equal(heard('acme/search'), 1);
  });

  it('reaches no server as a notification, unless the operator lists it', async () => {
    const session = await stand.mcp('/git/mcp', key).initialized();
    const note = (method: string) => session.post({ jsonrpc: '2.0', method });
    assert.equal((await note('notifications/acme/seen')).status, 202);
    assert.equal((await note('notifications/acme/deleted')).status, 202);
    assert.equal((await note('tools/call')).status, 202);
    assert.deepEqual(
      ['notifications/acme/seen', 'notifications/acme/deleted', 'tools/call'].map((it) => heard(it)),
      [1, 0, 0],
    );
  });
});
