import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { KeyRecord } from '../../../../sidecar/protocol/gateway/key.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, rpcBody, toolNames } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

const at = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** Whoever has the role is an administrator with each key that is theirs. */
describe('keys of a user with the role proxy_admin', () => {
  let stand: Stand;
  before(async () => {
    stand = await openStand({ tools: twoTools, defaultAccess: 'none' });
    const { store } = stand.gateway;
    await stand.register({ alias: 'a' });
    await stand.register({ alias: 'b' });
    await stand.register({ alias: 'open', allow_all_keys: true });
    await store.user.insert({ user_id: 'ada', user_role: 'proxy_admin', ...stamps });
    await store.user.insert({ user_id: 'bob', user_role: 'internal_user', ...stamps });
    const members_with_roles = [
      { role: 'admin' as const, user_id: 'bob' },
      { role: 'user' as const, user_id: 'ada' },
    ];
    const object_permission = { mcp_servers: ['a'] };
    await store.team.insert({ team_id: 'crew', members_with_roles, object_permission, ...stamps });
    await stand.addAgent({ agent_id: 'robot', agent_name: 'robot' });
  });
  after(() => stand.close());

  const rows: readonly (readonly [what: string, key: Partial<KeyRecord>, manages: number, sees: string])[] = [
    ['says nothing', { user_id: 'ada' }, 200, 'a b open'],
    ['belongs to a team', { user_id: 'ada', team_id: 'crew' }, 200, 'a b open'],
    ['has a list', { user_id: 'ada', object_permission: { mcp_servers: ['b'] } }, 200, 'b open'],
    ['has an empty list', { user_id: 'ada', object_permission: { mcp_servers: [] } }, 200, 'open'],
    ['is of a viewer', { user_id: 'ada', role: 'proxy_admin_viewer' }, 403, 'open'],
    ['is an agent’s', { user_id: 'ada', agent_id: 'robot' }, 403, 'open'],
    ['may use MCP routes alone', { user_id: 'ada', allowed_routes: ['mcp_routes'] }, 403, 'a b open'],
    ['is of somebody else', { user_id: 'bob' }, 403, 'open'],
  ];
  for (const [what, record, manages, sees] of rows) {
    it(`where the key ${what}: managing answers ${manages}, and it sees ${sees}`, async () => {
      const key = bearer(await stand.addKey(record));
      const made = await stand.ask('/budget/new', key, { budget_id: `b-${what}` });
      assert.equal(made.status, manages, made.text);
      const listed = await stand.ask('/mcp', key, rpcBody('tools/list'));
      const names = toolNames(listed).filter((it) => it.endsWith('__echo'));
      assert.equal(names.map((it) => it.split('__')[0]).join(' '), sees);
    });
  }

  it('are exempt from limits', async () => {
    const key = bearer(await stand.addKey({ user_id: 'ada', rpm_limit: 0 }));
    assert.equal((await stand.ask('/mcp', key, rpcBody('tools/list'))).status, 200);
  });

  it('stop being an administrator’s with the role, and begin with it', async () => {
    const { store } = stand.gateway;
    await store.user.insert({ user_id: 'eve', user_role: 'internal_user', ...stamps });
    const key = bearer(await stand.addKey({ user_id: 'eve' }));
    const status = async (budget_id: string) => (await stand.ask('/budget/new', key, { budget_id })).status;
    assert.equal(await status('1'), 403);
    await stand.manage('POST', '/user/update', { user_id: 'eve', user_role: 'proxy_admin' });
    assert.equal(await status('2'), 200);
    await stand.manage('POST', '/user/update', { user_id: 'eve', user_role: 'internal_user' });
    assert.equal(await status('3'), 403);
  });

  it('are made and renewed by administrators, not by who leads their team or holds their agent’s key', async () => {
    const lead = bearer(await stand.addKey({ user_id: 'bob' }));
    const refused = async (path: string, headers: Record<string, string>, body: object) => {
      const { status, json } = await stand.ask(path, headers, body);
      assert.deepEqual([status, (json as { error: { param: string } }).error.param], [403, 'user_id'], path);
    };
    await refused('/key/generate', lead, { team_id: 'crew', user_id: 'ada' });
    await refused('/key/generate', lead, { user_id: 'ada' });
    const theirs = await stand.addKey({ user_id: 'ada', team_id: 'crew' });
    await refused('/key/regenerate', lead, { key: theirs });
    const plain = await stand.addKey({ team_id: 'crew' });
    await refused('/key/update', lead, { key: plain, user_id: 'ada' });
    const robot = await stand.addKey({ user_id: 'ada', agent_id: 'robot' });
    await refused('/key/generate', bearer(robot), {});
    await refused('/key/update', bearer(robot), { key: robot, agent_id: null });
    const made = await stand.ask('/key/generate', lead, {
      team_id: 'crew',
      user_id: 'bob',
      object_permission: { mcp_servers: [] },
    });
    assert.equal(made.status, 200, made.text);
  });
});
