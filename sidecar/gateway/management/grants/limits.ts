import { durationMs } from '../../../protocol/gateway/duration.ts';
import type { BudgetRecord, BudgetWindow, Limits } from '../../../protocol/gateway/limits.ts';
import { exceeds } from './exceeds.ts';

const counts = ['tpm_limit', 'rpm_limit', 'max_parallel_requests'] as const;

/** Limits of a record over those of the budget it names: the record's own win. */
export function effective(own: Limits, budget: BudgetRecord | undefined): Limits {
  if (!budget) return own;
  const limits = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null && value !== undefined));
  return { ...budget, ...limits };
}

/** @throws {Fault} `forbidden` naming the field, where `wanted` would allow more than `held` */
export function checkLimits(held: Limits, wanted: Limits): void {
  for (const field of counts) {
    const most = held[field];
    const asked = wanted[field];
    if (isSet(most) && (!isSet(asked) || asked > most)) throw exceeds(field, `at most ${most}`);
  }
  for (const window of windowsOf(held)) {
    if (windowsOf(wanted).some((it) => isWithin(it, window))) continue;
    const each = window.budget_duration === undefined ? 'in total' : `per ${window.budget_duration}`;
    throw exceeds('max_budget', `at most ${window.max_budget} ${each}`);
  }
}

interface Window extends Omit<BudgetWindow, 'budget_duration'> {
  /** Absent: for ever. */
  readonly budget_duration?: string | undefined;
}

function windowsOf({ max_budget, budget_duration, budget_limits }: Limits): readonly Window[] {
  const own = isSet(max_budget) ? [{ max_budget, budget_duration: budget_duration ?? undefined }] : [];
  return [...own, ...(budget_limits ?? [])];
}

/** As little money, in as long a time. */
function isWithin(one: Window, other: Window): boolean {
  if (one.max_budget > other.max_budget) return false;
  if (one.budget_duration === undefined) return true;
  return other.budget_duration !== undefined && durationMs(one.budget_duration) >= durationMs(other.budget_duration);
}

const isSet = (value: number | null | undefined): value is number => value !== null && value !== undefined;
