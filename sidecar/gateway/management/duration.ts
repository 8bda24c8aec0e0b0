const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const unitMs = { s: SECOND, m: 60 * SECOND, h: 3_600 * SECOND, d: DAY, w: 7 * DAY, mo: 30 * DAY } as const;

/** To compare durations: a month counts as 30 days. @param text as the schema `Duration` lets it through */
export function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(text) ?? [];
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** When a duration that begins at `fromMs` ends; months are those of the calendar. RFC 3339, UTC. */
export function endOf(text: string, fromMs: number): string {
  if (!text.endsWith('mo')) return new Date(fromMs + durationMs(text)).toISOString();
  const from = new Date(fromMs);
  const end = new Date(fromMs);
  end.setUTCMonth(from.getUTCMonth() + Number.parseInt(text, 10));
  // The 31st of a short month is its last day.
  if (end.getUTCDate() !== from.getUTCDate()) end.setUTCDate(0);
  return end.toISOString();
}
