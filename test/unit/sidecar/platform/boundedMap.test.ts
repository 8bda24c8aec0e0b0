import assert from 'node:assert/strict';
import { BoundedMap } from '../../../../sidecar/platform/boundedMap.ts';

interface Case {
  readonly title: string;
  readonly act: (map: BoundedMap<string, number>) => void;
  readonly left: readonly (readonly [string, number])[];
}

const cases: readonly Case[] = [
  {
    title: 'A bounded map that is not full keeps all',
    act: () => undefined,
    left: [
      ['a', 1],
      ['b', 2],
    ],
  },
  {
    title: 'A full bounded map keeps all its entries until another one comes',
    act: (map) => map.set('c', 3),
    left: [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ],
  },
  {
    title: 'The entry that was set longest ago makes room for a new one',
    act: (map) => map.set('c', 3).set('d', 4),
    left: [
      ['b', 2],
      ['c', 3],
      ['d', 4],
    ],
  },
  {
    title: 'An entry that is set again is the newest, and nothing makes room for it',
    act: (map) => map.set('c', 3).set('a', 5),
    left: [
      ['b', 2],
      ['c', 3],
      ['a', 5],
    ],
  },
  {
    title: 'An entry that was read is no newer for it',
    act: (map) => {
      map.set('c', 3);
      map.get('a');
      map.set('d', 4);
    },
    left: [
      ['b', 2],
      ['c', 3],
      ['d', 4],
    ],
  },
  {
    title: 'Nothing makes room where an entry was deleted',
    act: (map) => {
      map.set('c', 3).delete('b');
      map.set('d', 4);
    },
    left: [
      ['a', 1],
      ['c', 3],
      ['d', 4],
    ],
  },
];

describe('bounded map', () => {
  for (const { title, act, left } of cases) {
    it(`${title}.`, () => {
      const map = new BoundedMap<string, number>(3).set('a', 1).set('b', 2);
      act(map);
      assert.deepEqual([...map], left);
    });
  }

  it('An absent key counts as an entry like any other, so `undefined` makes room too.', () => {
    const map = new BoundedMap<string | undefined, number>(1).set(undefined, 1).set('a', 2);
    assert.deepEqual([...map], [['a', 2]]);
  });
});
