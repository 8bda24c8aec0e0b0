import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { LEASE_MS, RefreshLeases } from '../../../../../sidecar/host/rpc/refreshLeases.ts';
import { ManualTimers } from '../../../../support/manualTimers.ts';

const vault = 'https://vault.test';
const other = 'https://other.test';

describe('the turn to renew a token', () => {
  let timers: ManualTimers;
  let leases: RefreshLeases;
  /** Who got a lease, in order, and which. */
  let got: [who: string, lease: string][];
  const [ann, bob, cat, dan] = ['ann', 'bob', 'cat', 'dan'].map((name) => ({ name }));
  beforeEach(() => {
    timers = new ManualTimers();
    got = [];
    let count = 0;
    leases = new RefreshLeases(() => `lease-${(count += 1)}`, timers);
  });
  const ask = (who: { readonly name: string } | undefined, resource = vault) =>
    void leases.acquire(resource, who!).then((lease) => got.push([who!.name, lease]));
  /** Whoever got one so far: promises that are settled have been heard. */
  async function names(): Promise<string[]> {
    await new Promise((resolve) => void setImmediate(resolve));
    return got.map(([who]) => who);
  }
  const leaseOf = (who: string) => got.findLast(([name]) => name === who)![1];

  it('comes to one at a time in the order in which they asked, for each resource by itself', async () => {
    for (const it of [ann, bob, cat]) ask(it);
    ask(dan, other);
    assert.deepEqual(await names(), ['ann', 'dan']);
    leases.release(leaseOf('dan'));
    leases.release('none');
    assert.deepEqual(await names(), ['ann', 'dan']);
    leases.release(leaseOf('ann'));
    assert.deepEqual(await names(), ['ann', 'dan', 'bob']);
    leases.release(leaseOf('ann')); // it is over, and ends nobody else's
    assert.deepEqual(await names(), ['ann', 'dan', 'bob']);
    leases.release(leaseOf('bob'));
    leases.release(leaseOf('bob'));
    assert.deepEqual(await names(), ['ann', 'dan', 'bob', 'cat']);
    leases.release(leaseOf('cat'));
    assert.equal(timers.has(LEASE_MS), false);
    ask(ann);
    assert.equal((await names()).at(-1), 'ann');
  });

  it('passes on from who takes too long; what that one does later changes nothing', async () => {
    for (const it of [ann, bob, cat]) ask(it);
    await names();
    timers.pass(LEASE_MS);
    assert.deepEqual(await names(), ['ann', 'bob']);
    leases.release(leaseOf('ann'));
    assert.deepEqual(await names(), ['ann', 'bob']);
    leases.release(leaseOf('bob'));
    await names();
    timers.pass(LEASE_MS);
    assert.equal(timers.has(LEASE_MS), false, 'nothing of those that ended');
  });

  it('passes on from whoever left, all that one had, and never comes to one that left while it waited', async () => {
    ask(ann);
    ask(ann, other);
    ask(bob, other);
    for (const it of [bob, cat, bob, dan]) ask(it);
    await names();
    leases.holderClosed(bob!);
    assert.deepEqual(await names(), ['ann', 'ann']);
    leases.holderClosed(ann!);
    assert.deepEqual(await names(), ['ann', 'ann', 'cat']);
    ask(ann, other);
    assert.deepEqual(await names(), ['ann', 'ann', 'cat', 'ann']);
    leases.holderClosed(cat!);
    leases.holderClosed(dan!);
    leases.holderClosed(ann!);
    assert.deepEqual(await names(), ['ann', 'ann', 'cat', 'ann', 'dan']);
    assert.equal(timers.has(LEASE_MS), false);
  });

  it('passes over whoever left while it also waited for the same resource', async () => {
    for (const it of [ann, ann, bob]) ask(it);
    await names();
    leases.holderClosed(ann!);
    assert.deepEqual(await names(), ['ann', 'bob']);
  });
});
