import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TeamRecord } from '../../../../sidecar/protocol/gateway/people.ts';
import { type Managed, openManaged, type Reply, start } from '../../../support/gateway/managed.ts';

const stamps = { created_at: start, updated_at: start };

describe('people, their teams and organisations', () => {
  let api: Managed;
  const post = (key: string, path: string, body: object) => api.send(key, 'POST', path, body);
  const get = (key: string, path: string) => api.send(key, 'GET', path);
  const outcome = (reply: Reply) => [reply.status, reply.at('error.param')];
  const team = (team_id: string, more: Partial<TeamRecord> = {}) =>
    api.store.team.insert({ team_id, ...stamps, ...more });
  beforeEach(async () => {
    api = await openManaged({}, 'all');
  });
  afterEach(() => api.close());

  describe('a person', () => {
    it('spends by keys of teams apart from their own', async () => {
      await team('t');
      for (const user_id of ['ann', 'bob']) await api.store.user.insert({ user_id, ...stamps });
      for (const [key_alias, more, spend] of [
        ['own', { user_id: 'ann' }, 1],
        ['first', { user_id: 'ann', team_id: 't' }, 2],
        ['second', { user_id: 'ann', team_id: 't' }, 4],
        ['of another', { user_id: 'bob', team_id: 't' }, 8],
        ['of a program', { team_id: 't' }, 16],
      ] as const) {
        await api.give({ key_alias, ...more });
        api.spent.set((await api.store.key.byAlias(key_alias))?.token_id ?? '', spend);
      }
      api.spent.set('ann', 32);
      const users = (await get(api.admin, '/user/list')).list('users');
      const spends = users.map((it) => [it['user_id'], it['spend'], it['team_spend']]);
      assert.deepEqual(spends, [
        ['ann', 32, 6],
        ['bob', 0, 8],
      ]);
    });
    it('sees themselves, and nobody else but an administrator', async () => {
      const ann = await api.give({ user_id: 'ann' });
      const viewer = await api.give({ role: 'proxy_admin_viewer', user_id: 'vi' });
      for (const user_id of ['ann', 'bob']) await api.store.user.insert({ user_id, ...stamps });
      assert.equal((await get(ann, '/user/info')).at('user_info.user_id'), 'ann');
      assert.equal((await get(ann, '/user/info?user_id=ann')).status, 200);
      assert.deepEqual(outcome(await get(ann, '/user/info?user_id=bob')), [403, 'user_id']);
      assert.equal((await get(viewer, '/user/info?user_id=bob')).at('user_info.user_id'), 'bob');
      assert.deepEqual(outcome(await get(await api.give(), '/user/info')), [400, 'user_id']);
    });
    it('is deleted with all of their keys and out of all of their teams, and nobody is where one of several is unknown', async () => {
      const members_with_roles = ['ann', 'bob'].map((user_id) => ({ role: 'user' as const, user_id }));
      for (const it of ['t1', 't2']) await team(it, { members_with_roles });
      await api.store.user.insert({ user_id: 'ann', ...stamps });
      for (let n = 0; n < 3; n += 1) await api.give({ user_id: 'ann', ...(n > 0 && { team_id: 't1' }) });
      const bobs = await api.give({ user_id: 'bob' });
      const refused = await post(api.admin, '/user/delete', { user_ids: ['ann', 'none'] });
      assert.equal(refused.status, 404);
      assert.equal((await api.store.key.list({ user_id: 'ann' })).total, 3);
      assert.equal((await post(api.admin, '/user/delete', { user_ids: ['ann'] })).status, 200);
      assert.equal((await api.store.key.list({ user_id: 'ann' })).total, 0);
      for (const it of ['t1', 't2'])
        assert.deepEqual(
          (await api.store.team.get(it))?.members_with_roles?.map((one) => one.user_id),
          ['bob'],
        );
      assert.equal((await get(bobs, '/key/info')).status, 200);
    });
  });

  describe('an organisation', () => {
    beforeEach(async () => {
      for (const it of ['o1', 'o2'])
        await api.store.organization.insert({
          organization_id: it,
          organization_alias: it,
          members: [{ user_role: it === 'o1' ? 'org_admin' : 'internal_user', user_id: 'olga' }],
          ...stamps,
        });
    });
    it('is changed by those who lead it, and is not there for its other members to change', async () => {
      const olga = await api.give({ user_id: 'olga' });
      const member = { user_role: 'internal_user', user_id: 'new', user_email: 'new@example.invalid' };
      assert.equal((await post(olga, '/organization/member_add', { organization_id: 'o1', member })).status, 200);
      const name = { user_email: 'NEW@example.invalid' };
      const next = await post(olga, '/organization/member_update', {
        organization_id: 'o1',
        ...name,
        role: 'org_admin',
      });
      assert.deepEqual(next.list('members')[1], { ...member, user_role: 'org_admin' });
      for (const path of ['/organization/member_add', '/organization/member_update', '/organization/member_delete']) {
        const more = path.endsWith('add')
          ? { member }
          : { user_id: 'olga', ...(path.endsWith('update') && { role: 'org_admin' }) };
        assert.equal((await post(olga, path, { organization_id: 'o2', ...more })).status, 404, path);
      }
    });
    it('is seen by its members and by keys of its teams, with all others hidden', async () => {
      await team('t', { organization_id: 'o2' });
      const seen = async (key: string) =>
        (await get(key, '/organization/list')).list().map((it) => it['organization_id']);
      assert.deepEqual(await seen(await api.give({ user_id: 'olga' })), ['o1', 'o2']);
      assert.deepEqual(await seen(await api.give({ team_id: 't' })), ['o2']);
      assert.deepEqual(await seen(await api.give({ organization_id: 'o1' })), ['o1']);
      assert.deepEqual(await seen(await api.give({ user_id: 'stranger' })), []);
    });
    it('is deleted with others, or none is: where one has keys left, or is unknown', async () => {
      const key = await api.give({ organization_id: 'o2' });
      for (const ids of [
        ['o1', 'o2'],
        ['o1', 'none'],
      ]) {
        const reply = await post(api.admin, '/organization/delete', { organization_ids: ids });
        assert.ok([404, 409].includes(reply.status));
        assert.ok(await api.store.organization.get('o1'));
      }
      await post(api.admin, '/key/delete', { keys: [key] });
      assert.equal((await post(api.admin, '/organization/delete', { organization_ids: ['o1', 'o2'] })).status, 200);
    });
  });

  it('a budget is kept while anybody refers to it', async () => {
    const budget_id = 'b';
    await post(api.admin, '/budget/new', { budget_id, max_budget: 1 });
    const holders = {
      key: [
        () => post(api.admin, '/key/generate', { key_alias: 'k', budget_id }),
        '/key/delete',
        { key_aliases: ['k'] },
      ],
      team: [() => post(api.admin, '/team/new', { team_id: 't', budget_id }), '/team/delete', { team_ids: ['t'] }],
      organization: [
        () => post(api.admin, '/organization/new', { organization_id: 'o', organization_alias: 'o', budget_id }),
        '/organization/delete',
        { organization_ids: ['o'] },
      ],
      end_user: [
        () => post(api.admin, '/customer/new', { user_id: 'c', budget_id }),
        '/customer/delete',
        { user_ids: ['c'] },
      ],
    } as const;
    for (const [kind, [make, path, body]] of Object.entries(holders)) {
      assert.equal((await make()).status, 200, kind);
      const refused = await post(api.admin, '/budget/delete', { id: budget_id });
      assert.deepEqual(outcome(refused), [409, 'id'], kind);
      assert.ok(refused.text.includes(`${kind} records: 1`), refused.text);
      assert.equal((await post(api.admin, path, body)).status, 200, kind);
    }
    assert.equal((await post(api.admin, '/budget/delete', { id: budget_id })).status, 200);
  });

  describe('an end user', () => {
    it('has a budget of their own or one that is shared, also one of nothing', async () => {
      await post(api.admin, '/budget/new', { budget_id: 'b' });
      const both = await post(api.admin, '/customer/new', { user_id: 'c', max_budget: 0, budget_id: 'b' });
      assert.deepEqual(outcome(both), [400, 'budget_id']);
      await post(api.admin, '/customer/new', { user_id: 'c', budget_id: 'b' });
      const late = await post(api.admin, '/customer/update', { user_id: 'c', max_budget: 1 });
      assert.deepEqual(outcome(late), [400, 'budget_id']);
    });
    it('that nobody knows is made to be blocked, and not to be let in; and is not forgotten with others', async () => {
      assert.equal((await post(api.admin, '/customer/unblock', { user_ids: ['unseen'] })).status, 404);
      await post(api.admin, '/customer/block', { user_ids: ['unseen'] });
      assert.equal((await api.store.end_user.get('unseen'))?.blocked, true);
      const refused = await post(api.admin, '/customer/delete', { user_ids: ['unseen', 'none'] });
      assert.equal(refused.status, 404);
      assert.ok(await api.store.end_user.get('unseen'));
    });
  });
});
