import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { faultsToFind, find, type Half, halves } from '../../../simulation/simulate.ts';
import { verifies } from '../../../support/verifies.ts';

/** The steps of each half, and what must have happened after them. */
const runs: readonly {
  readonly half: Half;
  readonly steps: number;
  readonly happened: readonly string[];
  readonly often: readonly [string, number][];
}[] = [
  {
    half: 'host',
    steps: 5_000,
    happened: ['crashes', 'cut', 'agent', 'disk full', 'plan a crash', 'timer', 'soon'],
    often: [
      ['turns', 5],
      ['compared', 200],
    ],
  },
  {
    half: 'gateway',
    steps: 4_000,
    happened: ['crash', 'cut', 'status 503', 'notices lost', 'cancelled', 'pry', 'status 429'],
    often: [
      ['answered', 20],
      ['lists', 10],
      ['written', 10],
      ['settled', 1],
    ],
  },
];
const SEEDS = [101, 102];

describe('simulations of a host with three clients and two agents, and of two gateways with two callers', () => {
  for (const { half, steps, happened, often } of runs)
    it(`keep what they promise after every step, and lose nothing that was acknowledged: ${half}`, async () => {
      verifies('host.service.after-snapshot');
      const all = new Map<string, number>();
      for (const seed of SEEDS) {
        const { violation, counts } = await halves[half](seed, steps);
        assert.equal(violation, undefined, `seed ${seed}, step ${violation?.step}`);
        for (const [what, times] of Object.entries(counts)) all.set(what, (all.get(what) ?? 0) + times);
      }
      const words = JSON.stringify([...all]);
      for (const it of happened) assert.ok((all.get(it) ?? 0) > 0, `${it}: ${words}`);
      for (const [it, least] of often) assert.ok((all.get(it) ?? 0) > least, `${it}: ${words}`);
    });

  for (const { half } of runs)
    it(`behave the same with the same seed, and differently with another: ${half}`, async () => {
      const run = halves[half];
      const [first, second, other] = [await run(7, 600), await run(7, 600), await run(8, 600)];
      assert.deepEqual([first.violation, first.counts], [undefined, second.counts]);
      assert.equal(first.trace, second.trace);
      assert.notEqual(first.trace, other.trace);
    });
});

describe('the faults that the simulations have to find', () => {
  it('are at least 20, with at least 8 for each half, and have unique names', () => {
    assert.ok(faultsToFind.length >= 20);
    for (const { half } of runs) assert.ok(faultsToFind.filter((it) => it.half === half).length >= 8, half);
    assert.equal(new Set(faultsToFind.map((it) => it.name)).size, faultsToFind.length);
  });

  /** The faults that are found soonest. */
  const quick = [
    'an action gets lost on the wire',
    'a turn that has ended is not written',
    'two actions that are written at once come in the wrong order',
    'a crash takes the log of the database',
    'an event gets lost',
    'a cached permission is not dropped when its key changes',
    'a revoked key is still accepted, because an earlier read is repeated',
    'a list contains tools that may not be called',
  ];
  for (const name of quick)
    it(`are found at the same step again with the same seed (${name})`, async () => {
      const { run } = faultsToFind.find((it) => it.name === name)!;
      const { found } = await find({ run }, { most: 30_000, lap: 3_000 });
      assert.ok(found, 'it was not found');
      const again = await run(found.seed, 3_000);
      assert.deepEqual(
        [again.violation?.message, again.violation?.step, again.trace],
        [found.violation.message, found.violation.step, found.trace],
      );
    });
});
