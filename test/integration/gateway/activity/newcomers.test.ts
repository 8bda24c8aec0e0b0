import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { bearer, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';

describe('an end user whom nobody registered', () => {
  let stand: Stand;
  let key: string;
  const clock = new StandingClock('2026-03-04T10:00:00.000Z');

  before(async () => {
    stand = await openStand({ clock, tools: twoTools });
    await stand.register({
      alias: 'echo',
      mcp_info: { mcp_server_cost_info: { tool_name_to_cost_per_query: { echo: 2 } } },
    });
    key = await stand.addKey({ user_id: 'ada' });
  });
  after(() => stand.close());

  const call = (user: string, tool = 'echo') =>
    stand.ask('/echo/mcp', { ...bearer(key), 'x-gateway-end-user-id': user }, toolCall(tool));
  const stored = (id: string) => stand.gateway.store.end_user.get(id);

  it('gets a record with the first spending, once, and can be limited and blocked then', async () => {
    await Promise.all([call('carl'), call('carl'), call('carl')]);
    await until('carl is there', async () => (await stored('carl')) !== undefined);
    const list = await stand.manage('GET', '/customer/info?end_user_id=carl');
    assert.deepEqual([list['created_by'], list['spend'], list['blocked']], ['gateway', 6, undefined]);
    await stand.manage('POST', '/customer/update', { user_id: 'carl', max_budget: 7 });
    assert.equal((await call('carl')).status, 429);
    await stand.manage('POST', '/customer/block', { user_ids: ['carl'] });
    assert.equal((await call('carl')).status, 401);
  });

  it('gets none for calls that cost nothing, or under a name that no record can have', async () => {
    await call('free', 'add');
    await call('x'.repeat(300));
    await call('paid');
    await until('the other is there', async () => (await stored('paid')) !== undefined);
    const all = await stand.gateway.store.end_user.all();
    assert.deepEqual(all.map((it) => it.user_id).toSorted(), ['carl', 'paid']);
  });
});
