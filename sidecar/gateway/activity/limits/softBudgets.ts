import type { Log } from '../../../platform/logger.ts';
import type { LimitLevel } from './levels.ts';
import { budgetsOf, type Quota } from './quotas.ts';

/** Somebody spent more than their `soft_budget` in a window. It stops nothing. */
export interface SoftBudgetCrossed {
  readonly type: LimitLevel['type'];
  readonly id: string;
  readonly alias: string;
  /** US dollars. */
  readonly soft_budget: number;
  readonly spend: number;
  readonly budget_duration: string | null;
}

export interface SoftBudgetDeps {
  /** What was spent of a budget, by all replicas. */
  readonly used: (quota: Quota) => Promise<number>;
  /** True for the first of all replicas that asks. */
  readonly claim: (id: string, expiresAtMs: number) => Promise<boolean>;
  readonly report: (crossed: SoftBudgetCrossed) => Promise<void>;
  readonly log: Log;
}

/** Finds soft budgets that were crossed, off the path of calls, and reports each once a window, whichever replica finds it. */
export class SoftBudgets {
  readonly #deps: SoftBudgetDeps;
  readonly #waiting = new Map<string, Quota>();
  readonly #reported = new Map<string, number>();

  constructor(deps: SoftBudgetDeps) {
    this.#deps = deps;
  }

  /** Somebody of these spent something. The list may not be changed afterwards. @returns whether there is anything to look at later */
  spent(levels: readonly LimitLevel[], nowMs: number): boolean {
    if (without.has(levels)) return this.#waiting.size > 0;
    let hasAny = false;
    for (const level of levels) {
      const { soft_budget, budget_duration } = level.limits;
      if (typeof soft_budget !== 'number') continue;
      hasAny = true;
      const limits = { max_budget: soft_budget, budget_duration };
      const [quota] = budgetsOf({ ...level, limits }, nowMs);
      if (quota && !this.#reported.has(claimOf(quota))) this.#waiting.set(claimOf(quota), quota);
    }
    if (!hasAny) without.add(levels);
    return this.#waiting.size > 0;
  }

  /** Checks what was spent, and reports. */
  async look(nowMs: number): Promise<void> {
    for (const [name, endMs] of this.#reported) if (endMs <= nowMs) this.#reported.delete(name);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [name, quota] of waiting) {
      try {
        await this.#lookAt(name, quota);
      } catch (thrown) {
        this.#deps.log.warn(
          { thrown },
          'A soft budget could not be checked. It will be checked again on the next call.',
        );
      }
    }
  }

  async #lookAt(name: string, quota: Quota): Promise<void> {
    const { type, id, alias } = quota.level;
    const spend = await this.#deps.used(quota);
    if (spend < quota.max) return;
    this.#reported.set(name, quota.endMs);
    if (!(await this.#deps.claim(name, quota.endMs))) return;
    const budget_duration = quota.duration ?? null;
    await this.#deps.report({ type, id, alias, soft_budget: quota.max, spend, budget_duration });
  }
}

/** Lists in which no level has a soft budget. */
const without = new WeakSet<readonly LimitLevel[]>();

const claimOf = ({ counter, max }: Quota): string => `soft budget ${max} of ${counter}`;
