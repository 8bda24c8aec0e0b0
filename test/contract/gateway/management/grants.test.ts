import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import type { TeamRecord } from '../../../../sidecar/protocol/gateway/people.ts';
import { type Managed, openManaged, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: start, updated_at: start };
const ann = { user_id: 'ann' };

/** Whoever holds the one key makes another: what may be in it. */
const grants: readonly {
  readonly says: string;
  readonly held: Partial<KeyRecord>;
  readonly wanted: Readonly<Record<string, unknown>>;
  /** The field that refuses it; absent: it is made. */
  readonly refused?: string;
  /** A change of the key itself is another thing: what it had stays. */
  readonly onlyNew?: true;
}[] = [
  {
    says: 'the same servers',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_servers: ['a'] } },
  },
  {
    says: 'one server of two',
    held: { object_permission: { mcp_servers: ['a', 'b'] } },
    wanted: { object_permission: { mcp_servers: ['b'] } },
  },
  {
    says: 'another server',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_servers: ['a', 'b'] } },
    refused: 'object_permission.mcp_servers',
  },
  {
    says: 'no word on servers, which may come to mean more',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: {},
    refused: 'object_permission.mcp_servers',
  },
  {
    says: 'all servers',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_servers: ['all-proxy-mcpservers'] } },
    refused: 'object_permission.mcp_servers',
  },
  {
    says: 'a server that is not there yet',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_servers: ['a', 'later'] } },
    refused: 'object_permission.mcp_servers',
  },
  {
    says: 'a group, which may grow',
    held: { object_permission: { mcp_servers: ['a', 'b'] } },
    wanted: { object_permission: { mcp_access_groups: ['g'] } },
    refused: 'object_permission.mcp_access_groups',
  },
  {
    says: 'its own group',
    held: { object_permission: { mcp_access_groups: ['g'] } },
    wanted: { object_permission: { mcp_access_groups: ['g'] } },
  },
  {
    says: 'nothing at all',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_servers: [], agents: [] } },
  },
  {
    says: 'fewer tools',
    held: { object_permission: { mcp_servers: ['a'], mcp_tool_permissions: { a: ['r', 'w'] } } },
    wanted: { object_permission: { mcp_servers: ['a'], mcp_tool_permissions: { a: ['r'] } } },
  },
  {
    says: 'all tools',
    held: { object_permission: { mcp_servers: ['a'], mcp_tool_permissions: { a: ['r'] } } },
    wanted: { object_permission: { mcp_servers: ['a'] } },
    refused: 'object_permission.mcp_tool_permissions',
  },
  {
    says: 'a server by a grant of its tool',
    held: { object_permission: { mcp_servers: ['a'] } },
    wanted: { object_permission: { mcp_tool_permissions: { b: ['r'] } } },
    refused: 'object_permission.mcp_servers',
  },
  {
    says: 'a toolset',
    held: {},
    wanted: { object_permission: { mcp_toolsets: ['t'] } },
    refused: 'object_permission.mcp_toolsets',
  },
  {
    says: 'another agent',
    held: { object_permission: { agents: ['x'] } },
    wanted: { object_permission: { agents: ['x', 'y'] } },
    refused: 'object_permission.agents',
  },
  {
    says: 'to be an agent that it may not use',
    held: { object_permission: { agents: ['x'] } },
    wanted: { object_permission: { agents: ['x'] }, agent_id: 'y' },
    refused: 'agent_id',
  },
  { says: 'a model less', held: { models: ['m', 'n'] }, wanted: { models: ['m'] } },
  { says: 'another model', held: { models: ['m'] }, wanted: { models: ['m', 'n'] }, refused: 'models' },
  { says: 'all models', held: { models: ['m'] }, wanted: { models: [] }, refused: 'models' },
  { says: 'no word on models', held: { models: ['m'] }, wanted: {}, refused: 'models' },
  { says: 'the role of administrators', held: {}, wanted: { role: 'proxy_admin' }, refused: 'role' },
  { says: 'the role of viewers', held: {}, wanted: { role: 'proxy_admin_viewer' }, refused: 'role' },
  { says: 'a smaller budget', held: { max_budget: 5 }, wanted: { max_budget: 4 } },
  { says: 'a larger budget', held: { max_budget: 5 }, wanted: { max_budget: 6 }, refused: 'max_budget' },
  { says: 'no budget', held: { max_budget: 5 }, wanted: {}, refused: 'max_budget' },
  {
    says: 'the budget again each day',
    held: { max_budget: 5 },
    wanted: { max_budget: 5, budget_duration: '1d' },
    refused: 'max_budget',
  },
  {
    says: 'the budget each month in place of each day',
    held: { max_budget: 5, budget_duration: '1d' },
    wanted: { max_budget: 5, budget_duration: '1mo' },
  },
  {
    says: 'the larger budget of a name',
    held: { max_budget: 5 },
    wanted: { budget_id: 'rich' },
    refused: 'max_budget',
    onlyNew: true,
  },
  {
    says: 'a window less',
    held: { budget_limits: [{ max_budget: 1, budget_duration: '1h' }] },
    wanted: { max_budget: 9 },
    refused: 'max_budget',
    onlyNew: true,
  },
  { says: 'more requests a minute', held: { rpm_limit: 5 }, wanted: { rpm_limit: 6 }, refused: 'rpm_limit' },
  { says: 'tokens without a limit', held: { tpm_limit: 5 }, wanted: {}, refused: 'tpm_limit' },
  {
    says: 'more requests a minute to a server',
    held: { mcp_rpm_limit: { a: 1 } },
    wanted: { mcp_rpm_limit: { a: 2 } },
    refused: 'mcp_rpm_limit.a',
  },
  { says: 'a route below its own', held: { allowed_routes: ['/key/*'] }, wanted: { allowed_routes: ['/key/info'] } },
  {
    says: 'another route',
    held: { allowed_routes: ['/key/*'] },
    wanted: { allowed_routes: ['/team/new'] },
    refused: 'allowed_routes',
  },
  {
    says: 'every route',
    held: { allowed_routes: ['/key/*'] },
    wanted: { allowed_routes: [] },
    refused: 'allowed_routes',
  },
  {
    says: 'a wider pattern',
    held: { allowed_routes: ['/key/*'] },
    wanted: { allowed_routes: ['/*'] },
    refused: 'allowed_routes',
  },
  {
    says: 'every pass-through',
    held: { allowed_passthrough_routes: ['/v0/me'] },
    wanted: {},
    refused: 'allowed_passthrough_routes',
  },
  { says: 'debug headers', held: {}, wanted: { allow_debug: true }, refused: 'allow_debug' },
  { says: 'a guardrail less', held: { guardrails: ['pii'] }, wanted: { guardrails: [] }, refused: 'guardrails' },
  { says: 'a guardrail more', held: { guardrails: ['pii'] }, wanted: { guardrails: ['pii', 'more'] } },
  {
    says: 'a longer life',
    held: { expires: '2026-03-05T00:00:00.000Z' },
    wanted: { duration: '30d' },
    refused: 'duration',
  },
  { says: 'a shorter life', held: { expires: '2026-03-05T00:00:00.000Z' }, wanted: { duration: '1h' } },
  { says: 'a key for somebody else', held: {}, wanted: { user_id: 'bob' }, refused: 'user_id' },
  { says: 'a key of a team that it does not lead', held: {}, wanted: { team_id: 'foreign' }, refused: 'team_id' },
  { says: 'a key of a team that it only belongs to', held: {}, wanted: { team_id: 'joined' }, refused: 'team_id' },
  { says: 'a key of a team that it leads', held: {}, wanted: { team_id: 'led', user_id: 'member' } },
  {
    says: 'a key of its team for a stranger',
    held: {},
    wanted: { team_id: 'led', user_id: 'stranger' },
    refused: 'user_id',
  },
  { says: 'a key of another organisation', held: {}, wanted: { organization_id: 'o' }, refused: 'organization_id' },
];

describe('nobody gives what they do not have (privilege escalation)', () => {
  verifies('security.privilege-escalation');
  let api: Managed;
  const post = (key: string, path: string, body: unknown) => api.send(key, 'POST', path, body);
  before(async () => {
    api = await openManaged({}, 'all');
    const { store } = api;
    const server = { transport: 'http' as const, url: 'https://example.com', approval_status: 'active' as const };
    for (const server_id of ['a', 'b'])
      await store.mcp_server.insert({ server_id, mcp_access_groups: ['g'], ...server, ...stamps });
    for (const agent_id of ['x', 'y'])
      await store.agent.insert({ agent_id, agent_name: agent_id, agent_card_params: {}, ...stamps });
    await store.toolset.insert({ toolset_id: 't', toolset_name: 't', tools: [], ...stamps });
    await store.budget.insert({ budget_id: 'rich', max_budget: 100, ...stamps });
    await store.organization.insert({
      organization_id: 'o',
      max_budget: 50,
      members: [{ user_role: 'org_admin', user_id: 'olga' }],
      ...stamps,
    });
    const members = (role: 'admin' | 'user') => [
      { role, user_id: 'ann' },
      { role: 'user' as const, user_id: 'member' },
    ];
    await store.team.insert({ team_id: 'led', members_with_roles: members('admin'), max_budget: 10, ...stamps });
    await store.team.insert({ team_id: 'joined', members_with_roles: members('user'), ...stamps });
    await store.team.insert({ team_id: 'foreign', organization_id: 'o', ...stamps });
  });
  after(() => api.close());

  for (const { says, held, wanted, refused, onlyNew } of grants) {
    it(`a key ${refused === undefined ? 'gives' : 'does not give'} ${says}`, async () => {
      const key = await api.give({ ...ann, ...held });
      const reply = await post(key, '/key/generate', wanted);
      assert.deepEqual(
        [reply.status, reply.at('error.param')],
        refused === undefined ? [200, undefined] : [403, refused],
        reply.text,
      );
    });

    const isChange = refused !== undefined && !onlyNew && Object.keys(wanted).length > 0;
    if (!isChange) continue;
    it(`a key does not give itself ${says}`, async () => {
      const key = await api.give({ ...ann, ...held });
      const before = await api.store.key.get(hashKey(key));
      const reply = await post(key, '/key/update', { key: hashKey(key), ...wanted });
      assert.deepEqual([reply.status, reply.at('error.param')], [403, refused], reply.text);
      assert.deepEqual(await api.store.key.get(hashKey(key)), before);
    });
  }

  it('a narrow key does not become a wide one of the same person by rotating that', async () => {
    const narrow = await api.give({ ...ann, object_permission: { mcp_servers: ['a'] } });
    const wide = await api.give(ann);
    assert.equal((await post(narrow, '/key/regenerate', { key: hashKey(wide) })).status, 403);
    const own = await post(narrow, '/key/regenerate', { key: hashKey(narrow) });
    assert.equal(own.status, 200);
    assert.deepEqual(own.at('object_permission'), { mcp_servers: ['a'] });
  });

  it('who leads a team does not take over an administrator who has a key in it', async () => {
    const lead = await api.give(ann);
    const boss = await api.give({ role: 'proxy_admin', team_id: 'led' });
    assert.equal((await post(lead, '/key/regenerate', { key: hashKey(boss) })).at('error.param'), 'role');
  });

  it('who leads a team narrows a wide key of it', async () => {
    const lead = await api.give({ ...ann, max_budget: 1 });
    const wide = await api.give({ team_id: 'led', max_budget: 9 });
    assert.equal((await post(lead, '/key/update', { key: hashKey(wide), max_budget: 8 })).status, 200);
    assert.equal((await post(lead, '/key/update', { key: hashKey(wide), max_budget: 10 })).status, 403);
  });

  it('a person does not unblock what somebody blocked; who leads the team does', async () => {
    const lead = await api.give(ann);
    const own = await api.give({ ...ann, blocked: true });
    const ofTeam = await api.give({ team_id: 'led', blocked: true });
    assert.equal((await post(lead, '/key/unblock', { key: hashKey(own) })).status, 403);
    assert.equal((await post(lead, '/key/update', { key: hashKey(own), blocked: false })).status, 403);
    assert.equal((await post(lead, '/key/unblock', { key: hashKey(ofTeam) })).status, 200);
  });

  it('keys of others are as unknown as keys of nobody', async () => {
    const stranger = await api.give({ user_id: 'stranger' });
    const key = hashKey(await api.give({ team_id: 'led' }));
    const nobody = `${key.slice(0, 8)}${'0'.repeat(56)}`;
    for (const [path, body] of [
      ['/key/update', {}],
      ['/key/block', {}],
      ['/key/regenerate', {}],
    ] as const) {
      const foreign = await post(stranger, path, { ...body, key });
      const unknown = await post(stranger, path, { ...body, key: nobody });
      assert.deepEqual([foreign.status, foreign.text], [404, unknown.text], path);
    }
    assert.equal((await api.send(stranger, 'GET', `/key/info?key=${key}`)).status, 404);
    assert.deepEqual((await api.send(stranger, 'GET', '/key/list')).list('keys'), [hashKey(stranger)]);
  });

  for (const { says, held, body, refused } of [
    { says: 'renames it', body: { team_alias: 'Ours' } },
    { says: 'spends less', body: { max_budget: 5 } },
    { says: 'does not spend more', body: { max_budget: 11 }, refused: 'max_budget' },
    { says: 'does not spend without a limit', body: { max_budget: null }, refused: 'max_budget' },
    { says: 'uses one model less', held: { models: ['m', 'n'] }, body: { models: ['m'] } },
    { says: 'does not use another model', held: { models: ['m'] }, body: { models: ['m', 'n'] }, refused: 'models' },
    {
      says: 'does not reach another server',
      held: { object_permission: { mcp_servers: ['a'] } },
      body: { object_permission: { mcp_servers: ['a', 'b'] } },
      refused: 'object_permission.mcp_servers',
    },
    {
      says: 'does not reach another agent',
      held: { object_permission: { agents: ['x'] } },
      body: { object_permission: { agents: ['x', 'y'] } },
      refused: 'object_permission.agents',
    },
    { says: 'does not move it', body: { organization_id: 'o' }, refused: 'organization_id' },
  ] as readonly { says: string; held?: Partial<TeamRecord>; body: object; refused?: string }[]) {
    it(`who leads a team ${says}`, async () => {
      const anything = { max_budget: 10, models: null, object_permission: null };
      await api.store.team.update('led', (it) => ({ ...it, ...anything, ...held }));
      const reply = await post(await api.give(ann), '/team/update', { team_id: 'led', ...body });
      assert.deepEqual(
        [reply.status, reply.at('error.param')],
        refused === undefined ? [200, undefined] : [403, refused],
        reply.text,
      );
    });
  }

  it('who leads a team cannot touch another, nor the budgets of all', async () => {
    const lead = await api.give(ann);
    for (const path of ['/team/update', '/team/block'])
      assert.equal((await post(lead, path, { team_id: 'foreign' })).status, 404, path);
    for (const path of ['/team/delete']) assert.equal((await post(lead, path, { team_ids: ['foreign'] })).status, 404);
    assert.equal((await post(lead, '/team/delete', { team_ids: ['led'] })).status, 403);
    assert.equal((await post(lead, '/team/new', {})).status, 403);
  });

  it('who leads a blocked team does not let it in again', async () => {
    await api.store.team.insert({
      team_id: 'shut',
      blocked: true,
      members_with_roles: [{ role: 'admin', user_id: 'ann' }],
      ...stamps,
    });
    assert.equal((await post(await api.give(ann), '/team/unblock', { team_id: 'shut' })).status, 403);
  });

  it('who leads an organisation makes teams in it, within its limits', async () => {
    const olga = await api.give({ user_id: 'olga' });
    assert.equal((await post(olga, '/team/new', { organization_id: 'o', max_budget: 40 })).status, 200);
    const rich = await post(olga, '/team/new', { organization_id: 'o', max_budget: 60 });
    assert.deepEqual([rich.status, rich.at('error.param')], [403, 'max_budget']);
    assert.equal((await post(olga, '/team/new', { max_budget: 1 })).status, 403);
    assert.equal((await post(olga, '/team/block', { team_id: 'foreign' })).status, 200);
    assert.equal((await post(olga, '/organization/update', { organization_id: 'o', max_budget: 99 })).status, 403);
  });
});
