import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/logger.ts';
import type { GatewayStore } from '../../storage/store.ts';
import type { Activity } from '../activity.ts';
import type { LimitLevel } from './levels.ts';
import { budgetsOf, type Counting, type Quota, quotasOf, scopeOf, type Taken } from './quotas.ts';
import { refusalOf } from './refusals.ts';
import { RENEW_MS, SharedCounting } from './sharedCounting.ts';
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
}

export interface LimitsDeps {
  readonly store: Pick<GatewayStore, 'allowances' | 'database'>;
  readonly activity: Activity;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs work later. @returns takes it back. Default: a timer that keeps no process alive */
  readonly schedule?: (work: () => void, delayMs: number) => () => void;
}

/** Budgets and rate limits (completion 1.23): what is known to be paid is reserved before the call, so none is exceeded. */
export interface Limits {
  /**
   * Synchronous for callers without limits, and wherever the answer is in memory.
   * @throws {Fault} `budget_exceeded` or `rate_limited` with `data` of {@link refusalOf}; `unavailable` where the store does
   *   not answer: nothing is allowed because of that
   */
  admit(levels: readonly LimitLevel[], call: LimitedCall): Permit | Promise<Permit>;
  /** US dollars that somebody has spent in the window of the first budget; without one since the beginning. */
  spent(level: LimitLevel): Promise<number>;
  /** Spending of somebody begins anew, at `to` US dollars; what days and log say of it stays. */
  reset(level: Pick<LimitLevel, 'type' | 'id'>, to?: number): Promise<void>;
  /** Gives back what was set aside. */
  close(): Promise<void>;
}

const timer = (work: () => void, delayMs: number) => {
  const handle = setTimeout(work, delayMs);
  handle.unref();
  return () => clearTimeout(handle);
};

export function openLimits({ store, activity, clock, log, schedule = timer }: LimitsDeps): Limits {
  const { allowances } = store;
  let cancel: (() => void) | undefined;
  const counting: Counting =
    store.database.kind === 'sqlite' ? new SoleCounting(allowances, activity, clock) : shared();

  function shared(): Counting {
    const replica = new SharedCounting(allowances, activity, clock, log);
    const later = () => {
      cancel = schedule(() => {
        replica
          .renew()
          .catch((thrown: unknown) => log.warn({ thrown }, 'What is set aside of limits could not be renewed.'))
          .finally(() => cancel && later());
      }, RENEW_MS);
    };
    later();
    return replica;
  }

  function permit(levels: readonly LimitLevel[], held: readonly Held[], atMs: number): Permit {
    let isOver = false;
    return {
      settle(spend, tokens = 0) {
        if (isOver) return;
        isOver = true;
        const paid = Number.isFinite(spend) && spend > 0 ? spend : 0;
        for (const { quota, settle } of held) settle(usedOf(quota, paid, tokens));
        if (paid === 0) return;
        // Also of those without a budget: one that they get later counts from its window's beginning.
        for (const it of levels)
          if (it.type !== 'session' || budgetsOf(it, atMs).length > 0)
            activity.queue.spend(scopeOf(it.type, it.id), atMs, paid);
        activity.wake();
      },
      release() {
        if (isOver) return;
        isOver = true;
        giveBack(held);
      },
    };
  }

  return {
    admit(levels, { cost, servers = [] }) {
      const atMs = clock.nowMs();
      const quotas = quotasOf(levels, atMs, servers);
      const held: Held[] = [];
      for (const [at, quota] of quotas.entries()) {
        const taken = counting.take(quota, amountOf(quota, cost));
        if (taken instanceof Promise) return rest(quotas.slice(at), taken);
        keep(quota, taken);
      }
      return permit(levels, held, atMs);

      function keep(quota: Quota, taken: Taken): void {
        if (taken.isTaken) {
          held.push({ quota, settle: taken.settle });
          return;
        }
        giveBack(held);
        throw refusalOf(quota, taken.used, atMs);
      }

      async function rest(remaining: readonly Quota[], first: Promise<Taken>): Promise<Permit> {
        for (const [at, quota] of remaining.entries()) {
          const asked = at === 0 ? first : counting.take(quota, amountOf(quota, cost));
          const taken = await Promise.resolve(asked).catch((thrown: unknown) => {
            giveBack(held);
            throw thrown;
          });
          keep(quota, taken);
        }
        return permit(levels, held, atMs);
      }
    },
    spent(level) {
      const scope = scopeOf(level.type, level.id);
      const whole: Quota = { kind: 'budget', counter: `budget  0 ${scope}`, scope, level, max: 0, ...forEver };
      return counting.used(budgetsOf(level, clock.nowMs())[0] ?? whole);
    },
    async reset({ type, id }, to = 0) {
      await activity.flush();
      await activity.exclusively(async () => {
        await allowances.reset(scopeOf(type, id));
        counting.forget(scopeOf(type, id));
      });
      if (to === 0) return;
      activity.queue.spend(scopeOf(type, id), clock.nowMs(), to);
      await activity.flush();
    },
    async close() {
      cancel?.();
      cancel = undefined;
      await counting.close();
    },
  };
}

interface Held {
  readonly quota: Quota;
  readonly settle: (used: number) => void;
}

const giveBack = (held: readonly Held[]) => {
  for (const it of held) it.settle(0);
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
