import {
  breakdowns,
  type DayActivity,
  type GroupActivity,
  type KeyActivity,
  type KeyFacts,
} from '../../protocol/gateway/activity.ts';
import type { DailyActivityQuery } from '../../protocol/gateway/activityQueries.ts';
import type { ActivityReads, DaysQuery, NamedDaySum } from '../storage/activity/activityReads.ts';
import { addTo, nothing, type Total } from './metrics.ts';

type Breakdown = (typeof breakdowns)[number] | 'api_keys';
type Wanted = readonly Breakdown[];
/** @property breakdown only these, and in them no keys of a group: much faster where many keys call */
export type DaysAsked = DailyActivityQuery & { readonly breakdown?: Wanted | undefined };
type ByName = ReadonlyMap<string, Total>;

/** The column of each breakdown. */
const columns = {
  mcp_servers: 'mcp_namespaced_tool_name',
  models: 'model',
  model_groups: 'model_group',
  providers: 'provider',
  endpoints: 'endpoint',
  entities: 'entity',
  api_keys: 'api_key',
} as const satisfies Record<Breakdown, Parameters<ActivityReads['daysBy']>[0]>;

/**
 * Days with these breakdowns alone, and no keys of a group: the database adds up the sums by name, so that what is read and sent
 * grows with the names and not with the keys that use them.
 *
 * @param dates that are shown, newest first
 */
export async function namedDays(
  reads: Pick<ActivityReads, 'daysBy' | 'keyFacts'>,
  range: DaysQuery,
  dates: readonly string[],
  wanted: Wanted,
): Promise<readonly DayActivity[]> {
  const [newest, oldest] = [dates[0], dates.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const totals = new Map<string, Total>();
  const sums = new Map<Breakdown, ReadonlyMap<string, ByName>>();
  for (const name of new Set(wanted)) {
    const read = await reads.daysBy(columns[name], { ...range, start: oldest, end: newest });
    // Each call is in the sums of every column, under '' at least: the first ones are those of the days.
    if (sums.size === 0) for (const it of read) addTo(ofName(totals, it.date), it);
    sums.set(name, byDay(name, read));
  }
  const facts = await reads.keyFacts([
    ...new Set([...(sums.get('api_keys')?.values() ?? [])].flatMap((it) => [...it.keys()])),
  ]);
  return dates.map((date): DayActivity => {
    const groups = breakdowns.map((name) => [name, toGroups(sums.get(name)?.get(date))] as const);
    const api_keys = toKeys(sums.get('api_keys')?.get(date), facts);
    const breakdown = { ...Object.fromEntries(groups), api_keys } as DayActivity['breakdown'];
    return { date, metrics: totals.get(date) ?? nothing(), breakdown };
  });
}

function byDay(breakdown: Breakdown, sums: readonly NamedDaySum[]): ReadonlyMap<string, ByName> {
  const days = new Map<string, Map<string, Total>>();
  for (const it of sums) {
    const name = breakdown === 'mcp_servers' ? serverOf(it.name) : it.name;
    if (name === '') continue;
    const day = days.get(it.date) ?? new Map<string, Total>();
    days.set(it.date, day);
    addTo(ofName(day, name), it);
  }
  return days;
}

function ofName(all: Map<string, Total>, name: string): Total {
  const known = all.get(name) ?? nothing();
  all.set(name, known);
  return known;
}

/** The server of a tool. */
export const serverOf = (namespacedTool: string): string => namespacedTool.split('/', 1)[0] ?? '';

const toGroups = (names: ByName = new Map()): Record<string, GroupActivity> =>
  Object.fromEntries([...names].map(([name, metrics]) => [name, { metrics, metadata: {}, api_key_breakdown: {} }]));

const unknownKey: KeyFacts = { key_alias: null, team_id: null, user_id: null, user_email: null };

/** Keys by hash, with what is known of them. */
export function toKeys(keys: ByName = new Map(), facts: ReadonlyMap<string, KeyFacts>): Record<string, KeyActivity> {
  return Object.fromEntries(
    [...keys].map(([hash, metrics]) => [hash, { metrics, metadata: facts.get(hash) ?? unknownKey }]),
  );
}
