import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { whenIdle } from '../../../../support/lanes/idleProcessors.ts';

describe('the watch for idle processors', () => {
  const processor = (busy: number, idle: number) => ({
    model: 'test',
    speed: 0,
    times: { user: busy, nice: 0, sys: 0, irq: 0, idle },
  });

  for (const { what, first, second, calls } of [
    { what: 'calls where a half of all is idle', first: [100, 0], second: [0, 100], calls: 3 },
    { what: 'calls where exactly the share is idle', first: [75, 25], second: [75, 25], calls: 3 },
    { what: 'does not call where less is idle', first: [100, 0], second: [60, 40], calls: 0 },
  ] as const)
    it(what, () => {
      let reads = 0;
      const read = () => {
        reads += 1;
        return [first, second].map(([busy, idle]) => processor(busy * reads, idle * reads));
      };
      const timer = { everyMs: 0, work: () => {}, isEnded: false };
      const every = (everyMs: number, work: () => void) => {
        Object.assign(timer, { everyMs, work });
        return () => {
          timer.isEnded = true;
        };
      };
      let called = 0;
      const end = whenIdle(() => (called += 1), { everyMs: 7, share: 0.25, read, every });
      for (let period = 0; period < 3; period += 1) timer.work();
      end();
      assert.deepEqual([called, timer.everyMs, timer.isEnded], [calls, 7, true]);
    });
});
