import {
  breakdowns,
  type DailyActivity,
  type DayActivity,
  type GroupActivity,
  type KeyFacts,
} from '../../protocol/gateway/activity.ts';
import type { DailyActivityQuery, EntityKind } from '../../protocol/gateway/activityQueries.ts';
import type { ActivityReads, DaySum, DaysQuery } from '../storage/activity/activityReads.ts';
import { addDays } from './days.ts';
import { addTo, nothing, type Total, totalOf } from './metrics.ts';
import { type DaysAsked, namedDays, serverOf, toKeys } from './namedDays.ts';

type Reads = Pick<ActivityReads, 'dates' | 'days' | 'daysBy' | 'keyFacts'>;

/**
 * `GET /{entity}/daily/activity`, from sums alone. A page has whole days, newest first.
 * @param query `page_size` days; for the unpaged variant {@link ALL_DAYS}
 */
export async function dailyActivity(reads: Reads, entity: EntityKind, query: DaysAsked): Promise<DailyActivity> {
  const { page, page_size } = query;
  const range = {
    ...rangeOf(query),
    entity,
    entityIds: query.entity_ids,
    model: query.model,
    apiKeys: query.api_key,
  };
  const dates = await reads.dates(range);
  const total_pages = Math.ceil(dates.length / page_size);
  const shown = dates.slice((page - 1) * page_size, page * page_size);
  const results = query.breakdown
    ? await namedDays(reads, range, shown, query.breakdown)
    : await dayByDay(reads, range, shown);
  const total = totalOf(results.map((it) => it.metrics));
  return {
    results,
    metadata: {
      total_spend: total.spend,
      total_flat_cost: total.flat_cost,
      total_prompt_tokens: total.prompt_tokens,
      total_completion_tokens: total.completion_tokens,
      total_tokens: total.total_tokens,
      total_api_requests: total.api_requests,
      total_successful_requests: total.successful_requests,
      total_failed_requests: total.failed_requests,
      total_cache_read_input_tokens: total.cache_read_input_tokens,
      total_cache_creation_input_tokens: total.cache_creation_input_tokens,
      page,
      total_pages,
      has_more: page < total_pages,
    },
  };
}

/**
 * One day after the other, and while one is added up the next one is read: a month of a busy gateway has a hundred thousand
 * sums, and calls come between.
 */
async function dayByDay(reads: Reads, range: DaysQuery, dates: readonly string[]): Promise<readonly DayActivity[]> {
  const results: DayActivity[] = [];
  const facts = new Map<string, KeyFacts>();
  const asked = new Set<string>();
  const read = (date: string | undefined) =>
    date === undefined ? none : reads.days({ ...range, start: date, end: date });
  let next = read(dates[0]);
  for (const [at, date] of dates.entries()) {
    const sums = await next;
    next = read(dates[at + 1]);
    // Whoever waits gets the error; it may fail before anybody waits.
    next.catch(() => undefined);
    const unknown = new Set(sums.map((it) => it.api_key).filter((it) => it !== '' && !asked.has(it)));
    for (const it of unknown) asked.add(it);
    if (unknown.size > 0) for (const [hash, it] of await reads.keyFacts([...unknown])) facts.set(hash, it);
    results.push(toDay(date, sums, facts));
  }
  return results;
}
const none: Promise<readonly DaySum[]> = Promise.resolve([]);

/** More days than any range has. */
export const ALL_DAYS = 1_000_000;

/**
 * Days of the caller's own calendar reach into the UTC day after (west of Greenwich) or before (east of it). So a range that
 * ends today always has the current UTC day, with `include_current_utc_day` and without it.
 */
function rangeOf({ start_date, end_date, timezone }: DailyActivityQuery) {
  return {
    start: timezone < 0 ? addDays(start_date, -1) : start_date,
    end: timezone > 0 ? addDays(end_date, 1) : end_date,
  };
}

/** What each breakdown is named after; a call that has no such name is not in it. */
const nameOf: Readonly<Record<(typeof breakdowns)[number], (it: DaySum) => string>> = {
  mcp_servers: (it) => serverOf(it.mcp_namespaced_tool_name),
  models: (it) => it.model,
  model_groups: (it) => it.model_group,
  providers: (it) => it.provider,
  endpoints: (it) => it.endpoint,
  entities: (it) => it.entity,
};

function toDay(date: string, sums: readonly DaySum[], facts: ReadonlyMap<string, KeyFacts>): DayActivity {
  const groups = Object.fromEntries(
    breakdowns.map((name): [string, Record<string, GroupActivity>] => [
      name,
      Object.fromEntries(
        [...tally(sums, nameOf[name])].map(([it, { total, keys }]) => [
          it,
          { metrics: total, metadata: {}, api_key_breakdown: toKeys(keys, facts) },
        ]),
      ),
    ]),
  ) as Record<(typeof breakdowns)[number], Record<string, GroupActivity>>;
  const { total, keys } = tally(sums, () => date).get(date) ?? { total: nothing(), keys: new Map() };
  return { date, metrics: total, breakdown: { ...groups, api_keys: toKeys(keys, facts) } };
}

interface Tally {
  readonly total: Total;
  /** By hash; calls without a key are in none. */
  readonly keys: Map<string, Total>;
}

/** Sums by name, and by key within each, in one pass: a month may have a hundred thousand of them. */
function tally(sums: readonly DaySum[], nameOf: (it: DaySum) => string): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const it of sums) {
    const name = nameOf(it);
    if (name === '') continue;
    const { total, keys } = ofName(tallies, name, () => ({ total: nothing(), keys: new Map() }));
    addTo(total, it);
    if (it.api_key !== '') addTo(ofName(keys, it.api_key, nothing), it);
  }
  return tallies;
}

function ofName<T>(all: Map<string, T>, name: string, begin: () => T): T {
  const known = all.get(name) ?? begin();
  all.set(name, known);
  return known;
}
