import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Duration, durationMs, endOfDuration, readDuration } from '../../../../../sidecar/protocol/gateway/duration.ts';

const DAY_MS = 86_400_000;
const lengths = [
  { text: '30s', length: { ms: 30_000 }, compared: 30_000 },
  { text: '2m', length: { ms: 120_000 }, compared: 120_000 },
  { text: '12h', length: { ms: DAY_MS / 2 }, compared: DAY_MS / 2 },
  { text: '30d', length: { ms: 30 * DAY_MS }, compared: 30 * DAY_MS },
  { text: '1w', length: { ms: 7 * DAY_MS }, compared: 7 * DAY_MS },
  { text: '2mo', length: { months: 2 }, compared: 60 * DAY_MS },
] as const;

const ends = [
  { text: '90s', from: '2026-02-28T23:59:00.250Z', end: '2026-03-01T00:00:30.250Z' },
  { text: '30d', from: '2026-01-31T10:00:00.000Z', end: '2026-03-02T10:00:00.000Z' },
  { text: '1mo', from: '2026-01-15T10:00:00.000Z', end: '2026-02-15T10:00:00.000Z' },
  { text: '1mo', from: '2026-01-31T10:00:00.000Z', end: '2026-02-28T10:00:00.000Z' },
  { text: '1mo', from: '2028-01-31T10:00:00.000Z', end: '2028-02-29T10:00:00.000Z' },
  { text: '13mo', from: '2026-12-31T10:00:00.000Z', end: '2028-01-31T10:00:00.000Z' },
];

describe('duration', () => {
  for (const { text, length, compared } of lengths)
    it(`The duration ${text} is accepted, has its length, and compares as ${compared} ms.`, () => {
      assert.equal(Duration.parse(text), text);
      assert.deepEqual(readDuration(text), length);
      assert.equal(durationMs(text), compared);
    });

  for (const { text, from, end } of ends)
    it(`A duration of ${text} from ${from} ends at ${end}.`, () =>
      assert.equal(endOfDuration(text, Date.parse(from)), end));

  for (const text of ['', '30', 'd', '1.5h', '-1d', '1y', '1M', ' 1d', '1d1h'])
    it(`The text '${text}' is refused as a duration, and nothing reads it as one.`, () => {
      assert.equal(Duration.safeParse(text).success, false);
      for (const read of [readDuration, durationMs, (it: string) => endOfDuration(it, 0)])
        assert.throws(() => read(text), RangeError);
    });

  for (const text of ['0d', '1000000s'])
    it(`The duration '${text}' is refused: it is empty, or too long.`, () =>
      assert.equal(Duration.safeParse(text).success, false));
});
