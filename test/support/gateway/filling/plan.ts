import { Random } from '../../../fuzz/random.ts';

/** How much of everything. What is not named here follows from these. */
export interface FillingPlan {
  readonly teams: number;
  readonly keys: number;
  readonly servers: number;
  /** Lines of the log. */
  readonly calls: number;
  /** The calls, changes, and alerts are from so many days, of which the last has not ended. */
  readonly days: number;
  /** Milliseconds: the end of the last day that has calls. */
  readonly nowMs: number;
  /** Where the servers and agents are: `/mcp/{name}` and `/agent/{name}` below it. */
  readonly backendUrl: string;
  /** Another seed gives other records and calls, as many of them. */
  readonly seed?: number;
}

/** What the parts of a filling share. */
export interface Filling extends FillingPlan {
  readonly random: Random;
  /** RFC 3339, of so many days before the end. */
  ago(days: number): string;
}

const DAY_MS = 24 * 60 * 60_000;

export function fillingOf(plan: FillingPlan): Filling {
  return {
    ...plan,
    random: new Random(plan.seed ?? 1),
    ago: (days) => new Date(plan.nowMs - days * DAY_MS).toISOString(),
  };
}

/** Some of a list, each at most once, in the order of the list. */
export const someOf = <T>(random: Random, all: readonly T[], count: number): readonly T[] => {
  const chosen = new Set<T>();
  for (let at = 0; at < count; at += 1) chosen.add(random.pick(all));
  return all.filter((it) => chosen.has(it));
};
