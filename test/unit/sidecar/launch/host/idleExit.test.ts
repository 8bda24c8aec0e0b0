import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { IdleExit } from '../../../../../sidecar/launch/host/idleExit.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

function open(minutes?: number) {
  const state = { isIdle: true, left: 0, delays: [] as number[], ring: [] as (() => void)[] };
  const exit = new IdleExit({
    isIdle: () => state.isIdle,
    minutes: () => minutes,
    leave: () => {
      state.left += 1;
    },
    timers: {
      ...systemTimers,
      after(delayMs, work) {
        state.delays.push(delayMs);
        state.ring.push(work);
        return () => {
          state.ring = state.ring.filter((it) => it !== work);
        };
      },
    },
  });
  return { state, exit };
}

describe('IdleExit', () => {
  it('leaves after ten minutes where no window said otherwise', () => {
    const { state, exit } = open();
    exit.update();
    assert.deepEqual(state.delays, [600_000]);
    state.ring[0]?.();
    assert.equal(state.left, 1);
  });
  it('leaves after the minutes that the windows asked for', () => {
    const { state, exit } = open(0.5);
    exit.update();
    assert.deepEqual(state.delays, [30_000]);
  });
  it('waits the longest that a timer can where the windows asked for more', () => {
    const longest = 2 ** 31 - 1;
    for (const [minutes, delayMs] of [
      [35_791, 35_791 * 60_000],
      [35_792, longest],
      [Number.MAX_SAFE_INTEGER, longest],
    ] as const) {
      const { state, exit } = open(minutes);
      exit.update();
      assert.deepEqual(state.delays, [delayMs]);
    }
  });
  it('does not wait while somebody is there, and starts anew when nobody is', () => {
    const { state, exit } = open();
    exit.update();
    state.isIdle = false;
    exit.update();
    assert.equal(state.ring.length, 0);
    state.isIdle = true;
    exit.update();
    assert.equal(state.ring.length, 1);
  });
  it('stays when a turn began meanwhile without a word', () => {
    const { state, exit } = open();
    exit.update();
    state.isIdle = false;
    state.ring[0]?.();
    assert.equal(state.left, 0);
  });
  it('is quiet once stopped', () => {
    const { state, exit } = open();
    exit.update();
    exit.stop();
    assert.equal(state.ring.length, 0);
  });
});
