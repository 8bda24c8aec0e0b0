import type { BudgetLimit, BudgetSettings, SessionBudget } from '../../../protocol/channels/session/budgets.ts';
import { type Account, sessionAccount } from './accounts.ts';
import type { Ledger } from './ledger.ts';

export type Scope = 'session' | 'day' | 'folder' | 'all';

/** A budget that applies to a call. */
export interface Quota {
  readonly scope: Scope;
  readonly account: Account;
  readonly limit: BudgetLimit;
}

/** A budget that the next call would exceed. */
export interface Passed {
  readonly quota: Quota;
  readonly unit: 'dollars' | 'calls';
  readonly limit: number;
  /** By calls that have ended. */
  readonly spent: number;
  /** Set aside for running calls. */
  readonly reserved: number;
}

export interface SessionFacts {
  readonly session: string;
  readonly folders: readonly string[];
  readonly day: string;
}

/** All accounts to which a session's call is charged. */
export const accountsOf = (facts: SessionFacts): readonly Account[] => scopesOf(facts).map(([, account]) => account);

function scopesOf({ session, folders, day }: SessionFacts): readonly (readonly [Scope, Account])[] {
  const all = { name: 'all', day: '' };
  return [
    ['session', sessionAccount(session)],
    ['day', { ...all, day }],
    ...folders.map((it) => ['folder', { name: `folder ${it}`, day: '' }] as const),
    ['all', all],
  ];
}

/**
 * @param own the session's budget; the settings apply unless a person set it for this session
 * @param raised returns the limit to which a person raised a budget in the settings
 */
export function quotasOf(
  facts: SessionFacts,
  own: SessionBudget | undefined,
  settings: BudgetSettings | undefined,
  raised: (account: Account, limit: number) => number,
): readonly Quota[] {
  return scopesOf(facts).flatMap(([scope, account]) => {
    const dollars = settings?.[scope];
    const ofSettings: BudgetLimit = dollars === undefined ? {} : { dollars: raised(account, dollars) };
    const limit = scope === 'session' && own?.isOwn ? own.limit : ofSettings;
    return limit.dollars === undefined && limit.calls === undefined ? [] : [{ scope, account, limit }];
  });
}

/** @param dollars the most that the call can cost */
export function passedBy(
  quotas: readonly Quota[],
  ledger: Pick<Ledger, 'spent' | 'reserved'>,
  dollars: number,
): Passed | undefined {
  for (const quota of quotas) {
    for (const unit of ['calls', 'dollars'] as const) {
      const limit = quota.limit[unit];
      if (limit === undefined) continue;
      const [spent, reserved] = [ledger.spent(quota.account)[unit], ledger.reserved(quota.account)[unit]];
      const used = spent + reserved;
      // An exhausted budget also refuses calls that are free or have no known price.
      const isUp = used >= limit - DUST;
      if (isUp || used + (unit === 'calls' ? 1 : dollars) > limit + DUST)
        return { quota, unit, limit, spent, reserved };
    }
  }
  return undefined;
}

/** Tolerates rounding errors in sums of prices. */
const DUST = 1e-9;
