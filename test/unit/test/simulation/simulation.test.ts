import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { faults } from '../../../simulation/faults.ts';
import { simulate } from '../../../simulation/simulate.ts';
import { verifies } from '../../../support/verifies.ts';

const SEEDS = [101, 102];
const STEPS = 5_000;

describe('one host, three clients and two agents that a seed drives', () => {
  for (const seed of SEEDS) {
    it(`agree after every step, and lose nothing that was said (seed ${seed})`, async () => {
      verifies('host.service.after-snapshot');
      const { violation, counts } = await simulate(seed, STEPS);
      assert.equal(violation, undefined, `step ${violation?.step}`);
      for (const kind of ['crashes', 'cut', 'agent', 'disk full', 'plan a crash', 'timer', 'soon'])
        assert.ok((counts[kind] ?? 0) > 0, `${kind}: ${JSON.stringify(counts)}`);
      assert.ok((counts['turns'] ?? 0) > 5 && (counts['compared'] ?? 0) > 200, JSON.stringify(counts));
    });
  }

  it('behave the same with the same seed, and differently with another', async () => {
    const [first, second, other] = [await simulate(7, 600), await simulate(7, 600), await simulate(8, 600)];
    assert.deepEqual([first.violation, first.counts], [undefined, second.counts]);
    assert.equal(first.trace, second.trace);
    assert.notEqual(first.trace, other.trace);
  });
});

describe('the faults that the simulation has to find', () => {
  it('are at least 20, each with a name of its own', () => {
    assert.ok(faults.length >= 20);
    assert.equal(new Set(faults.map((make) => make().name)).size, faults.length);
  });

  for (const name of ['an action gets lost on the wire', 'a turn that has ended is not written']) {
    it(`are told with the step to which the seed leads again (${name})`, async () => {
      const make = faults.find((it) => it().name === name)!;
      const [first, second] = [await simulate(1, 3_000, make()), await simulate(1, 3_000, make())];
      assert.ok(first.violation, 'it was not found');
      assert.deepEqual(
        [first.violation.message, first.violation.step, first.trace],
        [second.violation?.message, second.violation?.step, second.trace],
      );
    });
  }
});
