import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { LineTrace } from '../../../../sidecar/lines/lineTrace.ts';

interface Edit {
  readonly by: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Somebody replaces `count` lines at `at` with new ones. */
const step = fc.record({
  by: fc.constantFrom('agent 1', 'agent 2', 'person'),
  at: fc.nat(20),
  count: fc.nat(4),
  added: fc.nat(4),
});
const steps = fc.array(step, { maxLength: 12 });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Plays the steps. @param lineOf the text of the n-th new line */
function play(start: readonly string[], all: readonly Step[], lineOf: (n: number) => string) {
  let text = start.map((it) => ({ it, by: '' }));
  let made = 0;
  const edits: Edit[] = [];
  for (const { by, at, count, added } of all) {
    const before = text.map(({ it }) => it);
    const lines = Array.from({ length: added }, () => ({ it: lineOf((made += 1)), by }));
    const place = Math.min(at, text.length);
    text = [...text.slice(0, place), ...lines, ...text.slice(place + count)];
    edits.push({ by, before, after: text.map(({ it }) => it) });
  }
  return { edits, text };
}

/** What the agents' edits tell of the text: a person's edits are known to nobody. */
function trace(text: readonly string[], edits: readonly Edit[]): Map<number, string> {
  const found = new LineTrace<string>(text);
  for (const { by, before, after } of edits.toReversed()) {
    if (by === 'person') continue;
    found.back(after);
    found.back(before, by);
  }
  found.end();
  return found.authors;
}

describe('lines that are followed back through the versions of a file', () => {
  it('are those of whoever wrote them, where no two lines are the same', () => {
    fc.assert(
      fc.property(fc.nat(12), steps, (size, all) => {
        const start = Array.from({ length: size }, (_, at) => `start ${at}`);
        const { edits, text } = play(start, all, (n) => `new ${n}`);
        const found = trace(
          text.map(({ it }) => it),
          edits,
        );
        const wanted = text.map(({ by }) => (by.startsWith('agent') ? by : undefined));
        assert.deepEqual(
          text.map((_, at) => found.get(at)),
          wanted,
        );
      }),
      { numRuns: 400 },
    );
  });

  it('are never claimed for somebody who did not write such a line, also where many are the same', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', ''), { maxLength: 10 }), steps, (start, all) => {
        const { edits, text } = play(start, all, (n) => ['a', 'b', '', '}'][n % 4]!);
        const lines = text.map(({ it }) => it);
        for (const [at, by] of trace(lines, edits)) {
          const own = edits.filter((it) => it.by === by);
          const wrote = own.some(({ before, after }) => {
            const count = (of: readonly string[]) => of.filter((it) => it === lines[at]).length;
            return count(after) > count(before) || before.some((it, n) => it !== after[n]);
          });
          assert.ok(wrote, `${by} did not write line ${at}`);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('are those that were asked for, and no others', () => {
    const found = new LineTrace<string>(['a', 'b', 'c'], [1, 7]);
    assert.equal(found.isDone, false);
    assert.deepEqual([...found.back(['a', 'c'], 'x')], [[1, 1]]);
    assert.deepEqual([...found.authors], [[1, 'x']]);
    assert.equal(found.isDone, true);
  });

  it('are nobody’s where they changed after the last version that is known', () => {
    const found = new LineTrace<string>(['a', 'mine', 'c']);
    found.back(['a', 'b', 'c']);
    found.back(['c'], 'agent');
    assert.deepEqual([...found.authors], [[0, 'agent']]);
  });
});
