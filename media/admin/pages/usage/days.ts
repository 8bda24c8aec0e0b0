import type { DailyActivityAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';

type Days = DailyActivityAnswer['results'];

/** Days of one request: a day of a busy gateway is long, and the first ones are shown while the others come. */
export const DAYS_AT_ONCE = 7;

/**
 * All days of a range, newest first.
 *
 * @param read one page of {@link DAYS_AT_ONCE} days, counted from 1
 * @param shown told of those that are there, each time more of them are
 */
export async function readDays(
  read: (page: number) => Promise<DailyActivityAnswer>,
  shown: (days: Days) => void,
): Promise<Days> {
  const days: Days = [];
  for (let page = 1; ; page++) {
    const { results, metadata } = await read(page);
    days.push(...results);
    if (!metadata.has_more) return days;
    shown(days);
  }
}
