import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../sidecar/protocol/gateway/duration.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import { openStand } from '../../support/gateway/stand.ts';
import { until } from '../../support/until.ts';

describe('lines of calls', () => {
  for (const [keepLogDays, left] of [
    [undefined, ['after 20 days']],
    [100, ['at once', 'after 20 days']],
    [0, ['at once', 'after 20 days']],
  ] as const)
    it(`are kept ${keepLogDays === 0 ? 'for ever where somebody wants that' : `for ${keepLogDays ?? 90} days`}`, async () => {
      const clock = new StandingClock('2026-01-01T00:00:00.000Z');
      const whole = await openStand({ clock, ...(keepLogDays === undefined ? {} : { keepLogDays }) });
      const { store } = whole.gateway;
      const lines = async () => {
        const query = SpendLogsQuery.parse({ sort_order: 'asc', search: 'a' });
        return (await store.spendLogs.page(query)).data.map((it) => it.session_id);
      };
      const call = async (sessionId: string) => {
        const headers = { 'x-gateway-session-id': sessionId };
        await (await whole.as(whole.adminKey, '/a2a/nobody', { method: 'POST', headers, body: '{}' })).text();
        await until(`the call ${sessionId} is on record`, async () => (await lines()).includes(sessionId));
      };
      await call('at once');
      clock.pass(20 * DAY_MS);
      await call('after 20 days');
      clock.pass(71 * DAY_MS);
      const later = await whole.replica();
      // What is done once begins when the replica leads; the lead is given back when it is over.
      const leads = () => later.logLines.some((it) => it.includes('This replica is now the leader'));
      await until('the replica leads', leads);
      await later.gateway.close(0);
      assert.deepEqual(await lines(), left);
      await whole.close();
    });
});
