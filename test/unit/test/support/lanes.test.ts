import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { inLanes, inPieces, inTurn } from '../../../support/lanes.ts';
import { type Later, later } from '../../../support/later.ts';

describe('lanes of the runners', () => {
  function started(width: number, names: readonly string[]) {
    const seen: string[] = [];
    const ends = new Map<string, Later<void>>();
    const laps = names.map((name) => () => {
      seen.push(name);
      const end = later<void>();
      ends.set(name, end);
      return end.promise;
    });
    const done = inLanes(laps, width);
    const settle = () => setImmediate();
    return {
      seen,
      done,
      async end(name: string, error?: Error) {
        if (error) ends.get(name)?.reject(error);
        else ends.get(name)?.resolve();
        await settle();
      },
    };
  }

  it('run so many laps at a time, the next as one ends', async () => {
    const run = started(2, ['a', 'b', 'c', 'd']);
    assert.deepEqual(run.seen, ['a', 'b']);
    await run.end('b');
    assert.deepEqual(run.seen, ['a', 'b', 'c']);
    await run.end('a');
    await run.end('c');
    await run.end('d');
    await run.done;
  });

  it('run the other laps to their end where one fails, and then throw what it threw', async () => {
    const run = started(1, ['a', 'b']);
    const failed = assert.rejects(run.done, /lap a broke/);
    await run.end('a', new Error('lap a broke'));
    assert.deepEqual(run.seen, ['a', 'b']);
    await run.end('b');
    await failed;
  });

  it('end at once where there are no laps', () => inLanes([], 2));

  for (const { items, count, pieces } of [
    {
      items: [1, 2, 3, 4, 5],
      count: 2,
      pieces: [
        [1, 2, 3],
        [4, 5],
      ],
    },
    { items: [1, 2], count: 3, pieces: [[1], [2]] },
    { items: [1, 2, 3], count: 1, pieces: [[1, 2, 3]] },
    { items: [], count: 2, pieces: [] },
  ])
    it(`cut ${items.length} files into ${count} pieces of neighbours, none empty, none lost`, () =>
      assert.deepEqual(inPieces(items, count), pieces));

  for (const { some, others, all } of [
    { some: ['a', 'b', 'c'], others: ['x'], all: ['a', 'x', 'b', 'c'] },
    { some: ['a'], others: ['x', 'y', 'z'], all: ['a', 'x', 'y', 'z'] },
    { some: [], others: ['x'], all: ['x'] },
  ])
    it(`take ${some.length} and ${others.length} in turn, and lose none`, () =>
      assert.deepEqual(inTurn(some, others), all));
});
