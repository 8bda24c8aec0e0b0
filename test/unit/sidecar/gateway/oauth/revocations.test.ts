import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { type Claims, Revocations } from '../../../../../sidecar/gateway/oauth/revocations.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';
import { later } from '../../../../support/later.ts';

describe('revocations of families of tokens', () => {
  let clock: StandingClock;
  let revocations: Revocations;
  let reads: number;
  let claim: Claims['claim'];
  let isClaimed: () => Promise<boolean>;

  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    reads = 0;
    claim = async () => true;
    isClaimed = async () => false;
    const claims: Claims = {
      claim: (id, expiresAtMs) => claim(id, expiresAtMs),
      isClaimed: () => {
        reads += 1;
        return isClaimed();
      },
    };
    revocations = new Revocations(claims, clock);
  });
  const down = () => Promise.reject(new Fault('unavailable', 'The database is not responding.'));

  it('are never read again once they are known, however long that is ago', async () => {
    isClaimed = async () => true;
    assert.equal(await revocations.isRevoked('family'), true);
    isClaimed = async () => false;
    clock.pass(60 * 60_000);
    assert.equal(await revocations.isRevoked('family'), true);
    assert.equal(reads, 1);
  });
  it('count as made only when the store has them', async () => {
    claim = down;
    await assert.rejects(revocations.revoke('family'), { code: 'unavailable' });
    assert.equal(await revocations.isRevoked('family'), false);
    assert.equal(reads, 1);
  });
  it('count here from the moment that the store has them, also where a question is on its way', async () => {
    const asked = later<boolean>();
    isClaimed = () => asked.promise;
    const before = revocations.isRevoked('family');
    await revocations.revoke('family');
    asked.resolve(false);
    await before;
    assert.equal(revocations.isRevoked('family'), true);
  });
  it('are asked for anew after a question that failed, and the newer answer stays when an older question fails', async () => {
    const slow = later<boolean>();
    isClaimed = () => slow.promise;
    const first = revocations.isRevoked('family') as Promise<boolean>;
    clock.pass(5_000);
    isClaimed = async () => false;
    assert.equal(await revocations.isRevoked('family'), false);
    slow.reject(new Fault('unavailable', 'The database is not responding.'));
    await assert.rejects(first, { code: 'unavailable' });
    assert.equal(revocations.isRevoked('family'), false);
    assert.equal(reads, 2);
    clock.pass(5_000);
    isClaimed = down;
    await assert.rejects(async () => revocations.isRevoked('family'), { code: 'unavailable' });
    isClaimed = async () => true;
    assert.equal(await revocations.isRevoked('family'), true);
  });
});
