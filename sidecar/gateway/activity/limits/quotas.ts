import type { OwnerType } from '../../storage/activity/budgetReservations.ts';
import type { LimitLevel } from './levels.ts';
import { forEver, minuteOf, type Window, windowOf } from './windows.ts';

/** One thing that is counted against a limit. */
export interface Quota extends Window {
  readonly kind: 'budget' | 'requests' | 'tokens' | 'parallel';
  /** Names owner, kind and window: the same on all replicas. */
  readonly counter: string;
  readonly scope: string;
  readonly level: LimitLevel;
  readonly max: number;
  /** Of a budget that begins anew. */
  readonly duration?: string;
}

/** Sums of many prices are never exact: a billionth of a dollar is nothing. */
export const NOTHING = 1e-9;

/** Taken from a quota, or what was used of it already. */
export type Taken =
  | { readonly isTaken: true; readonly settle: (used: number) => void }
  | { readonly isTaken: false; readonly used: number };

/** Where quotas are counted. */
export interface Counting {
  /** Takes `amount` (of tokens, whose number nobody knows yet: anything that is left). Synchronous wherever it can be. */
  take(quota: Quota, amount: number): Taken | Promise<Taken>;
  /** What was spent of a budget, as far as this process knows. @throws {Fault} `unavailable` */
  used(quota: Quota): Promise<number>;
  /** What was spent, where that is in memory; else it is looked for, and is there the next time. */
  known(quota: Quota): number | undefined;
  /** How much of a limit of the minute is left, as far as this process knows. */
  remaining(quota: Quota): number | undefined;
  /** A call of somebody cost something. @param counted those that its settling counted already */
  paid(scope: string, atMs: number, spend: number, counted: ReadonlySet<string>): void;
  forget(scope: string): void;
  close(): Promise<void>;
}

export const scopeOf = (type: OwnerType, id: string): string => `${type}:${id}`;

const knownScopes = new WeakMap<LimitLevel, string>();
/** The same text for the same level: maps that it is looked up in need not read it again. */
export function scopeOfLevel(level: LimitLevel): string {
  let scope = knownScopes.get(level);
  if (scope === undefined) knownScopes.set(level, (scope = scopeOf(level.type, level.id)));
  return scope;
}

const within: readonly OwnerType[] = ['agent', 'session', 'organization', 'global'];
const budgetOrder: readonly OwnerType[] = ['team', 'team_member', 'user', 'end_user', 'key', ...within];
const rateOrder: readonly OwnerType[] = ['key', 'team', 'team_member', 'user', 'end_user', ...within];

const isLimited = ({ limits, mcpRpmLimit }: LimitLevel): boolean =>
  typeof limits.max_budget === 'number' ||
  typeof limits.rpm_limit === 'number' ||
  typeof limits.tpm_limit === 'number' ||
  typeof limits.max_parallel_requests === 'number' ||
  (limits.budget_limits?.length ?? 0) > 0 ||
  (mcpRpmLimit !== undefined && mcpRpmLimit !== null);

/** What was made of an owner's limits, for as long as the windows in it are the current ones. */
interface Current<T> {
  readonly made: T;
  readonly fromMs: number;
  readonly untilMs: number;
}

const current = <T>(made: T, quotas: readonly Quota[], nowMs: number): Current<T> => ({
  made,
  fromMs: nowMs,
  untilMs: quotas.reduce((first, it) => Math.min(first, it.endMs), forEver.endMs),
});
const isCurrent = ({ fromMs, untilMs }: Current<unknown>, nowMs: number): boolean => nowMs >= fromMs && nowMs < untilMs;

const known = new WeakMap<readonly LimitLevel[], WeakMap<readonly string[], Current<readonly Quota[]>>>();

/** All quotas of a call, in the order in which they are checked. Neither list may be changed afterwards. */
export function quotasOf(levels: readonly LimitLevel[], nowMs: number, servers: readonly string[]): readonly Quota[] {
  const ofLevels = known.get(levels) ?? new WeakMap<readonly string[], Current<readonly Quota[]>>();
  const found = ofLevels.get(servers);
  if (found && isCurrent(found, nowMs)) return found.made;
  const quotas = readQuotas(levels, nowMs, servers);
  known.set(levels, ofLevels.set(servers, current(quotas, quotas, nowMs)));
  return quotas;
}

const knownCounters = new WeakMap<readonly Quota[], ReadonlySet<string>>();

/** The counters of a list that {@link quotasOf} made: one set for all calls that it is for. */
export function countersOf(quotas: readonly Quota[]): ReadonlySet<string> {
  let counters = knownCounters.get(quotas);
  if (!counters) knownCounters.set(quotas, (counters = new Set(quotas.map((it) => it.counter))));
  return counters;
}

function readQuotas(levels: readonly LimitLevel[], nowMs: number, servers: readonly string[]): readonly Quota[] {
  const limited = levels.filter(isLimited);
  if (limited.length === 0) return [];
  const inOrder = (order: readonly OwnerType[]) =>
    limited.toSorted((one, other) => order.indexOf(one.type) - order.indexOf(other.type));
  return [
    ...inOrder(budgetOrder).flatMap((it) => budgetsOf(it, nowMs)),
    ...inOrder(rateOrder).flatMap((it) => ratesOf(it, nowMs, servers)),
  ];
}

const knownBudgets = new WeakMap<LimitLevel, Current<readonly Quota[]>>();

/** Those of one owner. It may not be changed afterwards. */
export function budgetsOf(level: LimitLevel, nowMs: number): readonly Quota[] {
  const found = knownBudgets.get(level);
  if (found && isCurrent(found, nowMs)) return found.made;
  const budgets = readBudgets(level, nowMs);
  knownBudgets.set(level, current(budgets, budgets, nowMs));
  return budgets;
}

function readBudgets(level: LimitLevel, nowMs: number): readonly Quota[] {
  const { max_budget, budget_duration, budget_limits } = level.limits;
  const scope = scopeOfLevel(level);
  const quota = (max: number, duration?: string): Quota => {
    const window = duration === undefined ? forEver : windowOf(duration, level.createdAtMs, nowMs);
    const counter = `budget ${duration ?? ''} ${window.startMs} ${scope}`;
    return { kind: 'budget', counter, scope, level, max, ...window, ...(duration !== undefined && { duration }) };
  };
  const own = typeof max_budget === 'number' ? [quota(max_budget, budget_duration ?? undefined)] : [];
  return [...own, ...(budget_limits ?? []).map((it) => quota(it.max_budget, it.budget_duration))];
}

function ratesOf(level: LimitLevel, nowMs: number, servers: readonly string[]): readonly Quota[] {
  const { rpm_limit, tpm_limit, max_parallel_requests } = level.limits;
  const scope = scopeOfLevel(level);
  const quotas: Quota[] = [];
  const add = (kind: Quota['kind'], max: number | null | undefined, window: Window, what = '') => {
    if (typeof max !== 'number') return;
    quotas.push({ kind, counter: `${kind} ${what} ${window.startMs} ${scope}`, scope, level, max, ...window });
  };
  const minute = minuteOf(nowMs);
  add('requests', rpm_limit, minute);
  const server = servers.find((it) => Object.hasOwn(level.mcpRpmLimit ?? {}, it));
  if (server !== undefined) add('requests', level.mcpRpmLimit?.[server], minute, encodeURIComponent(server));
  add('tokens', tpm_limit, minute);
  add('parallel', max_parallel_requests, forEver);
  return quotas;
}
