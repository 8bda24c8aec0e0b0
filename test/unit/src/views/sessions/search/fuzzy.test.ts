import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { matchScore } from '../../../../../../src/views/sessions/search/fuzzy.ts';

describe('the search for sessions', () => {
  const rows: readonly { readonly typed: string; readonly title: string; readonly fits: number | undefined }[] = [
    { typed: '', title: 'Fix dates', fits: 0 },
    { typed: 'DATE', title: 'Fix dates', fits: 4 },
    { typed: 'ates', title: 'Fix dates', fits: 3 },
    { typed: 'fxdts', title: 'Fix dates', fits: 2 },
    { typed: 'dates fix', title: 'Fix dates', fits: 8 },
    { typed: 'tally', title: 'Fix dates', fits: 1 },
    { typed: 'dates tally', title: 'Fix dates', fits: 5 },
    { typed: 'stad', title: 'Fix dates', fits: undefined },
    { typed: 'fix prices', title: 'Fix dates', fits: undefined },
  ];
  for (const { typed, title, fits } of rows) {
    it(`${fits === undefined ? 'does not find' : 'finds'} "${title}" with "${typed}"`, () => {
      assert.equal(matchScore(typed, title, 'tally · Claude'), fits);
    });
  }
});
