import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TeamRecord } from '../../../../sidecar/protocol/gateway/people.ts';
import { type Managed, openManaged, type Reply, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: start, updated_at: start };

describe('a team', () => {
  let api: Managed;
  const post = (key: string, path: string, body: object) => api.send(key, 'POST', path, body);
  const get = (key: string, path: string) => api.send(key, 'GET', path);
  const outcome = (reply: Reply) => [reply.status, reply.at('error.param')];
  const team = (team_id: string, more: Partial<TeamRecord> = {}) =>
    api.store.team.insert({ team_id, ...stamps, ...more });
  afterEach(() => api.close());
  const members = (max_budget_in_team?: number) => [
    { role: 'admin' as const, user_id: 'lena' },
    { role: 'user' as const, user_id: 'mo', ...(max_budget_in_team !== undefined && { max_budget_in_team }) },
  ];
  const each = { team_member_budget: 5, team_member_budget_duration: '30d' };
  let lead: string;
  beforeEach(async () => {
    api = await openManaged({}, 'all');
    lead = await api.give({ user_id: 'lena' });
  });

  it('is seen whole by those who lead it, in part by its members and keys, and not by others', async () => {
    await team('t', { members_with_roles: members() });
    const [own, another] = [await api.give({ team_id: 't', user_id: 'mo' }), await api.give({ team_id: 't' })];
    const seen = async (key: string) => {
      const reply = await get(key, '/team/info?team_id=t');
      return reply.status === 200 ? reply.list('keys').length : reply.status;
    };
    const [member, stranger] = [await api.give({ user_id: 'mo' }), await api.give({ user_id: 'stranger' })];
    const all = [lead, own, another, member, stranger, api.admin].map(seen);
    assert.deepEqual(await Promise.all(all), [2, 1, 1, 0, 404, 2]);
    const listed = [lead, another, member, stranger].map(async (it) => (await get(it, '/team/list')).list().length);
    assert.deepEqual(await Promise.all(listed), [1, 1, 1, 0]);
    assert.deepEqual(outcome(await get(member, '/team/list?user_id=lena')), [403, 'user_id']);
    assert.equal((await get(api.admin, '/team/list?user_id=lena')).list().length, 1);
    assert.equal((await get(api.admin, '/team/list?user_id=none')).list().length, 0);
  });

  const budgets: readonly (readonly [what: string, member: object, refused?: string])[] = [
    ['as much as is meant for each', { max_budget_in_team: 5 }],
    ['as much, as often', { max_budget_in_team: 5, budget_duration: '30d' }],
    ['more than is meant for each', { max_budget_in_team: 5.01 }, 'max_budget_in_team'],
    ['as much, more often', { max_budget_in_team: 5, budget_duration: '1d' }, 'max_budget_in_team'],
    ['no budget of their own', {}],
  ];
  for (const [what, more, refused] of budgets) {
    it(`gives a member ${what}: ${refused ? 'not by those who lead it' : 'by anybody who leads it'} (privilege escalation)`, async () => {
      verifies('security.privilege-escalation');
      await team('t', { members_with_roles: members(), ...each });
      const asks = (key: string) => [
        post(key, '/team/member_add', { team_id: 't', member: { role: 'user', user_id: 'new' }, ...more }),
        post(key, '/team/member_add', { team_id: 't', member: { role: 'user', user_id: 'new', ...more } }),
        post(key, '/team/member_update', { team_id: 't', user_id: 'mo', role: 'user', ...more }),
      ];
      for (const it of await Promise.all(asks(lead)))
        assert.deepEqual(outcome(it), refused ? [403, refused] : [200, undefined], it.text);
      for (const it of await Promise.all(asks(api.admin))) assert.equal(it.status, 200, it.text);
    });
  }

  const changes: readonly (readonly [what: string, before: Partial<TeamRecord>, change: object, refused?: string])[] = [
    ['less for each', each, { team_member_budget: 4 }],
    ['more for each', each, { team_member_budget: 6 }, 'team_member_budget'],
    ['no end for each', each, { team_member_budget: null }, 'team_member_budget'],
    ['as much for each, more often', each, { team_member_budget_duration: '1d' }, 'team_member_budget_duration'],
    ['how often, where nothing is meant for each', {}, { team_member_budget_duration: '1d' }],
    ['an end for each, where there was none', {}, { team_member_budget: 4 }],
    ['models of those that it has', { models: ['m1', 'm2'] }, { models: ['m1'] }],
    ['models that it has not', { models: ['m1'] }, { models: ['m1', 'm2'] }, 'models'],
    ['a guardrail more', { guardrails: ['g1'] }, { guardrails: ['g1', 'g2'] }],
    ['a guardrail less', { guardrails: ['g1'] }, { guardrails: [] }, 'guardrails'],
    ['a budget that is smaller', { max_budget: 5 }, { max_budget: 4 }],
    ['a budget that is larger', { max_budget: 5 }, { max_budget: 6 }, 'max_budget'],
    ['a shared budget that is larger', { max_budget: 5 }, { max_budget: null, budget_id: 'large' }, 'max_budget'],
    ['another organisation', {}, { organization_id: 'o' }, 'organization_id'],
  ];
  for (const [what, before, change, refused] of changes) {
    it(`${refused ? 'is not given' : 'is given'} ${what} by those who lead it (privilege escalation)`, async () => {
      verifies('security.privilege-escalation');
      await post(api.admin, '/organization/new', { organization_id: 'o', organization_alias: 'o' });
      await post(api.admin, '/budget/new', { budget_id: 'large', max_budget: 100 });
      await team('t', { members_with_roles: members(), ...before });
      const reply = await post(lead, '/team/update', { team_id: 't', ...change });
      assert.deepEqual(outcome(reply), refused ? [403, refused] : [200, undefined], reply.text);
      assert.equal((await post(api.admin, '/team/update', { team_id: 't', ...change })).status, 200);
    });
  }

  it('is blocked and changed while it is blocked by those who lead it, and let in by administrators', async () => {
    await team('t', { members_with_roles: members() });
    assert.equal((await post(lead, '/team/block', { team_id: 't' })).status, 200);
    assert.equal((await post(lead, '/team/update', { team_id: 't', rpm_limit: 1 })).status, 200);
    assert.deepEqual(outcome(await post(lead, '/team/unblock', { team_id: 't' })), [403, 'blocked']);
    assert.equal((await post(api.admin, '/team/unblock', { team_id: 't' })).status, 200);
  });

  it('is deleted by those of its organisation with its keys, or none of several is', async () => {
    const org = {
      organization_alias: 'o',
      members: [{ user_role: 'org_admin' as const, user_id: 'olga' }],
      ...stamps,
    };
    await api.store.organization.insert({ organization_id: 'o', ...org });
    const olga = await api.give({ user_id: 'olga' });
    for (const it of ['t1', 't2']) await team(it, { organization_id: 'o', members_with_roles: members() });
    await team('outside', { members_with_roles: members() });
    const key = await api.give({ team_id: 't1' });
    assert.deepEqual(outcome(await post(lead, '/team/delete', { team_ids: ['t1'] })), [403, 'organization_id']);
    assert.equal((await post(olga, '/team/delete', { team_ids: ['t1', 'outside'] })).status, 404);
    assert.ok(await api.store.team.get('t1'));
    assert.deepEqual((await post(olga, '/team/delete', { team_ids: ['t1', 't1', 't2'] })).at('deleted_teams'), [
      't1',
      't2',
    ]);
    assert.equal((await get(key, '/key/info')).status, 401);
    assert.deepEqual(outcome(await post(lead, '/team/new', { team_id: 'n' })), [403, 'organization_id']);
    assert.equal((await post(olga, '/team/new', { team_id: 'n', organization_id: 'o' })).status, 200);
  });
});
