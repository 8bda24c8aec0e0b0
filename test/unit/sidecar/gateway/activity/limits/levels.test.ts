import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { type LimitedParts, levelsOf } from '../../../../../../sidecar/gateway/activity/limits/levels.ts';

const at = '2026-03-04T10:00:00.000Z';
const stamps = { created_at: at, updated_at: at };
const key = { token: 'a'.repeat(64), token_id: 'k', key_name: 'sk-...abcd', rotation_count: 0, ...stamps };
const team = { team_id: 't1', team_alias: 'Blue', ...stamps };
const user = { user_id: 'u1', ...stamps };
const named = (parts: LimitedParts) => levelsOf(parts, () => undefined).map((it) => `${it.type} ${it.alias}`);

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
    const levels = levelsOf(
      { agent, sessionId: 's/1', organization: { organization_id: 'o1', ...stamps } },
      () => undefined,
    );
    assert.deepEqual(
      levels.map((it) => [it.type, it.id]),
      [
        ['agent', 'id'],
        ['session', 'id/s/1'],
        ['organization', 'o1'],
      ],
    );
    assert.deepEqual([levels[1]?.limits.max_budget, levels[1]?.limits.rpm_limit], [2, 3]);
  });
  it('come from a named budget, as far as the record says nothing itself', () => {
    const budget = { budget_id: 'b1', max_budget: 10, rpm_limit: 5, ...stamps };
    const limited = { ...key, budget_id: 'b1', max_budget: 3, rpm_limit: null };
    const [level] = levelsOf({ key: limited }, (id) => (id === 'b1' ? budget : undefined));
    assert.deepEqual([level?.limits.max_budget, level?.limits.rpm_limit], [3, 5]);
  });
});
