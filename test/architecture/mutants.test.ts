import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'mocha';
import { firstSet } from '../mutants/firstSet.ts';
import { fourthSet } from '../mutants/fourthSet.ts';
import { mendsUndone } from '../mutants/mendsUndone.ts';
import { secondSet } from '../mutants/secondSet.ts';
import { thirdSet } from '../mutants/thirdSet.ts';

describe('changes to the code that a test must find', () => {
  const all = [...firstSet, ...secondSet, ...thirdSet, ...fourthSet, ...mendsUndone];

  it('fit: the text of each stands in its file exactly once (else put its row in test/mutants right)', () => {
    const stale = all.flatMap(({ id, file, old }) => {
      const count = existsSync(file) ? readFileSync(file, 'utf8').split(old).length - 1 : 0;
      return count === 1 ? [] : [`${id}: ${count} times in ${file}`];
    });
    assert.deepEqual(stale, []);
  });

  it('name tests that are there, and have ids of their own', () => {
    const lost = all.flatMap(({ id, tests }) =>
      tests.length === 0 ? [id] : tests.filter((it) => !existsSync(it)).map((it) => `${id}: ${it}`),
    );
    assert.deepEqual(lost, []);
    assert.equal(new Set(all.map((it) => it.id)).size, all.length);
  });
});
