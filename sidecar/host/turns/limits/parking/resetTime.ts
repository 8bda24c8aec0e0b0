import type { LimitReset } from '../../../../agents/usageLimits.ts';

/** The shortest wait before an agent that was refused is asked again. */
const LEAST_MS = 10_000;
/** The longest wait. Limits of accounts end within a week, so a later time is not believed. */
const MOST_MS = 8 * 86_400_000;
/** The first wait if nobody states when the limit ends. It doubles with each attempt in a row. */
const FIRST_MS = 15 * 60_000;
const LONGEST_MS = 4 * 3_600_000;
const DAY_MS = 86_400_000;

/**
 * When to try again, in milliseconds since 1970.
 * @param reset absent if nobody stated it
 * @param attempt how often in a row the limit was reached before
 */
export function resetMs(reset: LimitReset | undefined, attempt: number, nowMs: number): number {
  const guessed = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  const inMs = (reset && statedMs(reset, nowMs)) ?? guessed;
  return nowMs + Math.min(MOST_MS, Math.max(LEAST_MS, inMs));
}

function statedMs(reset: LimitReset, nowMs: number): number | undefined {
  if ('inMs' in reset) return reset.inMs;
  if ('atMs' in reset) return reset.atMs - nowMs;
  const { hour, minute, timeZone, date } = reset;
  const now = partsOf(nowMs, timeZone);
  const thisDay = Date.UTC(now.year, now.month - 1, now.day, now.hour, now.minute);
  if (!date) {
    const today = Date.UTC(now.year, now.month - 1, now.day, hour, minute) - thisDay;
    return today > 0 ? today : today + DAY_MS;
  }
  const inYear = (year: number) => Date.UTC(year, date.month - 1, date.day, hour, minute) - thisDay;
  const inMs = inYear(now.year);
  return inMs >= -DAY_MS ? inMs : inYear(now.year + 1);
}

/** What a calendar and a clock show. @param timeZone absent: that of the host */
function partsOf(ms: number, timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat('en', {
    ...(timeZone !== undefined && { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = new Map(format.formatToParts(ms).map((it) => [it.type, Number(it.value)]));
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute') => parts.get(name) ?? 0;
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') };
}
