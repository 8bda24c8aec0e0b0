import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runtimeImports } from './plan/imports.ts';
import { circlesOf } from './plan/plan.ts';

describe('plan of the code', () => {
  it('no file imports itself through others at run time', () => {
    assert.deepEqual(circlesOf(runtimeImports(['src', 'sidecar', 'media'])), []);
  });
});

describe('circles', () => {
  const rows: readonly (readonly [string, Record<string, readonly string[]>, string[][]])[] = [
    ['a line has none', { a: ['b'], b: ['c'], c: [] }, []],
    ['a diamond has none', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
    ['two that import each other are one', { a: ['b'], b: ['a'] }, [['a', 'b']]],
    ['a longer one is found behind a file outside it', { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }, [['b', 'c', 'd']]],
  ];
  for (const [title, imports, expected] of rows)
    it(title, () => assert.deepEqual(circlesOf(new Map(Object.entries(imports))), expected));
});
