import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, messageBody, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

/** Specification, Caller to gateway as far as it is about what a caller says beside its key. */
describe('what a caller says beside its key', () => {
  let stand: Stand;
  let key: string;

  before(async () => {
    stand = await openStand({ tools: twoTools });
    await stand.register({ alias: 'echo', mcp_info: { mcp_server_cost_info: { default_cost_per_query: 1 } } });
    await stand.register({ alias: 'second' });
    for (const tag of ['eu', 'us'])
      await stand.register({ alias: 'twin', url: `${stand.backend.url}/mcp/twin-${tag}`, tags: [tag] });
    await stand.registerAgent('weather');
    key = await stand.addKey({ allow_debug: true });
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  const onMcp = [
    { path: '/mcp', body: toolCall('echo__echo') },
    { path: '/echo/mcp', body: toolCall('echo') },
    { path: '/mcp', body: rpcBody('tools/list') },
  ];
  const onRest = [
    { path: '/mcp-rest/tools/call', body: { name: 'echo__echo' } },
    { path: '/a2a/weather', body: messageBody() },
    { path: '/a2a/weather/message/send', body: messageBody() },
  ];
  const everywhere = [...onMcp, ...onRest];

  type Call = { readonly path: string; readonly body: object };
  /** Records are written twice a second: calls wait for theirs side by side. */
  const eachOf = (calls: readonly Call[], judge: (call: Call) => Promise<void>) => Promise.all(calls.map(judge));

  async function recorded({ path, body }: Call, headers: Record<string, string>) {
    const answer = await stand.ask(path, { ...bearer(key), ...headers }, body);
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    return stand.recordOf(answer);
  }

  it('end user: by x-gateway-end-user-id or x-gateway-customer-id, on record everywhere', async () => {
    verifies('gateway.header.end-user.mcp', 'gateway.header.end-user.rest');
    verifies('gateway.header.customer.mcp', 'gateway.header.customer.rest');
    for (const name of ['x-gateway-end-user-id', 'x-gateway-customer-id'])
      await eachOf(everywhere, async (call) =>
        assert.equal((await recorded(call, { [name]: 'ada' })).end_user, 'ada', `${call.path} ${name}`),
      );
  });

  it('end user: headers that name different ones are refused everywhere, and nobody behind hears of the call', async () => {
    verifies('gateway.header.end-user.once');
    const { store } = stand.gateway;
    const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
    await store.end_user.insert({ user_id: 'shut', blocked: true, ...stamps });
    const doubtful: readonly (readonly [string, string])[][] = [
      [
        ['x-gateway-end-user-id', 'shut'],
        ['x-gateway-customer-id', 'ada'],
      ],
      [
        ['x-gateway-end-user-id', 'shut'],
        ['x-gateway-end-user-id', 'ada'],
      ],
      [['x-gateway-end-user-id', 'ada, shut']],
    ];
    for (const { path, body } of everywhere) {
      for (const headers of doubtful) {
        stand.backend.heard.splice(0);
        const response = await fetch(`${stand.base}${path}`, {
          method: 'POST',
          headers: [
            ...Object.entries(bearer(key)),
            ['content-type', 'application/json'],
            ...headers.map((it) => [...it]),
          ] as [string, string][],
          body: JSON.stringify(body),
        });
        const text = await response.text();
        assert.equal(response.status, 400, `${path} ${text}`);
        assert.match(text, /x-gateway-end-user-id/);
        assert.equal(stand.backend.heard.length, 0);
      }
    }
  });

  it('calling agent: one that is not there is refused everywhere, and nobody behind hears of the call', async () => {
    verifies('gateway.header.agent-known');
    for (const { path, body } of everywhere) {
      stand.backend.heard.splice(0);
      const answer = await stand.ask(path, { ...bearer(key), 'x-gateway-agent-id': 'nobody' }, body);
      assert.equal(answer.status, 403, `${path} ${answer.text}`);
      assert.match(answer.text, /x-gateway-agent-id/);
      assert.equal(stand.backend.heard.length, 0);
    }
  });

  it('trace: by x-gateway-trace-id, else the session, else that of a vendor', async () => {
    verifies('gateway.header.trace.mcp', 'gateway.header.trace.rest', 'gateway.header.trace.session');
    verifies('gateway.header.trace.vendor', 'gateway.header.session.lower');
    const all = { 'x-gateway-trace-id': 't-1', 'x-gateway-session-id': 's-1', 'x-acme-session-id': 'vendor-0001' };
    const { 'x-gateway-trace-id': _, ...withoutTrace } = all;
    await eachOf(everywhere, async (call) => {
      const traceOf = async (headers: Record<string, string>) => (await recorded(call, headers)).trace_id;
      assert.equal(await traceOf(all), 't-1', call.path);
      assert.equal(await traceOf(withoutTrace), 's-1', call.path);
      assert.equal(await traceOf({ 'x-acme-session-id': 'vendor-0001' }), 'vendor-0001', call.path);
    });
  });

  it('session: x-gateway-session-id groups calls on record', async () => {
    verifies('gateway.header.session.mcp', 'gateway.header.session.rest', 'gateway.service.identified');
    await eachOf(everywhere, async (call) => {
      const { session_id, end_user, trace_id } = await recorded(call, {
        'x-gateway-session-id': 's-9',
        'x-gateway-trace-id': 't-9',
        'x-gateway-end-user-id': 'ada',
      });
      assert.deepEqual([session_id, trace_id, end_user], ['s-9', 't-9', 'ada'], call.path);
    });
  });

  it('session: x-gateway-session-id goes before the session of the protocol, which is on record without it', async () => {
    verifies('gateway.log.session');
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    for (const path of ['/mcp', '/echo/mcp']) {
      const { headers } = await stand.ask(path, bearer(key), rpcBody('initialize', hello));
      const own = headers.get('mcp-session-id');
      assert.ok(own, path);
      const call = { path, body: rpcBody('tools/list') };
      const without = await recorded(call, { 'mcp-session-id': own });
      assert.ok(without.session_id, path);
      const named = await recorded(call, { 'mcp-session-id': own, 'x-gateway-session-id': 's-9' });
      assert.deepEqual([named.session_id, named.trace_id], ['s-9', 's-9'], path);
    }
  });

  it('tags: those of the key and its team label every record, however many tags a caller sends', async () => {
    verifies('gateway.log.labels');
    await stand.gateway.store.team.insert({
      team_id: 'labelled',
      tags: ['team', 'both'],
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    });
    const labelled = await stand.addKey({ team_id: 'labelled', tags: ['key', 'both'] });
    const many = Array.from({ length: 200 }, (_, n) => `t${n}`).join(',');
    const tagsOf = async ({ path, body }: Call, tags: string) => {
      const answer = await stand.ask(path, { ...bearer(labelled), 'x-gateway-tags': tags }, body);
      return (await stand.recordOf(answer)).request_tags;
    };
    await eachOf(onMcp, async (call) => assert.deepEqual(await tagsOf(call, 'a'), ['key', 'both', 'team'], call.path));
    await eachOf(onRest, async (call) => {
      assert.deepEqual(await tagsOf(call, 'a'), ['a', 'key', 'both', 'team'], call.path);
      const kept = await tagsOf(call, many);
      assert.ok(kept.length <= 64 && kept.includes('t0') && kept.includes('key') && kept.includes('team'), call.path);
    });
  });

  it('tags: labels on the REST routes and A2A, nothing on MCP', async () => {
    verifies('gateway.header.tags.mcp-ignores', 'gateway.header.tags.rest');
    const tagsOf = async (call: Call) => (await recorded(call, { 'x-gateway-tags': 'a, b' })).request_tags;
    await eachOf(onMcp, async (call) => assert.deepEqual(await tagsOf(call), [], call.path));
    await eachOf(onRest, async (call) => assert.deepEqual(await tagsOf(call), ['a', 'b'], call.path));
  });

  it('tags: those of the body come first', async () => {
    verifies('gateway.header.tags.body');
    await eachOf(onRest, async ({ path, body }) => {
      const { request_tags } = await recorded({ path, body: { ...body, tags: ['own'] } }, { 'x-gateway-tags': 'a' });
      assert.deepEqual(request_tags, ['own'], path);
    });
  });

  it('tags: choose among the backends of one name', async () => {
    verifies('gateway.header.tags.routing');
    for (const tag of ['us', 'eu', 'us']) {
      await recorded({ path: '/mcp-rest/tools/call', body: { name: 'twin__echo' } }, { 'x-gateway-tags': tag });
      const called = stand.calls().filter((it) => it.body.includes('tools/call'));
      assert.equal(called.at(-1)?.path, `/mcp/twin-${tag}`);
    }
  });

  it('debug: headers with secrets masked on MCP, none elsewhere', async () => {
    verifies('gateway.header.debug.mcp', 'gateway.header.debug.masked', 'gateway.header.debug.rest-ignores');
    const debug = { ...bearer(key), 'x-gateway-mcp-debug': 'true' };
    const shown = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('x-mcp-debug-'));
    for (const { path, body } of onMcp.slice(0, 2)) {
      const { headers } = await stand.ask(path, debug, body);
      assert.ok(shown(headers).length >= 3, path);
      assert.match(headers.get('x-mcp-debug-inbound-auth') ?? '', /\*\*\*/);
      assert.ok(!JSON.stringify(shown(headers)).includes(key));
      assert.deepEqual(shown((await stand.ask(path, bearer(key), body)).headers), []);
    }
    for (const { path, body } of onRest)
      assert.deepEqual(shown((await stand.ask(path, debug, body)).headers), [], path);
  });

  it('x-mcp-servers: the servers of a request on MCP, and nothing elsewhere', async () => {
    verifies('gateway.header.x-mcp-servers.mcp', 'gateway.header.x-mcp-servers.rest-ignores');
    const scoped = { ...bearer(key), 'x-mcp-servers': 'second' };
    assert.deepEqual(toolNames(await stand.ask('/mcp', scoped, rpcBody('tools/list'))), [
      'second__echo',
      'second__other',
    ]);
    const names = toolNames(await stand.ask('/v1/mcp/tools', scoped));
    assert.deepEqual(names, toolNames(await stand.ask('/v1/mcp/tools', bearer(key))));
    for (const { path, body } of onRest) assert.equal((await stand.ask(path, scoped, body)).status, 200, path);
    assert.ok(stand.calls().some((it) => it.path === '/mcp/echo' && it.body.includes('tools/call')));
  });

  it('end user: its budget and its servers hold on top of those of the key, and records and audit name it', async () => {
    verifies('gateway.header.end-user.budget', 'gateway.header.end-user.access', 'gateway.header.end-user.audit');
    verifies('gateway.limit.end-user-budget');
    await stand.manage('POST', '/customer/new', {
      user_id: 'thrifty',
      max_budget: 1.5,
      object_permission: { mcp_servers: ['echo'] },
    });
    const headers = { ...bearer(key), 'x-gateway-end-user-id': 'thrifty' };
    const listed = toolNames(await stand.ask('/mcp', headers, rpcBody('tools/list')));
    assert.deepEqual(listed, ['echo__echo', 'echo__other']);
    const call = () => stand.ask('/mcp', headers, toolCall('echo__echo'));
    const [first, second] = [await call(), await call()];
    assert.deepEqual([first.status, second.status], [200, 429]);
    const { end_user, status } = await stand.recordOf(second);
    assert.deepEqual([end_user, status], ['thrifty', 'failure']);
    const other = await stand.ask('/mcp', { ...headers, 'x-gateway-end-user-id': 'ada' }, toolCall('echo__echo'));
    assert.equal(other.status, 200, 'the key itself has no budget');
  });
});
