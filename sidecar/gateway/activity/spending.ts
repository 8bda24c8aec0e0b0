import type { Clock } from '../../platform/clock.ts';
import type { Directory } from '../auth/directory.ts';
import type { Spenders, Spending, Spent } from '../management/activity/reads.ts';
import type { Accounting } from './accounting.ts';
import { type LimitedParts, type LimitLevel, levelsOf } from './limits/levels.ts';
import { windowOf } from './limits/windows.ts';

/** Under which name a spender takes part in a call. */
const partOf = {
  key: 'key',
  team: 'team',
  organization: 'organization',
  user: 'user',
  end_user: 'endUser',
  agent: 'agent',
} as const satisfies Record<keyof Spenders, keyof LimitedParts>;

export interface SpendingDeps {
  readonly accounting: Accounting;
  readonly directory: Directory;
  readonly clock: Clock;
}

async function levelIn<K extends keyof Spenders>(
  directory: Directory,
  kind: K,
  record: Spenders[K],
): Promise<LimitLevel> {
  const { budgets } = await directory.registered();
  const levels = levelsOf({ [partOf[kind]]: record }, (id) => budgets.get(id));
  const level = levels.find((it) => it.type === kind);
  if (!level) throw new RangeError(`a ${kind} has no level`);
  return level;
}

/** US dollars. */
export interface BudgetStanding {
  readonly max: number;
  /** Never below 0. */
  readonly left: number;
}

/** How the budget of a record stands in its window; `undefined` without one. @throws {Fault} `unavailable` */
export async function budgetOf<K extends keyof Spenders>(
  {
    accounting: { limits },
    directory,
  }: { readonly accounting: Pick<Accounting, 'limits'>; readonly directory: Directory },
  kind: K,
  record: Spenders[K],
): Promise<BudgetStanding | undefined> {
  const level = await levelIn(directory, kind, record);
  const max = level.limits.max_budget;
  return typeof max === 'number' ? { max, left: Math.max(0, max - (await limits.spent(level))) } : undefined;
}

/** What records spent in the window of their budget, for the management routes. */
export function spendingOf({ accounting: { limits }, directory, clock }: SpendingDeps): Spending {
  const levelOf = <K extends keyof Spenders>(kind: K, record: Spenders[K]) => levelIn(directory, kind, record);
  async function spent(level: LimitLevel): Promise<Spent> {
    const { budget_duration } = level.limits;
    const window = budget_duration ? windowOf(budget_duration, level.createdAtMs, clock.nowMs()) : undefined;
    const budget_reset_at = window ? new Date(window.endMs).toISOString() : null;
    return { spend: await limits.spent(level), budget_reset_at };
  }
  return {
    of: (kind, records) => Promise.all(records.map(async (it) => spent(await levelOf(kind, it)))),
    async reset(kind, record, to) {
      const level = await levelOf(kind, record);
      const before = await spent(level);
      await limits.reset(level, to);
      return before;
    },
  };
}
