import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type AlertReceiver, openAlertReceiver } from '../../../support/alerts/receiver.ts';
import { twoTools } from '../../../support/gateway/backendAnswers.ts';
import { bearer, toolCall } from '../../../support/gateway/requests.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { until } from '../../../support/until.ts';
import { verifies } from '../../../support/verifies.ts';

describe('alerts of a whole gateway', function whole() {
  let stand: Stand;
  let receiver: AlertReceiver;
  before(async () => {
    receiver = await openAlertReceiver();
    stand = await openStand({ tools: twoTools });
    const target = { target_name: 'ops', type: 'webhook', url: receiver.url, secret: 'a secret of sixteen or more' };
    await stand.manage('POST', '/alert/target/new', { ...target, allow_private_network: true });
    const rule = { rule_name: 'money', events: ['soft_budget_crossed', 'budget_exceeded'], targets: ['ops'] };
    await stand.manage('POST', '/alert/rule/new', { ...rule, group_minutes: 0 });
  });
  after(async () => {
    await stand.close();
    await receiver.close();
  });

  it('report a soft budget that was crossed, and a budget that refused calls, in the name of the key', async () => {
    verifies('gateway.alerts.occasions');
    await stand.register({ alias: 'echo', mcp_info: { mcp_server_cost_info: { default_cost_per_query: 1 } } });
    const record = { key_alias: 'thrifty', soft_budget: 1.5, budget_duration: '30d', max_budget: 2 };
    const key = bearer(await stand.addKey(record));
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await stand.ask('/echo/mcp', key, toolCall('echo'))).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    await until('both are reported', () => receiver.all.length >= 2);
    const messages = receiver.messages();
    const subjects = messages
      .map((it) => [it.type, it.events[0]?.subject.name])
      .sort((one, other) => (String(one) < String(other) ? -1 : 1));
    assert.deepEqual(subjects, [
      ['budget_exceeded', "Key 'thrifty'"],
      ['soft_budget_crossed', 'thrifty'],
    ]);
    const facts = messages.find((it) => it.type === 'budget_exceeded')?.events[0]?.facts;
    assert.deepEqual([facts?.['max_budget'], facts?.['current_cost']], [2, 2]);
    assert.match(String(facts?.['resets_at']), / UTC$/);
  });
});
