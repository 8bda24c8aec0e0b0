import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { hashKey } from '../../../../sidecar/gateway/auth/keys.ts';
import { Fault } from '../../../../sidecar/platform/faults.ts';
import { type Managed, openManaged, type Reply, start } from '../../../support/gateway/managed.ts';
import { verifies } from '../../../support/verifies.ts';

const stamps = { created_at: start, updated_at: start };
const HOUR = 60 * 60_000;

describe('the rules of a key', () => {
  let api: Managed;
  let lead: string;
  let isAway: boolean;
  const post = (key: string, path: string, body: object) => api.send(key, 'POST', path, body);
  const outcome = (reply: Reply) => [reply.status, reply.at('error.param')];

  beforeEach(async () => {
    isAway = false;
    const of = async (_kind: string, records: readonly object[]) => {
      if (isAway) throw new Fault('unavailable', 'The database is not responding.');
      return records.map(() => ({ spend: 0 }));
    };
    api = await openManaged({ spending: { of, reset: async () => ({ spend: 0 }) } }, 'all');
    for (const it of ['o1', 'o2'])
      await api.store.organization.insert({ organization_id: it, organization_alias: it, ...stamps });
    const members_with_roles = (['lena', 'boss', 'mo'] as const).map((user_id) => ({
      role: user_id === 'lena' ? ('admin' as const) : ('user' as const),
      user_id,
    }));
    await api.store.team.insert({ team_id: 't', organization_id: 'o1', members_with_roles, ...stamps });
    await api.store.user.insert({ user_id: 'boss', user_role: 'proxy_admin', ...stamps });
    const agent = { agent_id: 'a', agent_name: 'agent', agent_card_params: { url: 'https://a.example' } };
    await api.store.agent.insert({ ...agent, ...stamps });
    lead = await api.give({ user_id: 'lena' });
  });
  afterEach(() => api.close());

  describe('say whose it may be', () => {
    const rows: readonly (readonly [what: string, held: object, wanted: object, refused?: string])[] = [
      ['of the organisation of a key of one, for themselves', { organization_id: 'o2' }, { organization_id: 'o2' }],
      ['of no organisation, for the holder of a key of one', { organization_id: 'o2' }, {}, 'organization_id'],
      ['of another organisation', { organization_id: 'o2' }, { organization_id: 'o1' }, 'organization_id'],
      ['of an organisation, for the holder of a key of none', {}, { organization_id: 'o1' }, 'organization_id'],
      ['of a team and its organisation', {}, { team_id: 't', organization_id: 'o1' }],
      [
        'of a team and the organisation of the own key',
        { organization_id: 'o2' },
        { team_id: 't', organization_id: 'o2' },
        'organization_id',
      ],
      ['of a member of a team', {}, { team_id: 't', user_id: 'mo' }],
      ['of nobody in a team', {}, { team_id: 't', user_id: 'stranger' }, 'user_id'],
      ['of an administrator in a team', {}, { team_id: 't', user_id: 'boss' }, 'user_id'],
      [
        'of an agent, which is no administrator whoever it belongs to',
        {},
        { team_id: 't', user_id: 'boss', agent_id: 'a' },
      ],
    ];
    for (const [what, held, wanted, refused] of rows) {
      it(`${refused ? 'not ' : ''}${what} (privilege escalation)`, async () => {
        verifies('security.privilege-escalation');
        const key = await api.give({ user_id: 'lena', ...held });
        const reply = await post(key, '/key/generate', wanted);
        assert.deepEqual(outcome(reply), refused ? [403, refused] : [200, undefined], reply.text);
      });
    }
    it('also for administrators: of what is there', async () => {
      for (const [wanted, field] of [
        [{ agent_id: 'none' }, 'agent_id'],
        [{ organization_id: 'none' }, 'organization_id'],
        [{ budget_id: 'none' }, 'budget_id'],
        [{ access_group_ids: ['none'] }, 'access_group_ids'],
      ] as const)
        assert.deepEqual(outcome(await post(api.admin, '/key/generate', wanted)), [400, field]);
    });
    it('for administrators nobody where they name nobody', async () => {
      assert.equal((await post(api.admin, '/key/generate', {})).at('user_id'), undefined);
      assert.equal((await post(lead, '/key/generate', {})).at('user_id'), 'lena');
    });
  });

  it('keep the routes that were asked for beside what its type stands for', async () => {
    const made = await post(api.admin, '/key/generate', { key_type: 'read_only', allowed_routes: ['/key/info'] });
    assert.deepEqual(made.at('allowed_routes'), ['/key/info']);
  });
  it('give the key of a program to no person', async () => {
    const reply = await post(api.admin, '/key/service-account/generate', { team_id: 't', user_id: 'mo' });
    assert.deepEqual(outcome(reply), [400, 'user_id']);
  });

  describe('that is replaced', () => {
    const info = (key: string) => api.send(key, 'GET', '/key/info');

    it('hold for those who lead the team of an administrator: it stays theirs (privilege escalation)', async () => {
      verifies('security.privilege-escalation');
      const key = hashKey(await api.give({ team_id: 't', user_id: 'boss' }));
      assert.deepEqual(outcome(await post(lead, '/key/regenerate', { key })), [403, 'user_id']);
      const agents = hashKey(await api.give({ team_id: 't', user_id: 'boss', agent_id: 'a' }));
      assert.equal((await post(lead, '/key/regenerate', { key: agents })).status, 200);
    });
    it('let its holder replace it and not prolong it (privilege escalation)', async () => {
      verifies('security.privilege-escalation');
      const expires = '2026-03-05T10:00:00.000Z';
      const key = await api.give({ user_id: 'mo', expires });
      assert.deepEqual(outcome(await post(key, '/key/regenerate', { key, duration: '30d' })), [403, 'duration']);
      const next = await post(key, '/key/regenerate', { key });
      assert.deepEqual([next.status, next.at('expires')], [200, expires]);
      const again = await post(next.string('key'), '/key/regenerate', { key: next.at('key'), duration: '1h' });
      assert.equal(again.at('expires'), '2026-03-04T11:00:00.000Z');
    });
    it('take no new one that could be guessed', async () => {
      const key = await api.give({});
      for (const new_key of ['sk-short', ''])
        assert.deepEqual(outcome(await post(api.admin, '/key/regenerate', { key, new_key })), [400, 'new_key']);
      assert.equal((await info(key)).status, 200);
    });
    it('let each old key stand for its own new one alone', async () => {
      const [one, other] = [await api.give({ key_alias: 'one' }), await api.give({ key_alias: 'other' })];
      const replace = (key: unknown, more: object = { grace_period: '1h' }) =>
        post(api.admin, '/key/regenerate', { key, ...more });
      await replace(one);
      const second = await replace(other);
      await replace(second.at('key'), {});
      assert.equal((await info(one)).at('info.key_alias'), 'one');
      assert.equal((await info(other)).at('info.key_alias'), 'other');
      assert.equal((await info(second.string('key'))).status, 401);
    });
    it('let a key come back that was replaced, and be replaced again', async () => {
      const first = await api.give({ key_alias: 'back' });
      const second = await post(api.admin, '/key/regenerate', { key: first, grace_period: '1h' });
      const back = await post(api.admin, '/key/regenerate', { key: second.at('key'), new_key: first });
      assert.equal(back.at('key'), first);
      const third = await post(api.admin, '/key/regenerate', { key: first, grace_period: '2h' });
      assert.equal(third.status, 200, third.text);
      api.clock.pass(2 * HOUR - 1);
      assert.equal((await info(first)).at('key'), third.at('token'));
      api.clock.pass(1);
      assert.equal((await info(first)).status, 401);
      assert.equal((await info(third.string('key'))).status, 200);
    });
    it('keep the sessions of the first of several keys with grace, and of none before a key without', async () => {
      const sessionsOf = async (reply: Reply) => (await api.store.key.get(reply.string('token')))?.sessions_of;
      const first = await api.give({});
      const replace = async (key: unknown, more: object = { grace_period: '1h' }) => {
        const reply = await post(api.admin, '/key/regenerate', { key, ...more });
        return [reply.at('key'), await sessionsOf(reply)];
      };
      const [second, ofSecond] = await replace(first);
      const [third, ofThird] = await replace(second);
      assert.deepEqual([ofSecond, ofThird], [hashKey(first), hashKey(first)]);
      assert.equal((await replace(third, {}))[1], null);
    });
  });

  it('let one that was deleted be made and deleted again, and say who did it', async () => {
    const key = 'sk-the-same-one-again-and-again';
    for (let n = 0; n < 2; n += 1) {
      assert.equal((await post(api.admin, '/key/generate', { key, key_alias: `n${n}` })).status, 200);
      assert.equal((await post(api.admin, '/key/delete', { keys: [key] })).status, 200);
    }
    const kept = await api.send(api.admin, 'GET', '/key/list?status=deleted&return_full_object=true');
    const rows = kept.list('keys').map((it) => [it['key_alias'], it['updated_by'], it['updated_at']]);
    assert.deepEqual(rows, [['n1', 'root', start]]);
  });

  it('end with its time, which can be set anew and taken away', async () => {
    const key = await api.give({ expires: '2026-03-05T10:00:00.000Z' });
    const update = async (more: object) => (await post(api.admin, '/key/update', { key, ...more })).at('expires');
    assert.equal(await update({ rpm_limit: 1 }), '2026-03-05T10:00:00.000Z');
    assert.equal(await update({ duration: '2h' }), '2026-03-04T12:00:00.000Z');
    assert.equal(await update({ duration: null }), null);
  });

  describe('that are changed together', () => {
    const bulk = (body: object) => post(api.admin, '/team/key/bulk_update', { team_id: 't', ...body });
    const changed = (reply: Reply) => reply.list('successful_updates').map((it) => it['key']);
    it('are those that are named, by themselves or their hashes, and of the team', async () => {
      const [one, two] = [await api.give({ team_id: 't' }), await api.give({ team_id: 't' })];
      const outside = await api.give({});
      const update_fields = { rpm_limit: 3 };
      assert.deepEqual(changed(await bulk({ key_ids: [one, outside], update_fields })), [hashKey(one)]);
      assert.deepEqual(changed(await bulk({ key_ids: [hashKey(two)], update_fields })), [hashKey(two)]);
      assert.equal((await bulk({ key_ids: [], update_fields })).at('total_requested'), 0);
      assert.equal(changed(await bulk({ all_keys_in_team: true, update_fields })).length, 2);
      assert.equal((await bulk({ update_fields })).at('error.param'), 'key_ids');
    });
    it('are answered as a whole with 503 where the database goes away in the middle', async () => {
      const key = await api.give({ team_id: 't' });
      isAway = true;
      const reply = await post(api.admin, '/key/bulk_update', { keys: [{ key, rpm_limit: 1 }] });
      assert.equal(reply.status, 503);
    });
  });
});
