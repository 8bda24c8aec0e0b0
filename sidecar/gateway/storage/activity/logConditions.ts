import { type RawBuilder, sql } from 'kysely';
import type { SpendLogsQuery } from '../../../protocol/gateway/activityQueries.ts';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import { contains } from '../matching.ts';
import { dayOf } from './endedCall.ts';

/** Calls that took longer are not told to who follows the log. */
const FOLLOWED_MS = 600_000;

export type LogFilter = Omit<SpendLogsQuery, 'page' | 'page_size' | 'sort_by' | 'sort_order' | 'bounded'>;

/** When calls started: from the first to before the second. */
export interface Range {
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** A day that ends the range counts whole. */
export function rangeOf({ start_date, end_date, ended_after }: LogFilter): Range {
  const starts = [
    ...(start_date === undefined ? [] : [Date.parse(start_date)]),
    ...(ended_after === undefined ? [] : [Date.parse(ended_after) - FOLLOWED_MS + 1]),
  ];
  return {
    fromMs: starts.length === 0 ? undefined : Math.max(...starts),
    untilMs: end_date === undefined ? undefined : Date.parse(end_date) + (isDay(end_date) ? DAY_MS : 1),
  };
}

function within(range: Range, from: (ms: number) => RawBuilder<unknown>, until: (ms: number) => RawBuilder<unknown>) {
  const { fromMs, untilMs } = range;
  const bounds = [...(fromMs === undefined ? [] : [from(fromMs)]), ...(untilMs === undefined ? [] : [until(untilMs)])];
  return sql.join([sql`1 = 1`, ...bounds], sql` and `);
}
export const startedIn = (range: Range) =>
  within(
    range,
    (ms) => sql`started_ms >= ${ms}`,
    (ms) => sql`started_ms < ${ms}`,
  );
/** Conditions on the sums of days. */
export const datesIn = (range: Range) =>
  within(
    range,
    (ms) => sql`date >= ${dayOf(ms)}`,
    (ms) => sql`date <= ${dayOf(ms - 1)}`,
  );
export const daysIn = (range: Range) =>
  within(
    range,
    (ms) => sql`day >= ${Math.floor(ms / DAY_MS)}`,
    (ms) => sql`day <= ${Math.floor((ms - 1) / DAY_MS)}`,
  );

/** Whose calls. How far a search looks depends on these alone: when the calls of others failed is not the caller's business. */
export function ownersOf(filter: LogFilter): RawBuilder<unknown>[] {
  const found: RawBuilder<unknown>[] = [];
  for (const column of ['api_key', 'user_id', 'team_id'] as const) {
    const values = filter[column];
    if (values) found.push(values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`);
  }
  return found;
}

export function conditionsOf(filter: LogFilter): RawBuilder<unknown>[] {
  const { min_spend, max_spend } = filter;
  const found = ownersOf(filter);
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) found.push(sql`${sql.ref(column)} = ${value}`);
  };
  for (const column of ['end_user', 'request_id', 'session_id', 'trace_id', 'model', 'error_code'] as const)
    equal(column, filter[column]);
  equal('model', filter.model_id);
  equal('model_group', filter.model_group);
  // Most calls succeed, so an index by status would find nearly all of them.
  if (filter.status_filter === 'success') found.push(sql`status <> 'failure'`);
  if (filter.status_filter === 'failure') found.push(sql`status = 'failure'`);
  // The index is on the start, which the range limits.
  if (filter.ended_after !== undefined) found.push(sql`ended_ms > ${Date.parse(filter.ended_after)}`);
  if (min_spend !== undefined) found.push(sql`spend >= ${min_spend}`);
  if (max_spend !== undefined) found.push(sql`spend <= ${max_spend}`);
  if (filter.error_message) found.push(sql`error is not null`, contains('error', filter.error_message));
  return found;
}

export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
