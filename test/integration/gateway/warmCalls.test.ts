import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callOn, registerBad, type SurfaceName, surfaces } from '../../support/gateway/callSurfaces.ts';
import { openStand, type Stand } from '../../support/gateway/stand.ts';

describe('calls of a caller that is known', () => {
  let stand: Stand;
  let key: string;
  const permission = { object_permission: { mcp_servers: ['bad'], agents: ['bad', 'all-cloud-agents'] } };
  const limits = { max_budget: 5, budget_duration: '30d', rpm_limit: 1_000, tpm_limit: 100_000 };

  beforeEach(async () => {
    stand = await openStand();
    await registerBad(stand);
    const { manage } = stand;
    const organization = { organization_alias: 'o', ...limits, ...permission };
    const { organization_id } = await manage('POST', '/organization/new', organization);
    const { team_id } = await manage('POST', '/team/new', {
      team_alias: 't',
      organization_id,
      ...limits,
      ...permission,
    });
    await manage('POST', '/customer/new', { user_id: 'customer', max_budget: 5, ...permission });
    key = String((await manage('POST', '/key/generate', { team_id, ...limits, ...permission }))['key']);
  });
  afterEach(() => stand.close());

  const call = (surface: SurfaceName) =>
    callOn(stand, surface, key, {
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-gateway-end-user-id': 'customer',
      },
    });

  it('ask the database nothing, on any surface, with all levels, budgets and limits there are', async () => {
    const names = Object.keys(surfaces) as SurfaceName[];
    for (const it of names) assert.equal((await call(it)).status, 200, it);
    // Whoever asks the database meanwhile waits until the transaction ends, which waits for the calls.
    await stand.gateway.store.database.db.transaction().execute(async () => {
      for (const it of names) assert.equal((await call(it)).status, 200, it);
    });
    const records = await stand.records(2 * names.length);
    // Cloud agents know no end users. Of calls within one millisecond the order of the records is left open.
    const ofCustomer = records.filter((it) => it.end_user === 'customer').length;
    const ofNobody = records.filter((it) => it.end_user === null).length;
    assert.deepEqual({ ofCustomer, ofNobody }, { ofCustomer: 2 * (names.length - 1), ofNobody: 2 });
  });
});
