import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Breaker } from '../../../../../../sidecar/gateway/backends/net/breaker.ts';
import { SetClock } from '../../../../../support/backends/setClock.ts';

describe('a backend that cannot be reached', () => {
  const limits = { failures: 2, coolMs: 1_000, maxCoolMs: 4_000 };
  const fail = (breaker: Breaker, times: number) => {
    for (let n = 0; n < times; n += 1) breaker.failed();
  };

  it('is tried until it failed so often in a row', () => {
    const breaker = new Breaker(new SetClock(), limits);
    breaker.failed();
    breaker.reached();
    breaker.failed();
    assert.deepEqual([breaker.waitMs(), breaker.isOpen], [0, false]);
    breaker.failed();
    assert.deepEqual([breaker.waitMs(), breaker.isOpen], [1_000, true]);
  });

  it('is tried by one request after the pause, and by all after that one got an answer', () => {
    const clock = new SetClock();
    const breaker = new Breaker(clock, limits);
    fail(breaker, 2);
    clock.pass(1_000);
    assert.equal(breaker.waitMs(), 0);
    assert.equal(breaker.waitMs(), 1_000, 'a second request waits for the first');
    breaker.reached();
    assert.deepEqual([breaker.waitMs(), breaker.waitMs()], [0, 0]);
  });

  it('is tried by the next where the first one left', () => {
    const clock = new SetClock();
    const breaker = new Breaker(clock, limits);
    fail(breaker, 2);
    clock.pass(1_000);
    breaker.waitMs();
    breaker.abandoned();
    assert.equal(breaker.waitMs(), 0);
  });

  it('has pauses that double up to a limit', () => {
    const clock = new SetClock();
    const breaker = new Breaker(clock, limits);
    fail(breaker, 1);
    const pauses = [1, 2, 3, 4].map(() => {
      breaker.failed();
      const pauseMs = breaker.waitMs();
      clock.pass(pauseMs);
      breaker.waitMs();
      return pauseMs;
    });
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 4_000]);
  });
});
