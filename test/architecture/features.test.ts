import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { features, featuresOf } from '../requirements/features.ts';
import { featureTable } from '../support/report/featureTable.ts';
import { readSource, sourcePaths } from '../support/sources.ts';

/** The ids that titles in the code of the tests begin with. */
const named = sourcePaths(['test'])
  .filter((path) => path.endsWith('.test.ts'))
  .flatMap((path) => [...readSource(path).matchAll(/\b(?:it|describe)\(\s*['"`](1[abc]-\d+[^'"`]*)/g)])
  .flatMap(([, title]) => featuresOf(title ?? ''));

describe('the features that a person expects', () => {
  it('each have a test whose title begins with their id, or say why not', () => {
    const wanted = features.filter((it) => it.open === undefined).map((it) => it.id);
    assert.deepEqual(
      wanted.filter((it) => !named.includes(it)),
      [],
    );
  });

  it('do not say why they have no test where they have one', () => {
    const stale = features.filter((it) => it.open !== undefined && named.includes(it.id));
    assert.deepEqual(
      stale.map((it) => it.id),
      [],
    );
  });

  it('are all that titles name', () => {
    const ids = features.map((it) => it.id);
    assert.deepEqual([...new Set(named)].filter((it) => !ids.includes(it)).toSorted(), []);
  });

  it('are missing in the table of a run where no test of theirs ran', () => {
    const { text, line } = featureTable({ '1a-1': { passed: 2, failed: 0 }, '1a-2': { passed: 1, failed: 1 } });
    assert.match(text, /\| 1a-1 \| [^|]+ \| M \| shown \| 2 passed \|/);
    assert.match(text, /\| 1a-2 \| [^|]+ \| M \| failed \| 1 passed, 1 failed \|/);
    assert.match(text, /\| 1a-3 \| [^|]+ \| S \| missing \| – \|/);
    assert.match(line, /^features: 1 of \d+ shown, 1 failed, \d+ missing, \d+ open$/);
  });
});
