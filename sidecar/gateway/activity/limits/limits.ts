import type { Runtime } from '../../../platform/runtime.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { Activity } from '../activity.ts';
import { FLUSH_INTERVAL_MS } from '../recordWrites.ts';
import type { LimitLevel } from './levels.ts';
import {
  budgetsOf,
  type Counting,
  countersOf,
  type Quota,
  quotasOf,
  scopeOf,
  scopeOfLevel,
  type Taken,
} from './quotas.ts';
import { refusalOf } from './refusals.ts';
import { RENEW_MS, SharedCounting } from './sharedCounting.ts';
import { type SoftBudgetCrossed, SoftBudgets } from './softBudgets.ts';
import { SoleCounting } from './soleCounting.ts';
import { forEver } from './windows.ts';

export interface LimitedCall {
  /** US dollars, as far as they are known before the call. */
  readonly cost: number;
  /** What `mcp_rpm_limit` may call the server: id, alias, name. */
  readonly servers?: readonly string[];
}

/** A call that may go on. The first of the two that is called counts. */
export interface Permit {
  /** The call has ended. @param spend US dollars, 0 for a failure @param tokens of prompt and completion */
  settle(spend: number, tokens?: number): void;
  /** The call never began: nothing of it counts. */
  release(): void;
  /** How limits of the minute stand, now. */
  rates(): readonly RateStanding[];
  /** False if there was no limit to keep. */
  readonly isCounted?: boolean;
}

export interface RateStanding {
  readonly kind: 'requests' | 'tokens';
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAtMs: number;
}

export interface LimitsDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly store: Pick<GatewayStore, 'leases' | 'reservations' | 'database'>;
  readonly activity: Activity;
  /** Hears once a window, of whichever replica, that a soft budget was crossed. Default: nobody does */
  readonly crossed?: (crossed: SoftBudgetCrossed) => Promise<void>;
}

/**
 * Budgets and rate limits. A price that is known is reserved before the call, so no budget is exceeded
 * (`security.budget-race`).
 */
export interface Limits {
  /**
   * Synchronous for callers without limits, and wherever the answer is in memory.
   * @throws {Fault} `budget_exceeded` or `rate_limited` with `data` of {@link refusalOf}; `unavailable` where the store does
   *   not answer: nothing is allowed because of that
   */
  admit(levels: readonly LimitLevel[], call: LimitedCall): Permit | Promise<Permit>;
  /** US dollars that somebody has spent in the window of the first budget; without one since the beginning. */
  spent(level: LimitLevel): Promise<number>;
  /** The same as far as it is in memory: nobody waits for it. */
  spentSoFar(level: LimitLevel): number | undefined;
  /** Spending of somebody begins anew, at `to` US dollars; what days and log say of it stays. */
  reset(level: Pick<LimitLevel, 'type' | 'id'>, to?: number): Promise<void>;
  /** Gives back what was set aside. */
  close(): Promise<void>;
}

export function openLimits(deps: LimitsDeps): Limits {
  const { store, activity, clock } = deps;
  if (store.database.kind === 'sqlite')
    return new CountedLimits(deps, new SoleCounting(store.reservations, activity, clock), () => undefined);
  const shared = new SharedCounting(store.reservations, activity, clock, deps.log);
  return new CountedLimits(deps, shared, renewing(shared, deps));
}

/** Renews what the replica has set aside. @returns what ends that */
function renewing(shared: SharedCounting, { timers, log }: Pick<Runtime, 'timers' | 'log'>): () => void {
  let cancel: (() => void) | undefined;
  const later = () => {
    cancel = timers.after(RENEW_MS, () => {
      shared
        .renew()
        .catch((thrown: unknown) => log.warn({ thrown }, 'Limit reservations could not be renewed.'))
        .finally(() => cancel && later());
    });
  };
  later();
  return () => {
    cancel?.();
    cancel = undefined;
  };
}

class CountedLimits implements Limits {
  readonly #deps: LimitsDeps;
  readonly #counting: Counting;
  readonly #endRenewal: () => void;
  readonly #soft: SoftBudgets;
  #looking: (() => void) | undefined;

  constructor(deps: LimitsDeps, counting: Counting, endRenewal: () => void) {
    const { store, log, crossed = async () => undefined } = deps;
    this.#deps = deps;
    this.#counting = counting;
    this.#endRenewal = endRenewal;
    this.#soft = new SoftBudgets({
      used: (quota) => counting.used(quota),
      claim: (id, expiresAtMs) => store.leases.claim(id, expiresAtMs),
      report: crossed,
      log,
    });
  }

  admit(levels: readonly LimitLevel[], { cost, servers = anyServer }: LimitedCall): Permit | Promise<Permit> {
    const atMs = this.#deps.clock.nowMs();
    const quotas = quotasOf(levels, atMs, servers);
    const held: Held[] = [];
    for (const quota of quotas) {
      const taken = this.#counting.take(quota, amountOf(quota, cost));
      if (taken instanceof Promise) return this.#admitRest(levels, quotas, cost, held, taken, atMs);
      keep(held, quota, taken, atMs);
    }
    return this.#permit(levels, quotas, held, atMs);
  }

  spent(level: LimitLevel): Promise<number> {
    return this.#counting.used(firstBudget(level, this.#deps.clock.nowMs()));
  }

  spentSoFar(level: LimitLevel): number | undefined {
    return this.#counting.known(firstBudget(level, this.#deps.clock.nowMs()));
  }

  async reset({ type, id }: Pick<LimitLevel, 'type' | 'id'>, to = 0): Promise<void> {
    const { activity, store, clock } = this.#deps;
    await activity.flush();
    await activity.exclusively(async () => {
      await store.reservations.reset(scopeOf(type, id));
      this.#counting.forget(scopeOf(type, id));
    });
    if (to === 0) return;
    const atMs = clock.nowMs();
    activity.queue.spend(scopeOf(type, id), atMs, to);
    this.#counting.paid(scopeOf(type, id), atMs, to, new Set());
    await activity.flush();
  }

  async close(): Promise<void> {
    this.#endRenewal();
    this.#looking?.();
    await this.#counting.close();
  }

  /** From the first quota on whose answer the store has to be asked for. */
  async #admitRest(
    levels: readonly LimitLevel[],
    quotas: readonly Quota[],
    cost: number,
    held: Held[],
    first: Promise<Taken>,
    atMs: number,
  ): Promise<Permit> {
    for (const [at, quota] of quotas.slice(held.length).entries()) {
      const asked = at === 0 ? first : this.#counting.take(quota, amountOf(quota, cost));
      const taken = await Promise.resolve(asked).catch((thrown: unknown) => {
        giveBack(held);
        throw thrown;
      });
      keep(held, quota, taken, atMs);
    }
    return this.#permit(levels, quotas, held, atMs);
  }

  /** @param held of each quota, in their order */
  #permit(levels: readonly LimitLevel[], quotas: readonly Quota[], held: readonly Held[], atMs: number): Permit {
    let isOver = false;
    return {
      settle: (spend, tokens = 0) => {
        if (isOver) return;
        isOver = true;
        const paid = Number.isFinite(spend) && spend > 0 ? spend : 0;
        for (const [at, quota] of quotas.entries()) held[at]?.(usedOf(quota, paid, tokens));
        if (paid > 0) this.#spend(levels, quotas, atMs, paid);
      },
      release: () => {
        if (isOver) return;
        isOver = true;
        giveBack(held);
      },
      rates: () => this.#rates(quotas),
      isCounted: quotas.length > 0,
    };
  }

  #rates(quotas: readonly Quota[]): readonly RateStanding[] {
    const standing: RateStanding[] = [];
    for (const quota of quotas) {
      const { kind, max: limit, endMs: resetsAtMs } = quota;
      if (kind !== 'requests' && kind !== 'tokens') continue;
      const remaining = this.#counting.remaining(quota);
      if (remaining !== undefined) standing.push({ kind, limit, remaining, resetsAtMs });
    }
    return standing;
  }

  /** @param paid US dollars, more than 0 */
  #spend(levels: readonly LimitLevel[], quotas: readonly Quota[], atMs: number, paid: number): void {
    const { activity } = this.#deps;
    const counted = countersOf(quotas);
    // Also of those without a budget: one that they get later counts from its window's beginning.
    for (const it of levels)
      if (it.type !== 'session' || budgetsOf(it, atMs).length > 0) {
        const scope = scopeOfLevel(it);
        activity.queue.spend(scope, atMs, paid);
        this.#counting.paid(scope, atMs, paid, counted);
      }
    activity.wake();
    if (this.#soft.spent(levels, atMs)) this.#lookLater();
  }

  /** After the batch with the spending of this call: replicas count what is written. */
  #lookLater(): void {
    const { activity, clock, timers, log } = this.#deps;
    this.#looking ??= timers.after(FLUSH_INTERVAL_MS, () => {
      this.#looking = undefined;
      void activity
        .flush()
        .then(() => this.#soft.look(clock.nowMs()))
        .catch((thrown: unknown) =>
          log.debug({ thrown }, 'Soft budgets could not be checked. They will be checked again on the next call.'),
        );
    });
  }
}

/** @throws {Fault} of {@link refusalOf} where it was not taken; what was taken before is given back then */
function keep(held: Held[], quota: Quota, taken: Taken, atMs: number): void {
  if (taken.isTaken) {
    held.push(taken.settle);
    return;
  }
  giveBack(held);
  throw refusalOf(quota, taken.used, atMs);
}

const firstBudget = (level: LimitLevel, nowMs: number): Quota => budgetsOf(level, nowMs)[0] ?? wholeOf(level);

/** Everything that a level without a budget has spent. */
function wholeOf(level: LimitLevel): Quota {
  const scope = scopeOfLevel(level);
  return { kind: 'budget', counter: `budget  0 ${scope}`, scope, level, max: 0, ...forEver };
}

const anyServer: readonly string[] = [];

/** Settles what was taken of one quota. */
type Held = (used: number) => void;

const giveBack = (held: readonly Held[]) => {
  for (const settle of held) settle(0);
};

const amountOf = ({ kind }: Quota, cost: number): number => {
  if (kind === 'budget') return Number.isFinite(cost) && cost > 0 ? cost : 0;
  return kind === 'tokens' ? 0 : 1;
};

function usedOf({ kind }: Quota, spend: number, tokens: number): number {
  if (kind === 'budget') return spend;
  if (kind === 'tokens') return tokens;
  return kind === 'requests' ? 1 : 0;
}
