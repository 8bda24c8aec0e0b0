import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Accounting, openAccounting } from '../../../sidecar/gateway/activity/accounting.ts';
import { spendingOf } from '../../../sidecar/gateway/activity/spending.ts';
import type { CallContext, Caller } from '../../../sidecar/gateway/auth/caller.ts';
import { Directory } from '../../../sidecar/gateway/auth/directory.ts';
import type { GatewayStore } from '../../../sidecar/gateway/storage/store.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import { callContext } from '../../support/gateway/callContext.ts';
import { StandingClock } from '../../support/gateway/clock.ts';
import { type StorePlace, sqlitePlace } from '../../support/gateway/stores.ts';
import { stillTimers } from '../../support/manualTimers.ts';
import { keepingLog } from '../../support/testLog.ts';

const stamps = { created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' };
const first = { endpoint: '/mcp', call_type: 'c', model: 'm' };

describe('the accounting of calls', () => {
  const clock = new StandingClock('2026-03-04T10:20:30.000Z');
  let place: StorePlace;
  let store: GatewayStore;
  let accounting: Accounting;
  let directory: Directory;
  beforeEach(async () => {
    place = await sqlitePlace();
    store = await place.open(clock);
    await store.mcp_server.insert({
      server_id: 'id-math',
      alias: 'math',
      transport: 'http',
      approval_status: 'active',
      url: 'http://m.test/',
      ...stamps,
    });
    directory = new Directory(store);
    const { log } = keepingLog();
    const shared = { store, directory, clock, timers: stillTimers, newId: randomUUID, log };
    accounting = openAccounting({ ...shared, surfaceOf: () => 'mcp' });
  });
  afterEach(async () => {
    await accounting.close();
    await store.close();
    place.remove();
  });

  let calls = 0;
  const contextOf = (key: Partial<KeyRecord>, caller: Partial<Caller> = {}): CallContext => {
    calls += 1;
    const context = callContext({ requestId: `call-${calls}`, caller: { ...caller, key: { token: 'k'.repeat(64) } } });
    return { ...context, caller: { ...context.caller, key: { ...context.caller.key, ...key } } };
  };
  const lines = async (): Promise<readonly SpendLog[]> => {
    await accounting.activity.flush();
    return (await store.spendLogs.page(SpendLogsQuery.parse({ page_size: 100 }))).data;
  };

  it('checks only limits by server for a part of an admitted request, and leaves the shown limits as they are', async () => {
    const limits = { rpm_limit: 1, max_budget: 0.5, mcp_rpm_limit: { math: 1 } };
    const context = contextOf(limits);
    (await accounting.admit(context, { cost: 0.5 })).settle(0.5);
    const shown = context.progress.rates();
    assert.deepEqual(
      shown.map((it) => [it.kind, it.limit, it.remaining]),
      [['requests', 1, 0]],
    );
    const part = { cost: 0, server_id: 'id-math', isPart: true };
    (await accounting.admit(context, part)).settle(0);
    await assert.rejects(async () => accounting.admit(context, part), { code: 'rate_limited' });
    assert.deepEqual(context.progress.rates(), shown);
  });

  it('shows the limit of the minute that refused a call, and what the key has spent', async () => {
    const context = contextOf({ rpm_limit: 1 });
    (await accounting.admit(context, { cost: 0 })).settle(0.25);
    const next = contextOf({ rpm_limit: 1 });
    await assert.rejects(async () => accounting.admit(next, { cost: 0 }), { code: 'rate_limited' });
    const [rate, ...others] = next.progress.rates();
    assert.deepEqual([rate?.kind, rate?.limit, rate?.remaining, others], ['requests', 1, 0, []]);
    await accounting.limits.spent({
      type: 'key',
      id: next.caller.key.token_id,
      alias: '',
      createdAtMs: 0,
      limits: {},
    });
    assert.equal(next.progress.keySpend(), 0.25);
  });

  it('lets administrators pass every limit, and counts what they spend', async () => {
    const context = contextOf({ max_budget: 0, rpm_limit: 0 }, { isAdmin: true });
    (await accounting.admit(context, { cost: 1 })).settle(1);
    const { token_id: id } = context.caller.key;
    assert.equal(await accounting.limits.spent({ type: 'key', id, alias: '', createdAtMs: 0, limits: {} }), 1);
  });

  it('registers an end user whom nobody registered with the first call that cost something', async () => {
    const finish = async (endUserId: string, outcome: Parameters<ReturnType<Accounting['begin']>['finish']>[0]) => {
      accounting.begin(contextOf({}, { endUserId }), first).finish(outcome);
    };
    await finish('free', { status: 'success', spend: 0 });
    await finish('failed', { status: 'failure', spend: 1 });
    await finish('paid', { status: 'success', spend: 1 });
    const known = { user_id: 'known', alias: 'K', ...stamps };
    await store.end_user.insert(known);
    accounting
      .begin(contextOf({}, { endUserId: 'known', endUser: known }), first)
      .finish({ status: 'success', spend: 1 });
    await accounting.close();
    const found = await Promise.all(['free', 'failed', 'paid', 'known'].map((it) => store.end_user.get(it)));
    assert.deepEqual(
      found.map((it) => it?.alias ?? it?.user_id),
      [undefined, undefined, 'paid', 'K'],
    );
  });

  it('records the organisation of the caller, and the session of its key beside other metadata', async () => {
    const organization = { organization_id: 'org-of-the-team', ...stamps };
    const context = contextOf(
      { organization_id: 'org-of-the-key', metadata: { session: 'host-session:/s1' }, tags: ['label'] },
      { organization, sessionId: 's1', traceId: 't1', tags: ['said'] },
    );
    accounting.begin(context, { ...first, metadata: { note: 1 } }).finish({ status: 'success' });
    const [line] = await lines();
    assert.deepEqual(
      [line?.organization_id, line?.session_id, line?.trace_id, line?.metadata, line?.request_tags.toSorted()],
      ['org-of-the-team', 's1', 't1', { note: 1, session: 'host-session:/s1' }, ['label', 'said']],
    );
  });

  it('writes what is still queued when it closes', async () => {
    const context = contextOf({});
    (await accounting.admit(context, { cost: 0 })).settle(2);
    accounting.begin(context, first).finish({ status: 'success', spend: 2 });
    await accounting.close();
    const { data } = await store.spendLogs.page(SpendLogsQuery.parse({ page_size: 100 }));
    assert.deepEqual(
      data.map((it) => it.spend),
      [2],
    );
  });

  it('keeps the limits of a record from the next call on after it was changed', async () => {
    const budget = { budget_id: 'b', rpm_limit: 5, ...stamps };
    await store.budget.insert(budget);
    const context = contextOf({ budget_id: 'b' });
    (await accounting.admit(context, { cost: 0 })).settle(0);
    assert.deepEqual(
      context.progress.rates().map((it) => it.limit),
      [5],
    );
    await store.budget.update('b', (it) => ({ ...it, rpm_limit: 1 }));
    const next = { ...context, progress: contextOf({}).progress };
    await assert.rejects(async () => accounting.admit(next, { cost: 0 }), { code: 'rate_limited' });
  });

  it('shows the limits of a request as they are after it, and not those of its parts', async () => {
    const context = contextOf({ rpm_limit: 3, mcp_rpm_limit: { math: 9 } });
    (await accounting.admit(context, { cost: 0 })).settle(0);
    (await accounting.admit(context, { cost: 0, server_id: 'id-math', isPart: true })).settle(0);
    assert.deepEqual(
      context.progress.rates().map((it) => [it.limit, it.remaining]),
      [[3, 2]],
    );
  });

  it('answers a reset with what was spent before it, in the budget window that starts with the record', async () => {
    const spending = spendingOf({ accounting, directory, clock });
    const team = {
      team_id: 't',
      max_budget: 5,
      budget_duration: '10d',
      ...stamps,
      created_at: '2026-02-10T12:00:00.000Z',
    };
    const context = contextOf({}, { team });
    (await accounting.admit(context, { cost: 2 })).settle(2);
    const before = await spending.reset('team', team, 0.5);
    assert.deepEqual(before, { spend: 2, budget_reset_at: '2026-03-12T12:00:00.000Z' });
    assert.deepEqual(await spending.of('team', [team]), [{ ...before, spend: 0.5 }]);
  });
});
