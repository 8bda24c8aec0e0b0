import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type Managed, openManaged } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

interface Step {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status?: number;
  /** Values that the answer has, by their place in it. */
  readonly has?: Readonly<Record<string, unknown>>;
}
const at = (path: string, body: unknown, has: Step['has'] = {}, status = 200): Step => ({ path, body, has, status });
const read = (path: string, has: Step['has'] = {}, status = 200): Step => ({ method: 'GET', path, has, status });

/** Each is what an administrator does one after another, and what comes of it. */
const stories: Readonly<Record<string, readonly Step[]>> = {
  'a budget is made, changed, read, kept while somebody refers to it, and deleted': [
    at('/budget/new', { budget_id: 'b', max_budget: 10 }, { budget_id: 'b', max_budget: 10, created_by: 'root' }),
    at('/budget/new', { budget_id: 'b' }, { 'error.code': '409' }, 409),
    at('/budget/update', { budget_id: 'b', max_budget: null, rpm_limit: 3 }, { max_budget: null, rpm_limit: 3 }),
    at('/budget/info', { budgets: ['b'] }, { '0.rpm_limit': 3 }),
    read('/budget/info?budget_id=b', { '0.budget_id': 'b' }),
    read('/budget/list', { '0.budget_id': 'b' }),
    at('/customer/new', { user_id: 'holder', budget_id: 'b' }),
    at('/budget/delete', { id: 'b' }, { 'error.param': 'id' }, 409),
    at('/customer/delete', { user_ids: ['holder'] }, { 'deleted_customers.0': 'holder' }),
    at('/budget/delete', { id: 'b' }, { budget_id: 'b' }),
    at('/budget/delete', { id: 'b' }, {}, 404),
  ],
  'an end user is made, blocked, let in again and forgotten': [
    at('/customer/new', { user_id: 'c', alias: 'Cee', max_budget: 1 }, { user_id: 'c', spend: 0 }),
    at('/customer/update', { user_id: 'c', budget_id: 'none' }, { 'error.param': 'budget_id' }, 400),
    at('/budget/new', { budget_id: 'cb' }),
    at('/customer/update', { user_id: 'c', budget_id: 'cb' }, { 'error.param': 'budget_id' }, 400),
    at('/customer/update', { user_id: 'c', max_budget: null, budget_id: 'cb' }, { budget_id: 'cb', max_budget: null }),
    at('/customer/block', { user_ids: ['c', 'unseen'] }, { 'blocked_users.1.user_id': 'unseen' }),
    read('/customer/info?end_user_id=c', { blocked: true, alias: 'Cee' }),
    at('/customer/unblock', { user_ids: ['c'] }, { blocked_users: [] }),
    read('/customer/info?end_user_id=c', { blocked: false }),
    at('/customer/delete', { user_ids: ['c', 'unseen'] }),
    read('/customer/info?end_user_id=c', {}, 404),
  ],
  'an organisation has members, and goes when it is empty': [
    at('/organization/new', {}, { 'error.param': 'organization_alias' }, 400),
    at('/organization/new', { organization_id: 'o', organization_alias: 'Org' }, { organization_id: 'o', spend: 0 }),
    at('/organization/member_add', {
      organization_id: 'o',
      member: [{ user_role: 'internal_user', user_id: 'u' }],
    }),
    at(
      '/organization/member_update',
      { organization_id: 'o', user_id: 'u', role: 'org_admin' },
      {
        'members.0.user_role': 'org_admin',
      },
    ),
    at('/team/new', { team_id: 'ot', organization_id: 'o' }),
    read('/organization/info?organization_id=o', { 'teams.0.team_id': 'ot' }),
    at('/organization/delete', { organization_ids: ['o'] }, {}, 409),
    at('/team/delete', { team_ids: ['ot'] }),
    at('/organization/member_delete', { organization_id: 'o', user_id: 'x' }, { 'error.param': 'user_id' }, 400),
    at('/organization/member_delete', { organization_id: 'o', user_id: 'u' }, { members: [] }),
    {
      method: 'PATCH',
      path: '/organization/update',
      body: { organization_id: 'o', rpm_limit: 4 },
      has: { rpm_limit: 4 },
    },
    { method: 'DELETE', path: '/organization/delete', body: { organization_ids: ['o'] }, has: { '0.rpm_limit': 4 } },
    read('/organization/list', { length: 0 }),
  ],
  'a team has members with roles, and its keys end with it': [
    at(
      '/team/new',
      { team_id: 't', team_alias: 'Tee', organization_id: 'no' },
      { 'error.param': 'organization_id' },
      400,
    ),
    at('/team/new', { team_id: 't', team_alias: 'Tee', max_budget: 5 }, { team_id: 't', spend: 0 }),
    at('/team/member_add', { team_id: 't', member: { role: 'user', user_email: 'Ann@example.invalid' } }),
    at(
      '/team/member_add',
      { team_id: 't', member: { role: 'admin', user_email: 'ann@example.invalid' } },
      {
        'members_with_roles.length': 1,
        'members_with_roles.0.role': 'admin',
      },
    ),
    at('/team/member_add', { team_id: 't', member: { role: 'user' } }, { 'error.param': 'member.user_id' }, 400),
    at(
      '/team/member_update',
      { team_id: 't', user_email: 'ann@example.invalid', role: 'user' },
      {
        'members_with_roles.0.role': 'user',
      },
    ),
    at('/team/update', { team_id: 't', max_budget: 6 }, { 'data.max_budget': 6, 'data.team_alias': 'Tee' }),
    at('/team/block', { team_id: 't' }, { blocked: true }),
    at('/team/unblock', { team_id: 't' }, { blocked: false }),
    at('/key/generate', { team_id: 't', key_alias: 'of-team' }),
    read('/team/info?team_id=t', { 'keys.0.key_alias': 'of-team', 'team_info.max_budget': 6 }),
    read('/team/list', { '0.team_id': 't' }),
    at('/team/member_delete', { team_id: 't', user_email: 'ann@example.invalid' }, { members_with_roles: [] }),
    at('/team/delete', { team_ids: ['t'] }, { 'deleted_teams.0': 't' }),
    read('/team/info?team_id=t', {}, 404),
    read('/key/list?status=deleted&return_full_object=true', { 'keys.0.key_alias': 'of-team' }),
  ],
  'a person belongs to teams, and leaves them when deleted': [
    at('/team/new', { team_id: 'ut' }),
    at('/user/new', { user_id: 'p', teams: ['nowhere'] }, { 'error.param': 'teams' }, 400),
    at('/user/new', { user_id: 'p', user_email: 'p@example.invalid', teams: ['ut'] }, { user_id: 'p', spend: 0 }),
    at('/user/update', { user_id: 'p', user_role: 'internal_user' }, { user_role: 'internal_user' }),
    at('/key/generate', { user_id: 'p', key_alias: 'of-person' }),
    read('/user/info?user_id=p', { 'teams.0.team_id': 'ut', 'keys.0.key_alias': 'of-person' }),
    read('/user/list?user_email=P@EXAMPLE', { total: 1, 'users.0.user_id': 'p' }),
    read('/user/list?role=proxy_admin', { total: 0, users: [] }),
    read('/user/list?search=EXAMPLE', { total: 1, 'users.0.user_id': 'p' }),
    read('/user/list?search=nobody', { total: 0 }),
    at('/user/update', { user_id: 'p', blocked: true }, { blocked: true }),
    read('/audit?table_name=user&action=blocked', { total: 1, 'audit_logs.0.object_id': 'p' }),
    at('/user/update', { user_id: 'p', blocked: false }, { blocked: false }),
    read('/audit?table_name=user&action=unblocked', { total: 1 }),
    at('/user/delete', { user_ids: ['p'] }, { 'deleted_users.0': 'p' }),
    read('/team/info?team_id=ut', { 'team_info.members_with_roles': [] }),
    read('/user/info?user_id=p', { user_info: null, keys: [] }),
  ],
};

describe('teams, organisations, people and budgets', () => {
  verifies('gateway.manage.people');
  let api: Managed;
  before(async () => {
    api = await openManaged();
  });
  after(() => api.close());

  for (const [says, steps] of Object.entries(stories)) {
    it(says, async () => {
      for (const { method = 'POST', path, body, status = 200, has = {} } of steps) {
        const reply = await api.send(api.admin, method, path, body);
        assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
        for (const [place, value] of Object.entries(has))
          assert.deepEqual(reply.at(place), value, `${place} of ${method} ${path}: ${reply.text}`);
      }
    });
  }

  it('what the configuration file made is changed there alone', async () => {
    const stamps = { created_at: 'x', updated_at: 'x', from_config: true };
    await api.store.team.insert({ team_id: 'filed', ...stamps });
    await api.store.budget.insert({ budget_id: 'filed', ...stamps });
    for (const [path, body] of [
      ['/team/update', { team_id: 'filed', max_budget: 1 }],
      ['/team/block', { team_id: 'filed' }],
      ['/team/delete', { team_ids: ['filed'] }],
      ['/budget/update', { budget_id: 'filed', max_budget: 1 }],
      ['/budget/delete', { id: 'filed' }],
    ] as const) {
      const refused = await api.send(api.admin, 'POST', path, body);
      assert.equal(refused.status, 409, path);
      assert.match(refused.text, /configuration file/);
    }
  });
});
