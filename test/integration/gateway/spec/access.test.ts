import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { ObjectPermission } from '../../../../sidecar/protocol/gateway/objectPermission.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, isRefusal, messageBody, rpcBody, toolCall, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { verifies } from '../../../support/verifies.ts';

type Levels = Partial<Record<'key' | 'team' | 'endUser' | 'agent' | 'org', ObjectPermission>>;
const at = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** Specification, object_permission and Authorization: what each level says, seen in lists and in calls. */
describe('what a caller may use, level by level', () => {
  let stand: Stand;
  let count = 0;

  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'none' });
    await stand.register({ alias: 'a', server_id: 'id-a', mcp_access_groups: ['g'] });
    await stand.register({ alias: 'b', server_id: 'id-b', mcp_access_groups: ['h'] });
    await stand.registerAgent('x', {}, { agent_access_groups: ['g'] });
    await stand.registerAgent('y', {}, { agent_access_groups: ['h'] });
  });
  after(() => stand.close());
  beforeEach(() => void stand.backend.heard.splice(0));

  /** Headers of a caller with these levels. */
  async function callerWith({ key, team, endUser, agent, org }: Levels): Promise<Record<string, string>> {
    const { store } = stand.gateway;
    const id = `level-${(count += 1)}`;
    if (org) await store.organization.insert({ organization_id: id, object_permission: org, ...stamps });
    if (team) await store.team.insert({ team_id: id, object_permission: team, ...stamps });
    if (endUser) await store.end_user.insert({ user_id: id, object_permission: endUser, ...stamps });
    if (agent) await stand.addAgent({ agent_id: id, agent_name: id, object_permission: agent });
    const own = await stand.addKey({
      ...(key && { object_permission: key }),
      ...(team && { team_id: id }),
      ...(org && { organization_id: id }),
    });
    return {
      ...bearer(own),
      ...(endUser && { 'x-gateway-end-user-id': id }),
      ...(agent && { 'x-gateway-agent-id': id }),
    };
  }

  const allTools = ['a__echo', 'a__other', 'b__echo', 'b__other'];
  const [ofA, ofB] = [allTools.slice(0, 2), allTools.slice(2)];
  const both = { mcp_servers: ['a', 'b'] };
  const onlyEcho = { mcp_servers: ['a'], mcp_tool_permissions: { 'id-a': ['echo'] } };

  describe('of servers and tools: lists and calls agree', () => {
    verifies('gateway.permission.mcp_servers.key', 'gateway.permission.mcp_servers.team');
    verifies('gateway.permission.mcp_access_groups.key', 'gateway.permission.mcp_access_groups.team');
    verifies('gateway.permission.mcp_tool_permissions.key', 'gateway.permission.mcp_tool_permissions.team');
    verifies('gateway.access.key.mcp', 'gateway.access.team.mcp', 'gateway.access.team.mcp.narrowed');
    verifies('gateway.access.end-user.mcp', 'gateway.access.agent.mcp', 'gateway.access.org.mcp');
    verifies('gateway.access.list-hides', 'gateway.error.hidden-tool', 'gateway.error.hidden-server');
    verifies('gateway.access.default-no', 'gateway.permission.intersection');
    const rows: readonly [says: string, Levels, readonly string[]][] = [
      ['nobody says anything', {}, []],
      ['servers of a key', { key: { mcp_servers: ['a'] } }, ofA],
      ['groups of a key', { key: { mcp_access_groups: ['h'] } }, ofB],
      ['tools of a key', { key: onlyEcho }, ['a__echo']],
      ['servers of a team', { team: { mcp_servers: ['a'] } }, ofA],
      ['groups of a team', { team: { mcp_access_groups: ['h'] } }, ofB],
      ['tools of a team', { team: onlyEcho }, ['a__echo']],
      ['key within team', { key: both, team: { mcp_servers: ['b'] } }, ofB],
      ['key beside team', { key: { mcp_servers: ['a'] }, team: { mcp_servers: ['b'] } }, []],
      ['servers of an end user', { key: both, endUser: { mcp_servers: ['a'] } }, ofA],
      ['groups of an end user', { key: both, endUser: { mcp_access_groups: ['h'] } }, ofB],
      ['tools of an end user', { key: both, endUser: onlyEcho }, ['a__echo']],
      ['servers of an agent', { key: both, agent: { mcp_servers: ['a'] } }, ofA],
      ['groups of an agent', { key: both, agent: { mcp_access_groups: ['h'] } }, ofB],
      ['tools of an agent', { key: both, agent: onlyEcho }, ['a__echo']],
      ['servers of an organisation', { key: both, org: { mcp_servers: ['a'] } }, ofA],
      ['groups of an organisation', { key: both, org: { mcp_access_groups: ['h'] } }, ofB],
      ['tools of an organisation', { key: both, org: onlyEcho }, ['a__echo']],
      ['an organisation grants nothing', { org: both }, []],
      ['an end user grants nothing', { key: { mcp_servers: ['a'] }, endUser: both }, ofA],
      ['an agent grants nothing', { key: { mcp_servers: ['a'] }, agent: both }, ofA],
    ];
    for (const [says, levels, expected] of rows) {
      it(`${says}: ${expected.join(' ') || 'none'}`, async () => {
        const caller = await callerWith(levels);
        assert.deepEqual(toolNames(await stand.ask('/mcp', caller, rpcBody('tools/list'))), expected);
        stand.backend.heard.splice(0);
        for (const name of allTools) {
          const answer = await stand.ask('/mcp', caller, toolCall(name));
          assert.deepEqual([answer.status, isRefusal(answer)], [200, !expected.includes(name)], name);
        }
        const called = stand.calls().filter((it) => it.body.includes('tools/call'));
        assert.equal(called.length, expected.length);
      });
    }
  });

  describe('of agents: lists and calls agree', () => {
    verifies('gateway.permission.agents.key', 'gateway.permission.agents.team');
    verifies('gateway.permission.agent_access_groups.key', 'gateway.permission.agent_access_groups.team');
    verifies('gateway.access.key.a2a', 'gateway.access.team.a2a', 'gateway.access.team.a2a.narrowed');
    verifies('gateway.access.end-user.a2a', 'gateway.access.agent.a2a', 'gateway.access.org.a2a');
    verifies('gateway.access.agents-filtered', 'gateway.route.agents.list', 'gateway.error.agent-forbidden');
    const all = { agents: ['x', 'y'] };
    const rows: readonly [says: string, Levels, readonly string[]][] = [
      ['nobody says anything', {}, []],
      ['agents of a key', { key: { agents: ['x'] } }, ['x']],
      ['groups of a key', { key: { agent_access_groups: ['h'] } }, ['y']],
      ['agents of a team', { team: { agents: ['x'] } }, ['x']],
      ['groups of a team', { team: { agent_access_groups: ['h'] } }, ['y']],
      ['key within team', { key: all, team: { agents: ['y'] } }, ['y']],
      ['key beside team', { key: { agents: ['x'] }, team: { agents: ['y'] } }, []],
      ['agents of an end user', { key: all, endUser: { agents: ['x'] } }, ['x']],
      ['agents of an agent', { key: all, agent: { agents: ['x'] } }, ['x']],
      ['agents of an organisation', { key: all, org: { agent_access_groups: ['h'] } }, ['y']],
      ['an organisation grants nothing', { org: all }, []],
    ];
    for (const [says, levels, expected] of rows) {
      it(`${says}: ${expected.join(' ') || 'none'}`, async () => {
        const caller = await callerWith(levels);
        const listed = (await stand.ask('/v1/agents', caller)).json as { agent_name: string }[];
        assert.deepEqual(listed.map((it) => it.agent_name).sort(), expected);
        for (const name of ['x', 'y']) {
          const { status } = await stand.ask(`/a2a/${name}`, caller, messageBody());
          assert.equal(status, expected.includes(name) ? 200 : 403, name);
        }
        assert.equal(stand.backend.heard.length, expected.length);
      });
    }
  });

  it('each end user and each agent of one key has their own rights, in whatever order they call', async () => {
    const { store } = stand.gateway;
    const ceilings = { first: { mcp_servers: ['a'] }, second: { mcp_servers: ['b'] } };
    for (const [name, object_permission] of Object.entries(ceilings)) {
      await store.end_user.insert({ user_id: `user-${name}`, object_permission, ...stamps });
      await stand.addAgent({ agent_id: `agent-${name}`, agent_name: `agent-${name}`, object_permission });
    }
    const allowed = { first: ofA, second: ofB };
    for (const header of ['x-gateway-end-user-id', 'x-gateway-agent-id']) {
      const kind = header.includes('user') ? 'user' : 'agent';
      for (const order of [['first', 'second', 'first'] as const, ['second', 'first', 'second'] as const]) {
        const key = bearer(await stand.addKey({ object_permission: both }));
        for (const name of order) {
          const caller = { ...key, [header]: `${kind}-${name}` };
          assert.deepEqual(toolNames(await stand.ask('/mcp', caller, rpcBody('tools/list'))), allowed[name], kind);
          stand.backend.heard.splice(0);
          for (const tool of allTools) await stand.ask('/mcp', caller, toolCall(tool));
          const reached = stand.calls().filter((it) => it.body.includes('tools/call'));
          assert.deepEqual(new Set(reached.map((it) => it.path)), new Set([`/mcp/${allowed[name][0]?.[0]}`]), kind);
        }
      }
    }
  });

  it('an agent is no matter of tool lists', async () => {
    verifies('gateway.access.a2a-no-tools');
    const caller = await callerWith({ key: { agents: ['x'], mcp_servers: [], mcp_tool_permissions: { 'id-a': [] } } });
    assert.equal((await stand.ask('/a2a/x', caller, messageBody())).status, 200);
  });
});

describe('a toolset without tools, where an empty list says nothing and everybody may use everything', () => {
  let stand: Stand;
  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'all', emptyListInherits: true });
    await stand.register({ alias: 'a' });
    await stand.register({ alias: 'open', allow_all_keys: true });
    await stand.manage('POST', '/v1/mcp/toolset', { toolset_name: 'bare', tools: [] });
  });
  after(() => stand.close());

  it('shows nothing at its address and calls nothing, for its holder and for an administrator', async () => {
    verifies('gateway.access.toolset-empty');
    const holder = bearer(await stand.addKey({ object_permission: { mcp_servers: ['a'], mcp_toolsets: ['bare'] } }));
    assert.equal(toolNames(await stand.ask('/mcp', holder, rpcBody('tools/list'))).length, 4, 'elsewhere');
    for (const caller of [holder, bearer(stand.adminKey)]) {
      const listed = await stand.ask('/toolset/bare/mcp', caller, rpcBody('tools/list'));
      assert.deepEqual(toolNames(listed), []);
      stand.backend.heard.splice(0);
      for (const name of ['a__echo', 'open__echo', 'echo']) {
        const answer = await stand.ask('/toolset/bare/mcp', caller, toolCall(name));
        assert.equal(isRefusal(answer) || answer.status >= 400, true, name);
      }
      assert.deepEqual(stand.calls(), []);
    }
  });
});
