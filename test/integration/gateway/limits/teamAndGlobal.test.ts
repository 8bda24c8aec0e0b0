import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { type Answer, bearer, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';

const at = '2026-01-01T00:00:00.000Z';
const stamps = { created_at: at, updated_at: at };

/** The order in which budgets are checked: team, member of the team, …, and at last everybody together. */
describe('budgets of team members, and of everybody together', () => {
  let stand: Stand;
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');

  before(async () => {
    stand = await openStand({ clock, tools: twoTools });
    const mcp_info = { mcp_server_cost_info: { default_cost_per_query: 1 } };
    await stand.register({ alias: 'echo', mcp_info });
    const { store } = stand.gateway;
    for (const user_id of ['ada', 'bob', 'eve']) await store.user.insert({ user_id, ...stamps });
    await stand.manage('POST', '/team/new', { team_id: 'crew', max_budget: 7, team_member_budget: 2 });
    const add = (body: object) => stand.manage('POST', '/team/member_add', { team_id: 'crew', ...body });
    await add({ member: [{ role: 'user', user_id: 'ada' }], max_budget_in_team: 3, budget_duration: '1h' });
    await add({ member: { role: 'admin', user_id: 'bob' } });
  });
  after(() => stand.close());

  const call = (key: string) => stand.ask('/echo/mcp', bearer(key), toolCall('echo'));
  const messageOf = ({ json }: Answer) => (json as { error?: { message?: string } }).error?.message ?? '';
  async function callsUntilRefused(key: string): Promise<readonly [count: number, message: string]> {
    for (let count = 0; count < 20; count += 1) {
      const answer = await call(key);
      if (answer.status === 429) return [count, messageOf(answer)];
      assert.equal(answer.status, 200, answer.text);
    }
    return assert.fail('was never refused');
  }

  it('stop a member with all their keys of the team, and no other member', async () => {
    const mine = await stand.addKey({ team_id: 'crew', user_id: 'ada' });
    assert.equal((await call(mine)).status, 200);
    const [more, message] = await callsUntilRefused(await stand.addKey({ team_id: 'crew', user_id: 'ada' }));
    assert.equal(more, 2);
    assert.match(message, /Team member 'ada of crew' of its 1h window, Spend=\$3, Limit=\$3\./);
    assert.equal((await call(mine)).status, 429);
    const [bobs, words] = await callsUntilRefused(await stand.addKey({ team_id: 'crew', user_id: 'bob' }));
    assert.equal(bobs, 2);
    assert.match(words, /Team member 'bob of crew'\. Current cost: 2, Max budget: 2$/);
  });

  it('let a member go on in the next window, until the team has nothing left', async () => {
    clock.setTo('2026-03-04T11:00:00.000Z');
    const [more, message] = await callsUntilRefused(await stand.addKey({ team_id: 'crew', user_id: 'ada' }));
    assert.equal(more, 2);
    assert.match(message, /Team 'crew'\. Current cost: 7, Max budget: 7$/);
  });

  it('are shared out by who leads the team, to nobody more than is meant for each', async () => {
    const lead = bearer(await stand.addKey({ user_id: 'bob' }));
    const give = (body: object, path = '/team/member_update') => stand.ask(path, lead, { team_id: 'crew', ...body });
    assert.equal((await give({ user_id: 'ada', max_budget_in_team: 1, budget_duration: null })).status, 200);
    const rows: readonly (readonly [body: object, param: string, path?: string])[] = [
      [{ user_id: 'bob', max_budget_in_team: 2.5 }, 'max_budget_in_team'],
      [{ user_id: 'bob', max_budget_in_team: 2, budget_duration: '1m' }, 'max_budget_in_team'],
      [{ member: { role: 'user', user_id: 'eve', max_budget_in_team: 9 } }, 'max_budget_in_team', '/team/member_add'],
      [{ team_member_budget: 3 }, 'team_member_budget', '/team/update'],
      [{ team_member_budget: null }, 'team_member_budget', '/team/update'],
      [{ team_member_budget_duration: '1m' }, 'team_member_budget_duration', '/team/update'],
    ];
    for (const [body, param, path] of rows) {
      const refused = await give(body, path);
      const { error } = refused.json as { error: { param: string } };
      assert.deepEqual([refused.status, error.param], [403, param], JSON.stringify(body));
    }
  });

  it('stop everybody but administrators, whose spending counts, when the budget called global is spent', async () => {
    const before = 7;
    await stand.manage('POST', '/budget/new', { budget_id: 'global', max_budget: before + 3 });
    const admin = await stand.addKey({ role: 'proxy_admin' });
    assert.equal((await call(admin)).status, 200);
    const key = await stand.addKey();
    const [more, message] = await callsUntilRefused(key);
    assert.equal(more, 2);
    assert.match(message, /Gateway 'global'\. Current cost: 10, Max budget: 10$/);
    assert.equal((await call(admin)).status, 200);
    await stand.manage('POST', '/budget/update', { budget_id: 'global', max_budget: 20 });
    assert.equal((await call(key)).status, 200);
  });
});
