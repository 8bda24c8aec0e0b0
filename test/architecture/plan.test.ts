import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { before, describe, it } from 'mocha';
import { sourcePaths } from '../support/sources.ts';
import { runtimeImports } from './plan/imports.ts';
import { circlesOf, floorsOf, planOf } from './plan/plan.ts';

const MAX_FILES = 25;

describe('plan of the code', () => {
  let imports: ReadonlyMap<string, readonly string[]>;
  before(() => {
    imports = runtimeImports(['src', 'sidecar', 'media']);
  });

  it('no file imports itself through others at run time', () => {
    assert.deepEqual(circlesOf(imports), []);
  });

  const limits = [
    { part: 'sidecar/gateway', maxBoxes: 20, maxArrows: 80 },
    { part: 'sidecar/host', maxBoxes: 20, maxArrows: 80 },
  ];
  for (const { part, maxBoxes, maxArrows } of limits)
    it(`${part} has at most ${maxBoxes} boxes and ${maxArrows} arrows, and no box imports one beside or above it`, () => {
      const plan = planOf(part, imports);
      assert.ok(plan.boxes.length <= maxBoxes, `${plan.boxes.length} boxes`);
      assert.ok(plan.arrows.length <= maxArrows, `${plan.arrows.length} arrows`);
      assert.deepEqual(floorsOf(plan).importsUp, []);
    });

  it(`no folder has more than ${MAX_FILES} files`, () => {
    const counts = new Map<string, number>();
    for (const path of sourcePaths(['src', 'sidecar', 'media', 'test'])) {
      const folder = posix.dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    assert.deepEqual(
      [...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder}: ${count}`),
      [],
    );
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

describe('floors', () => {
  const rows: readonly (readonly [string, readonly string[], string[][], string[]])[] = [
    ['a line has one floor a box', ['b -> a', 'c -> b'], [['a'], ['b'], ['c']], []],
    ['a box stands above the highest box that it imports', ['b -> a', 'c -> b', 'c -> a'], [['a'], ['b'], ['c']], []],
    [
      'boxes in a circle share a floor and import up',
      ['b -> a', 'b -> c', 'c -> b'],
      [['a'], ['b', 'c']],
      ['b -> c', 'c -> b'],
    ],
  ];
  for (const [title, arrows, floors, importsUp] of rows)
    it(title, () => assert.deepEqual(floorsOf({ boxes: ['a', 'b', 'c'], arrows }), { floors, importsUp }));
});
