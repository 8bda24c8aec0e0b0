import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import type { SpendLog } from '../../../../sidecar/protocol/gateway/activity.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { speakAll, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { type Answer, bearer, messageBody, rpcBody, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

/** Looks like a credential that a careless server puts into its messages. */
const leaked = 'sk-0123456789abcdefghijklmnopqrstuv';

/** A server, an agent and a service that fail where they are asked to, by the end of the path. */
function fail(heard: Heard, response: ServerResponse): void {
  const said = heard.body.toString();
  const isHello = said.includes('"initialize"') || said.includes('notifications/');
  if (heard.path.endsWith('/broken') && !isHello) return void response.writeHead(500).end(leaked);
  if (heard.path.endsWith('/refusing') && !isHello) {
    const { id } = JSON.parse(said) as { id: unknown };
    const error = { code: -32001, message: leaked };
    return void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }
  if (heard.path.endsWith('/gone')) return void response.writeHead(410).end('{}');
  speakAll(heard, response);
}

interface Row {
  readonly what: string;
  readonly path: string;
  readonly body?: object;
  readonly key?: Partial<KeyRecord>;
  readonly code: string;
}
const agentCall = messageBody();
const rows: readonly Row[] = [
  { what: 'an MCP server that fails', path: '/broken/mcp', body: toolCall('echo'), code: 'status' },
  { what: 'an MCP server that answers with an error', path: '/refusing/mcp', body: toolCall('echo'), code: '-32001' },
  { what: 'a tool that is not there', path: '/mcp', body: toolCall('nowhere__echo'), code: 'forbidden' },
  { what: 'a method that is not there', path: '/mcp', body: rpcBody('no/such'), code: '-32601' },
  {
    what: 'an MCP budget',
    path: '/mcp',
    body: toolCall('fine__echo'),
    key: { max_budget: 0 },
    code: 'budget_exceeded',
  },
  { what: 'a REST tool that fails', path: '/mcp-rest/tools/call', body: { name: 'broken__echo' }, code: 'status' },
  { what: 'a REST tool that is not there', path: '/mcp-rest/tools/call', body: { name: 'x' }, code: 'forbidden' },
  { what: 'a REST limit', path: '/mcp-rest/tools/list', key: { rpm_limit: 0 }, code: 'rate_limited' },
  { what: 'REST lists that all fail', path: '/mcp-rest/tools/list?server_id=broken', code: 'server_error' },
  { what: 'an agent that fails', path: '/a2a/broken', body: agentCall, code: 'status' },
  { what: 'an agent that answers with an error', path: '/a2a/refusing', body: agentCall, code: '-32001' },
  { what: 'an agent that is not there', path: '/a2a/nobody', body: agentCall, code: '-32000' },
  {
    what: 'an agent that is forbidden',
    path: '/a2a/refusing',
    body: agentCall,
    key: { object_permission: { agents: [] } },
    code: 'forbidden',
  },
  { what: 'an A2A limit', path: '/a2a/refusing', body: agentCall, key: { rpm_limit: 0 }, code: 'rate_limited' },
  { what: 'a cloud-agents error', path: '/cloudagents/v0/gone', code: '410' },
  { what: 'a cloud-agents limit', path: '/cloudagents/v0/me', key: { rpm_limit: 0 }, code: 'rate_limited' },
  { what: 'a cloud-agents budget', path: '/cloudagents/v0/me', key: { max_budget: 0 }, code: 'budget_exceeded' },
  { what: 'a route that the key may not use', path: '/mcp', key: { allowed_routes: ['/sse'] }, code: 'forbidden' },
];

/** Failed calls are on record with an error block, which filters of the logs can name. */
describe('the records of failed calls', () => {
  let stand: Stand;
  const lines = new Map<string, SpendLog>();

  before(async () => {
    stand = await openStand({ tools: twoTools });
    stand.backend.answer = fail;
    for (const alias of ['broken', 'refusing', 'fine']) await stand.register({ alias, server_id: alias });
    for (const name of ['broken', 'refusing']) await stand.registerAgent(name);
    const answers = new Map<string, Answer>();
    for (const { what, path, body, key } of rows)
      answers.set(what, await stand.ask(path, bearer(await stand.addKey(key)), body));
    for (const [what, answer] of answers) lines.set(what, await stand.recordOf(answer));
  });
  after(() => stand.close());

  for (const { what, code } of rows) {
    it(`say ${code} of ${what}, in a code and in words without secrets`, () => {
      const line = lines.get(what);
      assert.deepEqual([line?.status, line?.error_code, line?.spend], ['failure', code, 0], line?.error ?? '');
      assert.ok(line?.error && !line.error.includes(leaked), line?.error ?? 'no error');
    });
  }

  it('are found by their code, and those of calls that went well have none', async () => {
    const fine = await stand.ask('/mcp', bearer(await stand.addKey()), toolCall('fine__echo'));
    const { status, error, error_code } = await stand.recordOf(fine);
    assert.deepEqual([status, error, error_code], ['success', null, null]);
    const found = await stand.manage('GET', '/spend/logs/v2?error_code=rate_limited');
    assert.equal(found['total'], rows.filter((it) => it.code === 'rate_limited').length);
  });
});
