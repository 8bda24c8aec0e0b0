import assert from 'node:assert/strict';
import { it } from 'mocha';
import { recordCalls } from '../../../../sidecar/gateway/activity/recordCalls.ts';
import type { CallsOf } from '../../../../sidecar/gateway/storage/activity/recordCallReads.ts';
import type { GatewayStore } from '../../../../sidecar/gateway/storage/store.ts';
import { verifies } from '../../../support/verifies.ts';
import { key1 } from './recordedCalls.ts';

/** What the page of a record is told. @param store with the calls of `recordedCalls.ts` */
export function tellsTheCallsOfRecords(store: () => GatewayStore): void {
  it('tells the calls of one record, of whatever kind', async () => {
    verifies('gateway.activity.record-use');
    const ask = (of: CallsOf, end = '2026-03-05') =>
      recordCalls(store().recordCalls, store().activityReads, of, { start: '2026-03-01', end });
    const ofKey = await ask({ column: 'api_key', value: key1 });
    assert.deepEqual(
      [ofKey.successful_requests, ofKey.failed_requests, ofKey.spend, ofKey.total_tokens, ofKey.last_used],
      [2, 1, 0.75, 23, '2026-03-04T23:30:00.000Z'],
    );
    assert.deepEqual(
      ofKey.daily.map((it) => [it.date, it.successful_requests]),
      [
        ['2026-03-01', 1],
        ['2026-03-04', 1],
      ],
    );
    assert.deepEqual(
      ofKey.keys.map((it) => [it.id, it.name]),
      [[key1, 'one']],
    );
    assert.deepEqual(
      ofKey.tools.map((it) => it.name),
      ['math/add', 'math/sub', 'web/get'],
    );
    const ofServer = await ask({ servers: ['math', 'we'] });
    assert.deepEqual(
      [ofServer.successful_requests, ofServer.failed_requests, ofServer.last_used],
      [1, 1, '2026-03-01'],
    );
    assert.equal((await ask({ tools: ['web/get'] })).successful_requests, 2);
    assert.equal((await ask({ column: 'model_group', value: 'smart' })).failed_requests, 1);
    assert.equal((await ask({ column: 'organization_id', value: 'o1' })).last_used, '2026-03-04');
    assert.equal((await ask({ column: 'organization_id', value: 'o1' }, '2026-03-02')).last_used, null);
  });

  it('finds the records in which a text is a value or the name of a member', async () => {
    verifies('gateway.activity.record-use');
    const ids = async (...texts: string[]) => (await store().key.holding(texts, 10)).map((it) => it.token);
    assert.deepEqual(await ids('one'), [key1]);
    assert.deepEqual(await ids('nobody', 'key_alias'), [key1]);
    assert.deepEqual(await ids('on'), []);
    assert.deepEqual(await ids('%'), []);
    assert.deepEqual(await ids(), []);
  });
}
