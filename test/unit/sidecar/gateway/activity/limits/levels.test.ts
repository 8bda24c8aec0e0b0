import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type LimitedParts, levelsOf } from '../../../../../../sidecar/gateway/activity/limits/levels.ts';

const at = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: at, updated_at: at };
const key = { token: 'a'.repeat(64), token_id: 'k', key_name: 'sk-...abcd', rotation_count: 0, ...stamps };
const team = { team_id: 't1', team_alias: 'Blue', ...stamps };
const user = { user_id: 'u1', ...stamps };
/** All but the one that every call has. */
const ownLevels = (parts: LimitedParts) => levelsOf(parts, () => undefined).filter((it) => it.type !== 'global');
const named = (parts: LimitedParts) => ownLevels(parts).map((it) => `${it.type} ${it.alias}`);

describe('whose limits a call has to keep', () => {
  it("are those of the user for a personal key, and the team's for a team's key", () => {
    assert.deepEqual(named({ key, user }), ['user u1', 'key sk-...abcd']);
    assert.deepEqual(named({ key: { ...key, key_alias: 'mine' }, user, team }), ['team Blue', 'key mine']);
  });
  it('are those of an end user also where there is no record', () =>
    assert.deepEqual(named({ endUserId: 'e1' }), ['end_user e1']));
  it('are those of a called agent, of its session and of the organization', () => {
    const agent = {
      agent_id: 'id',
      agent_name: 'Helper',
      agent_card_params: {},
      session_rpm_limit: 3,
      gateway_params: { max_budget_per_session: 2 },
      ...stamps,
    };
    const levels = ownLevels({ agent, sessionId: 's/1', organization: { organization_id: 'o1', ...stamps } });
    assert.deepEqual(
      levels.map((it) => [it.type, it.id]),
      [
        ['agent', 'id'],
        ['session', 'id/s%2F1'],
        ['organization', 'o1'],
      ],
    );
    assert.deepEqual([levels[1]?.limits.max_budget, levels[1]?.limits.rpm_limit], [2, 3]);
  });
  it('are those of the person in a team, by what the team says of them or else of everybody', () => {
    const members_with_roles = [
      { role: 'user' as const, user_id: 'u1', max_budget_in_team: 3, budget_duration: '1h' },
      { role: 'user' as const, user_email: 'Two@b.example', max_budget_in_team: 4 },
      { role: 'user' as const, user_id: 'u3' },
    ];
    const all = { team_member_budget: 5, team_member_budget_duration: '1d', team_member_rpm_limit: 6 };
    const crew = { ...team, members_with_roles, ...all };
    const member = (user_id: string, user_email?: string) => {
      const parts = { key: { ...key, user_id }, user: { user_id, user_email, ...stamps }, team: crew };
      const found = levelsOf(parts, () => undefined).find((it) => it.type === 'team_member');
      const { max_budget, budget_duration, rpm_limit } = found?.limits ?? {};
      return [found?.id, found?.alias, max_budget, budget_duration, rpm_limit];
    };
    assert.deepEqual(member('u1'), ['t1/u1', 'u1 of Blue', 3, '1h', 6]);
    assert.deepEqual(member('u2', 'two@B.example'), ['t1/u2', 'u2 of Blue', 4, '1d', 6]);
    assert.deepEqual(member('u3'), ['t1/u3', 'u3 of Blue', 5, '1d', 6]);
    assert.deepEqual(member('nobody/else'), ['t1/nobody%2Felse', 'nobody/else of Blue', 5, '1d', 6]);
  });
  it('are those of the budget that is called global, for everybody', () => {
    const budget = { budget_id: 'global', max_budget: 10, ...stamps };
    const levels = levelsOf({ key }, (id) => (id === 'global' ? budget : undefined));
    assert.deepEqual(
      levels.map((it) => [it.type, it.limits.max_budget]),
      [
        ['key', undefined],
        ['global', 10],
      ],
    );
  });
  it('come from a named budget, as far as the record says nothing itself', () => {
    const budget = { budget_id: 'b1', max_budget: 10, rpm_limit: 5, ...stamps };
    const limited = { ...key, budget_id: 'b1', max_budget: 3, rpm_limit: null };
    const [level] = levelsOf({ key: limited }, (id) => (id === 'b1' ? budget : undefined));
    assert.deepEqual([level?.limits.max_budget, level?.limits.rpm_limit], [3, 5]);
  });
});
