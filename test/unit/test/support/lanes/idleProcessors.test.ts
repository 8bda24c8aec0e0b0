import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { whenIdle } from '../../../../support/lanes/idleProcessors.ts';
import { until } from '../../../../support/until.ts';

describe('the watch for idle processors', () => {
  const processor = (busy: number, idle: number) => ({
    model: 'test',
    speed: 0,
    times: { user: busy, nice: 0, sys: 0, irq: 0, idle },
  });

  for (const { what, first, second, calls } of [
    { what: 'calls where a half of all is idle', first: [100, 0], second: [0, 100], calls: true },
    { what: 'calls where exactly the share is idle', first: [75, 25], second: [75, 25], calls: true },
    { what: 'does not call where less is idle', first: [100, 0], second: [60, 40], calls: false },
  ] as const)
    it(what, async () => {
      let reads = 0;
      const read = () => {
        reads += 1;
        return [first, second].map(([busy, idle]) => processor(busy * reads, idle * reads));
      };
      let called = 0;
      const end = whenIdle(() => (called += 1), { everyMs: 1, share: 0.25, read });
      await until('three periods have ended', () => reads > 3);
      end();
      const before = reads;
      assert.equal(called, calls ? before - 1 : 0);
      await setTimeout(10);
      assert.equal(reads, before, 'it goes on after its end');
    });
});
