import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { type KindName, kinds } from '../../../../sidecar/gateway/storage/kinds.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { fillGateway } from '../../../support/gateway/filling/fillGateway.ts';
import type { StorePlace } from '../../../support/gateway/stores.ts';

const at = '2026-03-04T10:00:00.000Z';
const plan = { teams: 3, keys: 20, servers: 6, calls: 500, days: 3, backendUrl: 'http://127.0.0.1:9' };
const nowMs = Date.parse(at);

/** The filling that pages and list routes are measured with holds together. */
export function fillingContract(name: string, open: () => Promise<StorePlace>): void {
  describe(`a filled gateway on ${name}`, () => {
    let place: StorePlace;
    let store: GatewayStore;
    before(async function start() {
      place = await open();
      store = await place.open(new StandingClock(at));
      await fillGateway(store, { ...plan, nowMs });
    });
    after(async () => {
      await store.close();
      place.remove();
    });

    it('has as many records as the plan says, each of which can be read', async () => {
      const counted: Partial<Record<KindName, number>> = {};
      for (const kind of Object.keys(kinds) as KindName[]) counted[kind] = (await store[kind].all()).length;
      assert.deepEqual([counted.team, counted.key, counted.mcp_server], [3, 20, 6]);
      const isWithout = (kind: KindName) => counted[kind] === 0;
      const never: readonly KindName[] = ['key_grace', 'deleted_key', 'tool_pin', 'scim_token'];
      assert.deepEqual((Object.keys(kinds) as KindName[]).filter(isWithout), never);
    });

    it('has sums of days that agree with its log, day by day', async () => {
      const { db } = store.database;
      await store.logLines.enterAll();
      const lines = await db.selectFrom('spend_logs').select(['started_ms', 'spend', 'status']).execute();
      const sums = await db
        .selectFrom('daily_activity')
        .select(['date', 'spend', 'successful_requests', 'failed_requests'])
        .execute();
      const ofLines = new Map<string, { spend: number; good: number; bad: number }>();
      const add = (date: string, spend: number, good: number, bad: number, to: typeof ofLines) => {
        const day = to.get(date) ?? { spend: 0, good: 0, bad: 0 };
        to.set(date, { spend: day.spend + spend, good: day.good + good, bad: day.bad + bad });
      };
      for (const { started_ms, spend, status } of lines) {
        const isGood = status === 'success' ? 1 : 0;
        add(new Date(Number(started_ms)).toISOString().slice(0, 10), spend, isGood, 1 - isGood, ofLines);
      }
      const ofSums: typeof ofLines = new Map();
      for (const it of sums) add(it.date, it.spend, Number(it.successful_requests), Number(it.failed_requests), ofSums);
      const rounded = (from: typeof ofLines) =>
        [...from].map(([date, it]) => `${date} ${it.spend.toFixed(6)} ${it.good} ${it.bad}`).toSorted();
      assert.equal(lines.length, plan.calls);
      assert.deepEqual(rounded(ofSums), rounded(ofLines));
    });
  });
}
