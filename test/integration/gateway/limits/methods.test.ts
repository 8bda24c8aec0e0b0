import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'mocha';
import type { Heard } from '../../../support/backends/echoBackend.ts';
import { speakMcp, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

const uri = 'file:///notes';
const results: Readonly<Record<string, object>> = {
  'prompts/list': { prompts: [{ name: 'greet' }] },
  'prompts/get': { messages: [] },
  'resources/list': { resources: [{ uri, name: 'notes' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [{ uri, text: 'n' }] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'completion/complete': { completion: { values: [] } },
  'logging/setLevel': {},
};

/** One server with everything that the protocol has. */
function speakEverything(heard: Heard, response: ServerResponse): void {
  const { id, method = '' } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
  const result = results[method];
  if (!result) return speakMcp(heard, response);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

/** Every method that a server is asked or that lists; the name is that of the single-server route. */
const methods: readonly (readonly [method: string, params: object, onAggregate?: object])[] = [
  ['tools/list', {}],
  ['tools/call', { name: 'echo', arguments: {} }, { name: 'one__echo', arguments: {} }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'greet' }, { name: 'one__greet' }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri }],
  ['resources/subscribe', { uri }],
  ['resources/unsubscribe', { uri }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } },
    { ref: { type: 'ref/prompt', name: 'one__greet' }, argument: { name: 'a', value: '' } },
  ],
  ['logging/setLevel', { level: 'info' }],
];
const asked: readonly (readonly [path: string, method: string, body?: object])[] = [
  ...methods.map(([method, params]) => ['/one/mcp', method, rpcBody(method, params)] as const),
  ...methods.map(([method, params, onAggregate]) => ['/mcp', method, rpcBody(method, onAggregate ?? params)] as const),
  ['/mcp-rest/tools/list', 'GET'],
  ['/v1/mcp/tools', 'GET'],
  ['/mcp-rest/tools/call', 'POST', { name: 'one__echo' }],
];
interface Answers {
  readonly first: Answer;
  readonly second: Answer;
  readonly broke: Answer;
}

/** Limits hold for every method that reaches a server or lists. */
describe('budgets and limits of MCP callers', () => {
  let stand: Stand;
  before(async () => {
    stand = await openStand({ clock: new StandingClock('2026-03-04T10:00:00.000Z'), tools: twoTools });
    stand.backend.answer = speakEverything;
    await stand.register({ alias: 'one' });
    await stand.register({ alias: 'two' });
  });
  after(() => stand.close());

  const errorOf = ({ json }: Answer) => (json as { error?: { type?: string; code?: unknown } }).error;
  async function refusedWith(answer: Answer, type: string, error_code: string): Promise<void> {
    assert.deepEqual([answer.status, errorOf(answer)?.type, errorOf(answer)?.code], [429, type, '429'], answer.text);
    const line = await stand.recordOf(answer);
    assert.deepEqual([line.status, line.error_code, line.spend], ['failure', error_code, 0]);
    assert.equal(line.error, (errorOf(answer) as { message?: string }).message);
  }

  /** All are asked together, so that their records are written together. */
  let all: Promise<ReadonlyMap<string, Answers>> | undefined;
  async function askAll(): Promise<ReadonlyMap<string, Answers>> {
    const answers = new Map<string, Answers>();
    for (const [path, method, body] of asked) {
      const key = bearer(await stand.addKey({ rpm_limit: 1 }));
      const poor = bearer(await stand.addKey({ max_budget: 0 }));
      const first = await stand.ask(path, key, body);
      const second = await stand.ask(path, key, body);
      answers.set(`${method} ${path}`, { first, second, broke: await stand.ask(path, poor, body) });
    }
    return answers;
  }
  async function answered(method: string, path: string): Promise<Answers> {
    all ??= askAll();
    const found = (await all).get(`${method} ${path}`);
    assert.ok(found);
    return found;
  }

  for (const [path, method, body] of asked) {
    it(`count ${method} at ${path} once, and refuse the next one with 429 and one record each`, async () => {
      const { first, second } = await answered(method, path);
      assert.deepEqual([first.status, errorOf(first) ?? undefined], [200, undefined], first.text);
      assert.equal((await stand.recordOf(first)).status, 'success');
      await refusedWith(second, 'throttling_error', 'rate_limited');
      assert.equal(second.headers.get('retry-after'), '60');
    });

    it(`refuse ${method} at ${path} when the budget is spent, before a server hears of it`, async () => {
      const { broke } = await answered(method, path);
      await refusedWith(broke, 'budget_exceeded', 'budget_exceeded');
      const heard = stand.backend.heard.length;
      const key = bearer(await stand.addKey({ max_budget: 0 }));
      assert.equal((await stand.ask(path, key, body)).status, 429);
      assert.equal(stand.backend.heard.length, heard);
    });
  }

  it('let a client shake hands and find out what is here also when they are used up', async () => {
    const key = bearer(await stand.addKey({ max_budget: 0, rpm_limit: 0 }));
    const capabilities = {};
    const clientInfo = { name: 'test', version: '1' };
    const hello = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    for (const path of ['/one/mcp', '/mcp']) {
      const met = await stand.ask(path, key, rpcBody('initialize', hello));
      assert.deepEqual([met.status, errorOf(met)], [200, undefined], met.text);
      const ping = await stand.ask(path, key, rpcBody('ping'));
      assert.deepEqual([ping.status, errorOf(ping)], [200, undefined], ping.text);
    }
  });

  it('of one server count what asks that server alone, and leave it out of lists of several', async () => {
    const key = bearer(await stand.addKey({ mcp_rpm_limit: { one: 1 } }));
    const read = await stand.ask('/mcp', key, rpcBody('prompts/get', { name: 'one__greet' }));
    assert.deepEqual([read.status, errorOf(read)], [200, undefined], read.text);
    await refusedWith(await stand.ask('/one/mcp', key, toolCall('echo')), 'throttling_error', 'rate_limited');
    await refusedWith(await stand.ask('/mcp', key, toolCall('one__echo')), 'throttling_error', 'rate_limited');
    const again = rpcBody('prompts/get', { name: 'one__greet' });
    await refusedWith(await stand.ask('/mcp', key, again), 'throttling_error', 'rate_limited');
    const listed = await stand.ask('/mcp', key, rpcBody('tools/list'));
    assert.deepEqual(toolNames(listed), ['two__echo']);
    const { result } = listed.json as { result: { _meta: Record<string, unknown> } };
    assert.deepEqual(result._meta['switchboard/failed_servers'], ['one']);
    const other = await stand.ask('/two/mcp', key, toolCall('echo'));
    assert.deepEqual([other.status, errorOf(other)], [200, undefined], other.text);
  });

  it('exempt administrators', async () => {
    const key = bearer(await stand.addKey({ role: 'proxy_admin', max_budget: 0, rpm_limit: 0 }));
    const answer = await stand.ask('/mcp', key, rpcBody('tools/list'));
    assert.deepEqual([answer.status, toolNames(answer)], [200, ['one__echo', 'two__echo']]);
  });
});
