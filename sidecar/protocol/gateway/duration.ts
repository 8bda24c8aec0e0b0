import * as z from 'zod';

const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** `30s`, `30m`, `30h`, `30d`, `1w` or `1mo`. */
export const Duration = z
  .string()
  .regex(/^[1-9]\d{0,5}(s|m|h|d|w|mo)$/, 'must be a number followed by s, m, h, d, w, or mo, for example "30d"');

/** A month is as long as the calendar says; all else is a number of milliseconds. */
type DurationLength = { readonly months: number } | { readonly ms: number };

/** @throws {RangeError} for a text that is no duration */
export function readDuration(text: string): DurationLength {
  const [, count, unit = ''] = /^(\d+)(s|m|h|d|w|mo)$/.exec(text) ?? [];
  if (unit === 'mo') return { months: Number(count) };
  const ms = unitMs[unit];
  if (ms === undefined) throw new RangeError(`not a duration: ${text}`);
  return { ms: Number(count) * ms };
}

/** To compare durations: a month counts as 30 days. @throws {RangeError} for a text that is no duration */
export function durationMs(text: string): number {
  const length = readDuration(text);
  return 'months' in length ? length.months * 30 * DAY_MS : length.ms;
}

/** When a duration that begins at `fromMs` ends; months are those of the calendar. RFC 3339, UTC. @throws {RangeError} */
export function endOfDuration(text: string, fromMs: number): string {
  const length = readDuration(text);
  if ('ms' in length) return new Date(fromMs + length.ms).toISOString();
  const end = new Date(fromMs);
  const day = end.getUTCDate();
  end.setUTCMonth(end.getUTCMonth() + length.months);
  // The 31st of a short month is its last day.
  if (end.getUTCDate() !== day) end.setUTCDate(0);
  return end.toISOString();
}
