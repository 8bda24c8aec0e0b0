import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { faultsOf, type Titled } from '../support/report/titleFaults.ts';
import { renamed } from './titles/titles.ts';

const titled = (full: string, own = full, file = 'test/unit/a.test.ts'): Titled => ({ full, own, file });

describe('titles of tests', () => {
  for (const { wrong, says } of [
    { wrong: [titled('a store works')], says: /this is no sentence/ },
    { wrong: [titled('a store of keys works', 'works')], says: /"works" does not say what is true/ },
    { wrong: [titled('a store keeps its keys'), titled('a store keeps its keys')], says: /2 tests have this title/ },
  ])
    it(`are reported as faults: ${says.source}`, () => assert.match(faultsOf(wrong)[0] ?? '', says));

  it('that are gone are listed with the title that is most like them, and as missing where none is', () => {
    const kept = titled('a store keeps its keys over a restart');
    const [old, now] = [titled('a store forgets the oldest key'), titled('a store of keys forgets the oldest key')];
    const gone = titled('nobody reads the clock twice in one turn', undefined, 'test/unit/b.test.ts');
    assert.deepEqual(renamed([kept, old, gone], [kept, now]), [
      { from: old, to: now },
      { from: gone, to: undefined },
    ]);
  });
});
