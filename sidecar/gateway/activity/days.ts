import { DAY_MS } from '../../protocol/gateway/duration.ts';

/** @param day YYYY-MM-DD */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);

/** Every day from `start` to `end`, both included. */
export function daysBetween(start: string, end: string): readonly string[] {
  const days: string[] = [];
  for (let day = start; day <= end; day = addDays(day, 1)) days.push(day);
  return days;
}
