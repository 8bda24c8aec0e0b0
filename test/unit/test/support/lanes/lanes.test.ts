import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { inLanes, inPieces, type Lanes, twoToOne } from '../../../../support/lanes/lanes.ts';
import { type Later, later } from '../../../../support/later.ts';

describe('lanes of the runners', () => {
  /** @param names of laps, each with its kind before the first dash */
  function started(lanes: Lanes, names: readonly string[]) {
    const seen: string[] = [];
    const ends = new Map<string, Later<void>>();
    const laps = names.map((name) => ({
      kind: name.replace(/-.*/, ''),
      run() {
        seen.push(name);
        const end = later<void>();
        ends.set(name, end);
        return end.promise;
      },
    }));
    let room = () => {};
    const watched: string[] = [];
    const watch = (begin: () => void) => {
      room = begin;
      watched.push('begins');
      return () => void watched.push('ends');
    };
    const done = inLanes(laps, { watch, ...lanes });
    const settle = () => setImmediate();
    return {
      seen,
      watched,
      done,
      room: () => room(),
      async end(name: string, error?: Error) {
        if (error) ends.get(name)?.reject(error);
        else ends.get(name)?.resolve();
        await settle();
      },
    };
  }

  it('run so many laps at a time, the next as one ends', async () => {
    const run = started({ width: 2 }, ['a', 'b', 'c', 'd']);
    assert.deepEqual(run.seen, ['a', 'b']);
    await run.end('b');
    assert.deepEqual(run.seen, ['a', 'b', 'c']);
    await run.end('a');
    await run.end('c');
    await run.end('d');
    await run.done;
  });

  it('run the other laps to their end where one fails, and then throw what it threw', async () => {
    const run = started({ width: 1 }, ['a', 'b']);
    const failed = assert.rejects(run.done, /lap a broke/);
    await run.end('a', new Error('lap a broke'));
    assert.deepEqual(run.seen, ['a', 'b']);
    await run.end('b');
    await failed;
  });

  it('end at once where there are no laps', async () => {
    const run = started({ width: 2 }, []);
    await run.done;
    assert.deepEqual(run.watched, ['begins', 'ends']);
  });

  it('let a lap wait while too many of its kind run, and run what comes after it', async () => {
    const run = started({ width: 3, atOnce: { long: 2 } }, ['long-1', 'long-2', 'long-3', 'short-1', 'short-2']);
    assert.deepEqual(run.seen, ['long-1', 'long-2', 'short-1']);
    await run.end('short-1');
    assert.deepEqual(run.seen.at(-1), 'short-2');
    await run.end('long-2');
    assert.deepEqual(run.seen.at(-1), 'long-3');
    for (const it of ['long-1', 'short-2', 'long-3']) await run.end(it);
    await run.done;
  });

  it('run one more lap each time that the machine has room, up to the most, and none in place of it when it ends', async () => {
    const run = started({ width: 1, most: 2 }, ['a', 'b', 'c', 'd']);
    run.room();
    run.room();
    assert.deepEqual(run.seen, ['a', 'b']);
    await run.end('a');
    assert.deepEqual(run.seen, ['a', 'b']);
    run.room();
    assert.deepEqual(run.seen, ['a', 'b', 'c']);
    for (const it of ['b', 'c', 'd']) await run.end(it);
    await run.done;
    assert.deepEqual(
      [run.seen, run.watched],
      [
        ['a', 'b', 'c', 'd'],
        ['begins', 'ends'],
      ],
    );
    run.room();
    assert.equal(run.seen.length, 4);
  });

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
    { some: ['a', 'b', 'c'], others: ['x'], all: ['a', 'b', 'x', 'c'] },
    { some: ['a', 'b', 'c', 'd', 'e'], others: ['x', 'y'], all: ['a', 'b', 'x', 'c', 'd', 'y', 'e'] },
    { some: ['a'], others: ['x', 'y', 'z'], all: ['a', 'x', 'y', 'z'] },
    { some: [], others: ['x'], all: ['x'] },
  ])
    it(`take two of ${some.length} and one of ${others.length} in turn, and lose none`, () =>
      assert.deepEqual(twoToOne(some, others), all));
});
