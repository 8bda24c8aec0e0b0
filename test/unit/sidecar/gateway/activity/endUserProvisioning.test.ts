import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import {
  EndUserProvisioning,
  type EndUserProvisioningDeps,
} from '../../../../../sidecar/gateway/activity/endUserProvisioning.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { keepingLog } from '../../../../support/testLog.ts';

describe('end users whom nobody registered', () => {
  let inserted: string[];
  let failures: unknown[];
  let lines: string[];
  let provisioning: EndUserProvisioning;
  beforeEach(() => {
    [inserted, failures] = [[], []];
    const kept = keepingLog();
    ({ lines } = kept);
    const end_user = {
      async insert({ user_id }: { readonly user_id: string }) {
        const [failure] = failures.splice(0, 1);
        if (failure) throw failure as Error;
        inserted.push(user_id);
      },
    };
    const clock = new StandingClock('2026-01-01T00:00:00Z');
    provisioning = new EndUserProvisioning({
      store: { end_user } as unknown as EndUserProvisioningDeps['store'],
      clock,
      log: kept.log,
    });
  });

  it('get a record each, once for all calls that come meanwhile', async () => {
    for (const it of ['ann', 'bob', 'ann']) provisioning.provision(it);
    await provisioning.settled();
    assert.deepEqual(inserted, ['ann', 'bob']);
  });
  it('that somebody else registered meanwhile are left as they are, and the others follow', async () => {
    failures = [new Fault('already_exists', 'it is there')];
    for (const it of ['ann', 'bob']) provisioning.provision(it);
    await provisioning.settled();
    assert.deepEqual([inserted, lines], [['bob'], []]);
  });
  it('that could not be saved wait for their next calls, and for nothing else', async () => {
    failures = [new Error('the database is away')];
    for (const it of ['ann', 'bob']) provisioning.provision(it);
    await provisioning.settled();
    assert.deepEqual([inserted, lines.length], [[], 1]);
    provisioning.provision('bob');
    await provisioning.settled();
    assert.deepEqual(inserted, ['bob']);
  });
  it('get none under a name that no database takes', async () => {
    for (const it of ['', 'a\0b', 'half \ud800']) provisioning.provision(it);
    await provisioning.settled();
    assert.deepEqual(inserted, []);
  });
  it('wait in a bounded number', async () => {
    for (let n = 0; n < 1_010; n += 1) provisioning.provision(`user-${n}`);
    await provisioning.settled();
    assert.equal(inserted.length, 1_000);
  });
});
