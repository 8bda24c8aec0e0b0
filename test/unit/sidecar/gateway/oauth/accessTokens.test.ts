import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'mocha';
import { AccessTokens } from '../../../../../sidecar/gateway/oauth/accessTokens.ts';
import { Grants } from '../../../../../sidecar/gateway/oauth/grants.ts';
import { type Claims, Revocations } from '../../../../../sidecar/gateway/oauth/revocations.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { createSealer } from '../../../../../sidecar/platform/seal.ts';
import { StandingClock } from '../../../../support/gateway/clock.ts';

describe('access tokens on the road of every call', () => {
  let clock: StandingClock;
  let reads: number;
  let isDown: boolean;
  let revocations: Revocations;
  let tokens: AccessTokens;
  let access: string;
  const revoked = new Set<string>();

  beforeEach(() => {
    clock = new StandingClock('2026-01-01T00:00:00Z');
    [reads, isDown] = [0, false];
    revoked.clear();
    const claims: Claims = {
      claim: async (id) => Boolean(revoked.add(id)),
      isClaimed: async (id) => {
        reads += 1;
        if (isDown) throw new Fault('unavailable', 'The database is not responding.');
        return revoked.has(id);
      },
    };
    const grants = new Grants({ sealer: createSealer(randomBytes(32)), random: randomBytes });
    revocations = new Revocations(claims, clock);
    tokens = new AccessTokens(grants, revocations, () => clock.nowMs());
    access = grants.tokens({ t: 'hash', a: 'all', c: 'client' }, 'family', clock.nowMs()).access;
  });

  it('ask the store once in five seconds, however many calls there are, and then not at all', async () => {
    const calls = Array.from({ length: 50 }, async () => tokens.keyOf(access, '/mcp'));
    assert.deepEqual(new Set(await Promise.all(calls)), new Set(['hash']));
    assert.equal(tokens.keyOf(access, '/mcp'), 'hash', 'an answer that is known needs no promise');
    assert.equal(reads, 1);
    clock.pass(4_999);
    assert.equal(tokens.keyOf(access, '/mcp'), 'hash');
    clock.pass(1);
    await tokens.keyOf(access, '/mcp');
    assert.equal(reads, 2);
  });
  it('learn of a revocation elsewhere with the next question, and of one here at once', async () => {
    await tokens.keyOf(access, '/mcp');
    revoked.add('oauth revoked family');
    assert.equal(tokens.keyOf(access, '/mcp'), 'hash');
    clock.pass(5_000);
    await assert.rejects(async () => tokens.keyOf(access, '/mcp'), { code: 'auth_required' });
    await revocations.revoke('other');
    assert.equal(revocations.isRevoked('other'), true);
  });
  it('count as neither good nor bad while nobody can say whether they are revoked', async () => {
    isDown = true;
    await assert.rejects(async () => tokens.keyOf(access, '/mcp'), { code: 'unavailable' });
    isDown = false;
    assert.equal(await tokens.keyOf(access, '/mcp'), 'hash');
  });
  it('are good for their address, and for an hour', async () => {
    for (const path of ['/alpha/mcp', '/mcp/alpha', '/toolset/alpha/mcp', '/mcp-rest', '/']) {
      assert.throws(() => tokens.keyOf(access, path), { code: 'auth_required' });
    }
    clock.pass(60 * 60_000 - 1);
    assert.equal(await tokens.keyOf(access, '/sse'), 'hash');
    clock.pass(1);
    assert.throws(() => tokens.keyOf(access, '/mcp'), { code: 'auth_required', data: { reason: 'expired_key' } });
  });
});
