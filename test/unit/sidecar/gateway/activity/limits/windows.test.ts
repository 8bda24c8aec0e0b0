import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { windowOf } from '../../../../../../sidecar/gateway/activity/limits/windows.ts';

/** A Wednesday. */
const now = '2026-03-04T10:20:30.400Z';
const created = '2026-02-10T08:15:05.700Z';
const rows: readonly (readonly [duration: string, start: string, end: string])[] = [
  ['1h', '2026-03-04T10:00:00Z', '2026-03-04T11:00:00Z'],
  ['60m', '2026-03-04T10:00:00Z', '2026-03-04T11:00:00Z'],
  ['24h', '2026-03-04T00:00:00Z', '2026-03-05T00:00:00Z'],
  ['1d', '2026-03-04T00:00:00Z', '2026-03-05T00:00:00Z'],
  ['7d', '2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
  ['1w', '2026-03-02T00:00:00Z', '2026-03-09T00:00:00Z'],
  ['30d', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['1mo', '2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['3mo', '2026-02-01T00:00:00Z', '2026-05-01T00:00:00Z'],
  ['2d', '2026-03-04T08:15:05Z', '2026-03-06T08:15:05Z'],
  ['30s', '2026-03-04T10:20:05Z', '2026-03-04T10:20:35Z'],
];

describe('the window of a budget', () => {
  for (const [duration, start, end] of rows)
    it(`of ${duration} goes from ${start} to ${end}`, () =>
      assert.deepEqual(windowOf(duration, Date.parse(created), Date.parse(now)), {
        startMs: Date.parse(start),
        endMs: Date.parse(end),
      }));

  it('holds its time, begins on a whole second, and is followed by the next without a gap', () => {
    const durations = fc.constantFrom('1s', '7s', '45m', '1h', '5h', '1d', '3d', '1w', '30d', '1mo', '5mo');
    const times = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(durations, times, times, (duration, createdMs, nowMs) => {
        const { startMs, endMs } = windowOf(duration, createdMs, nowMs);
        assert.ok(startMs <= nowMs && nowMs < endMs && startMs % 1_000 === 0);
        assert.equal(windowOf(duration, createdMs, endMs).startMs, endMs);
        assert.deepEqual(windowOf(duration, createdMs, startMs), { startMs, endMs });
      }),
    );
  });
});
