import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { Guardrails } from '../../../../sidecar/protocol/gateway/guardrail.ts';
import type { McpServerRecord } from '../../../../sidecar/protocol/gateway/mcpServer.ts';
import { speakAll, twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { bearer, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

interface Case {
  readonly says: string;
  readonly server?: Partial<McpServerRecord>;
  /** Members of the server's list beside the items. */
  readonly told?: object;
  readonly callers: readonly ['a' | 'b', 'a' | 'b'];
  /** Of the second request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly seconds?: number;
  readonly times: 1 | 2;
}

const minute = { list_cache_ttl_s: 60 };
const forAll = { ttlMs: 60_000, cacheScope: 'public' };
const cases: readonly Case[] = [
  { says: 'that says nothing, without a setting', callers: ['a', 'a'], times: 2 },
  { says: 'with a setting', server: minute, callers: ['a', 'b'], times: 1 },
  { says: 'with a setting, when its time is over', server: minute, callers: ['a', 'a'], seconds: 61, times: 2 },
  { says: 'that allows it, for all', told: forAll, callers: ['a', 'b'], times: 1 },
  { says: 'that allows it, when its time is over', told: forAll, callers: ['a', 'a'], seconds: 61, times: 2 },
  {
    says: 'that allows it, against the setting',
    server: { list_cache_ttl_s: 0 },
    told: forAll,
    callers: ['a', 'a'],
    times: 2,
  },
  {
    says: 'whose list is private, for its caller',
    told: { ...forAll, cacheScope: 'private' },
    callers: ['a', 'a'],
    times: 1,
  },
  {
    says: 'whose list is private, for another caller',
    told: { ...forAll, cacheScope: 'private' },
    callers: ['a', 'b'],
    times: 2,
  },
  { says: 'that does not say for whom, for another caller', told: { ttlMs: 60_000 }, callers: ['a', 'b'], times: 2 },
  {
    says: 'whose list is private, for another caller, with a setting',
    server: minute,
    told: { cacheScope: 'private' },
    callers: ['a', 'b'],
    times: 2,
  },
  {
    says: 'that gets headers of callers, for another one',
    server: { ...minute, extra_headers: ['x-tenant'] },
    callers: ['a', 'b'],
    times: 2,
  },
  {
    says: 'that gets headers of callers, where they differ',
    server: { ...minute, extra_headers: ['x-tenant'] },
    callers: ['a', 'a'],
    headers: { 'x-tenant': 'two' },
    times: 2,
  },
  {
    says: 'that gets headers of callers, where they are the same',
    server: { ...minute, extra_headers: ['x-tenant'] },
    callers: ['a', 'a'],
    times: 1,
  },
  {
    says: 'that gets the tokens of callers',
    server: { ...minute, oauth_passthrough: true },
    callers: ['a', 'b'],
    times: 2,
  },
];
const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const;
const members = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

describe('a list of a server', () => {
  let stand: Stand;
  const keys = { a: '', b: '' };
  const clock = new StandingClock('2026-03-01T00:00:00Z');
  let told: object = {};
  let status = 200;
  let made = 0;

  before(async () => {
    stand = await openStand({
      clock,
      tools: twoTools,
      guardrails: () => signing,
    });
    stand.backend.answer = (heard, response) => {
      const { id, method } = JSON.parse(heard.body.toString() || '{}') as { id?: unknown; method?: string };
      const member = Object.entries(members).find(([it]) => it === method)?.[1];
      if (member === undefined) return speakAll(heard, response, twoTools);
      const items = member === 'tools' ? twoTools : [{ name: 'one', uri: 'x://one', uriTemplate: 'x://{one}' }];
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { [member]: items, ...told } });
      response.writeHead(status, { 'content-type': 'application/json' }).end(status === 200 ? text : '');
    };
    keys.a = await stand.addKey();
    keys.b = await stand.addKey();
  });
  after(() => stand.close());
  beforeEach(() => {
    told = {};
    status = 200;
  });

  const signing = Guardrails.parse([
    { guardrail_name: 'signer', gateway_params: { guardrail: 'mcp_jwt_signer', mode: 'pre_mcp_call' } },
  ]);
  const register = async (server: Partial<McpServerRecord> = {}) => {
    made += 1;
    const alias = `listed${made}`;
    return { alias, id: await stand.register({ ...server, alias }) };
  };
  const lists = (alias: string, method: string = 'tools/list') =>
    stand.calls().filter((it) => it.path === `/mcp/${alias}` && it.body.includes(`"${method}"`)).length;
  const own = (alias: string, key: string, method: string = 'tools/list', headers = {}) =>
    stand.ask(
      `/${alias}/mcp`,
      { 'x-gateway-api-key': `Bearer ${key}`, authorization: `Bearer of-${key}`, 'x-tenant': 'one', ...headers },
      rpcBody(method),
    );
  const among = (alias: string, key: string, method: string = 'tools/list', headers = {}) =>
    stand.ask(
      '/mcp',
      {
        'x-gateway-api-key': `Bearer ${key}`,
        authorization: `Bearer of-${key}`,
        'x-tenant': 'one',
        'x-mcp-servers': alias,
        ...headers,
      },
      rpcBody(method),
    );

  for (const { says, server = {}, told: more = {}, callers, headers = {}, seconds = 0, times } of cases)
    it(`${says} is asked for ${times === 1 ? 'once' : 'each time'}`, async () => {
      verifies('gateway.lists.kept');
      for (const ask of [own, among]) {
        told = more;
        const { alias } = await register(server);
        const first = await ask(alias, keys[callers[0]]);
        clock.pass(seconds * 1_000);
        const second = await ask(alias, keys[callers[1]], 'tools/list', headers);
        assert.equal(lists(alias), times, ask.name);
        assert.equal(toolNames(first).length, 2, first.text);
        assert.deepEqual(toolNames(first), toolNames(second));
      }
    });

  for (const method of methods)
    it(`is kept for ${method}, and says how long it is still good`, async () => {
      verifies('gateway.lists.kept');
      told = forAll;
      const { alias } = await register();
      const { json: first } = await own(alias, keys.a, method);
      clock.pass(20_000);
      const { json: second } = await own(alias, keys.b, method);
      const resultOf = (json: unknown) => (json as { result: Record<string, unknown> }).result;
      assert.equal(lists(alias, method), 1);
      assert.equal(resultOf(first)['ttlMs'], 60_000);
      assert.deepEqual(resultOf(second), { ...resultOf(first), ttlMs: 40_000 });
      await among(alias, keys.a, method);
      await among(alias, keys.b, method);
      assert.equal(lists(alias, method), 2);
    });

  it('that is kept is shown to each caller only as far as that one may use it', async () => {
    verifies('gateway.lists.kept');
    const { alias, id } = await register(minute);
    const limited = await stand.addKey({
      object_permission: { mcp_servers: [id], mcp_tool_permissions: { [id]: ['echo'] } },
    });
    assert.deepEqual(toolNames(await own(alias, keys.a)), ['echo', 'other']);
    assert.deepEqual(toolNames(await own(alias, limited)), ['echo']);
    assert.equal(lists(alias), 1);
  });

  it('that is kept is shown with those of other servers only as far as its caller may still use it', async () => {
    verifies('gateway.lists.kept');
    const [one, other] = [await register(minute), await register(minute)];
    const all = { mcp_servers: [one.id, other.id] };
    const key = await stand.addKey({ object_permission: all });
    const shown = async () => {
      const rest = await stand.ask('/mcp-rest/tools/list', bearer(key));
      const { tools } = rest.json as { tools: readonly { namespaced_name: string }[] };
      const listed = toolNames(await stand.ask('/mcp', bearer(key), rpcBody('tools/list')));
      assert.deepEqual(tools.map((it) => it.namespaced_name).toSorted(), listed);
      return listed;
    };
    const echo = `${one.alias}__echo`;
    const of = ({ alias }: typeof one) => ['echo', 'other'].map((it) => `${alias}__${it}`);
    for (let n = 0; n < 4; n += 1) assert.deepEqual(await shown(), [...of(one), ...of(other)].toSorted());
    assert.deepEqual([lists(one.alias), lists(other.alias)], [1, 1]);
    const object_permission = { mcp_servers: [one.id], mcp_tool_permissions: { [one.id]: ['echo'] } };
    await stand.manage('POST', '/key/update', { key, object_permission });
    for (let n = 0; n < 4; n += 1) assert.deepEqual(await shown(), [echo]);
    assert.deepEqual([lists(one.alias), lists(other.alias)], [1, 1]);
  });

  it('is asked for again after the server says that it changed', async () => {
    verifies('gateway.lists.dropped');
    const { alias } = await register(minute);
    await own(alias, keys.a);
    await among(alias, keys.a);
    const { answer } = stand.backend;
    stand.backend.answer = (heard, response) => {
      if (!heard.body.includes('"tools/call"')) return answer(heard, response);
      const { id } = JSON.parse(heard.body.toString()) as { id: unknown };
      const notice = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
      const result = { jsonrpc: '2.0', id, result: { content: [] } };
      const events = [notice, result].map((it) => `data: ${JSON.stringify(it)}\n\n`).join('');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    };
    await stand.ask(`/${alias}/mcp`, bearer(keys.a), toolCall('echo'));
    stand.backend.answer = answer;
    await own(alias, keys.b);
    await among(alias, keys.b);
    assert.equal(lists(alias), 4);
  });

  it('is asked for again after the registration changed', async () => {
    verifies('gateway.lists.dropped');
    const { alias, id } = await register(minute);
    await own(alias, keys.a);
    await stand.manage('PUT', '/v1/mcp/server', { server_id: id, description: 'changed' });
    await own(alias, keys.a);
    assert.equal(lists(alias), 2);
  });

  it('that could not be read is not kept', async () => {
    verifies('gateway.lists.kept');
    const { alias } = await register(minute);
    status = 503;
    await own(alias, keys.a);
    await among(alias, keys.a);
    status = 200;
    assert.equal(toolNames(await own(alias, keys.a)).length, 2);
    assert.equal(toolNames(await among(alias, keys.a)).length, 2);
  });

  it('for which a guardrail signs a token of the caller is not kept', async () => {
    verifies('gateway.lists.kept');
    const { alias } = await register({ ...minute, guardrails: ['signer'] });
    for (const ask of [own, among]) for (const key of [keys.a, keys.a]) await ask(alias, key);
    assert.equal(lists(alias), 4);
  });
});
