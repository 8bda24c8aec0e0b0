import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { Attempts } from '../../../../../sidecar/gateway/auth/attempts.ts';
import { SetClock } from '../../../../support/backends/setClock.ts';

describe('attempts of an address', () => {
  const two = (perMinute = 2) => {
    const clock = new SetClock(0);
    const attempts = new Attempts(perMinute, clock);
    return { clock, attempts };
  };

  it('are let through as many at once as in a minute, then one at a time, to the millisecond', () => {
    const { clock, attempts } = two();
    assert.equal(attempts.waitMs('192.0.2.1'), 0);
    attempts.count('192.0.2.1');
    assert.equal(attempts.waitMs('192.0.2.1'), 0);
    attempts.count('192.0.2.1');
    assert.equal(attempts.waitMs('192.0.2.1'), 30_000);
    clock.pass(29_999);
    assert.equal(attempts.waitMs('192.0.2.1'), 1);
    clock.pass(1);
    assert.equal(attempts.waitMs('192.0.2.1'), 0);
    attempts.count('192.0.2.1');
    assert.equal(attempts.waitMs('192.0.2.1'), 30_000);
  });

  it('are all there again after a minute, and not more than all', () => {
    const { clock, attempts } = two();
    for (let n = 0; n < 5; n += 1) attempts.count('192.0.2.1');
    clock.pass(3_600_000);
    attempts.count('192.0.2.1');
    assert.equal(attempts.waitMs('192.0.2.1'), 0);
    attempts.count('192.0.2.1');
    assert.equal(attempts.waitMs('192.0.2.1'), 30_000);
  });

  const addresses: readonly [says: string, one: string, other: string, isSame: boolean][] = [
    ['two of IPv4 are two', '192.0.2.1', '192.0.2.2', false],
    ['two of one /64 are one', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['two spellings are one', '2001:db8::1', '2001:0DB8:0:0::2', true],
    ['two of two /64 are two', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['IPv4 in IPv6 is that of IPv4', '::ffff:192.0.2.1', '192.0.2.1', true],
    ['two of IPv4 in IPv6 are two', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['one with a zone is that without', 'fe80::1%eth0', 'fe80::2', true],
  ];
  for (const [says, one, other, isSame] of addresses) {
    it(`are counted by address: ${says}`, () => {
      const { attempts } = two(1);
      attempts.count(one);
      assert.equal(attempts.waitMs(other) > 0, isSame);
    });
  }

  it('of any address, however often it tries and whenever, never exceed the number at once and the rate over time', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.integer({ min: 0, max: 20_000 })), (perMinute, gaps) => {
        const { clock, attempts } = two(perMinute);
        let made = 0;
        for (const gap of gaps) {
          clock.pass(gap);
          if (attempts.waitMs('a') > 0) continue;
          attempts.count('a');
          made += 1;
        }
        const passed = gaps.reduce((sum, it) => sum + it, 0);
        assert.ok(made <= perMinute + (passed * perMinute) / 60_000 + 1e-6);
      }),
    ));

  it('are forgotten of those who tried longest ago, so that a flood of addresses costs no more memory', () => {
    const { attempts } = two(1);
    attempts.count('first');
    for (let n = 0; n < 9_999; n += 1) attempts.count(`other ${n}`);
    assert.ok(attempts.waitMs('first') > 0);
    attempts.count('one too many');
    assert.equal(attempts.waitMs('first'), 0);
    assert.ok(attempts.waitMs('one too many') > 0);
  });
});
