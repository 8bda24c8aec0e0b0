import { DAY_MS, readDuration } from '../../../protocol/gateway/duration.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** 1970-01-05 was the first Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export interface Window {
  readonly startMs: number;
  /** When it begins anew. */
  readonly endMs: number;
}

/** A window that never ends; as long as databases and dates go. */
export const forEver: Window = { startMs: 0, endMs: 8.64e15 };

/** The minute of rate limits. */
export const minuteOf = (nowMs: number): Window => stepped(0, MINUTE_MS, nowMs);

/**
 * The window that a time is in: an hour begins on the hour, 24 hours at midnight UTC, 7 days on Monday, 30 days and
 * months on the 1st. Every other length counts from when the owner was made, to the second.
 */
export function windowOf(duration: string, createdAtMs: number, nowMs: number): Window {
  const length = readDuration(duration);
  if ('months' in length) return months(length.months, createdAtMs, nowMs);
  const lengthMs = length.ms;
  if (lengthMs === 30 * DAY_MS) return months(1, createdAtMs, nowMs);
  if (lengthMs === HOUR_MS || lengthMs === DAY_MS) return stepped(0, lengthMs, nowMs);
  if (lengthMs === 7 * DAY_MS) return stepped(FIRST_MONDAY_MS, lengthMs, nowMs);
  return stepped(createdAtMs - (createdAtMs % 1_000), lengthMs, nowMs);
}

function stepped(fromMs: number, lengthMs: number, nowMs: number): Window {
  const startMs = fromMs + Math.floor((nowMs - fromMs) / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs };
}

/** Steps of `count` months from the month in which the owner was made. */
function months(count: number, createdAtMs: number, nowMs: number): Window {
  const from = monthOf(createdAtMs);
  const start = from + Math.floor((monthOf(nowMs) - from) / count) * count;
  return { startMs: Date.UTC(0, start), endMs: Date.UTC(0, start + count) };
}

/** Since 1900, which is where `Date.UTC` counts years below 100 from. */
function monthOf(ms: number): number {
  const date = new Date(ms);
  return (date.getUTCFullYear() - 1900) * 12 + date.getUTCMonth();
}
