import { BudgetLimit } from '../../sidecar/protocol/channels/session/budgets.ts';
import type { Localizer } from '../platform/localizer.ts';

/** An error message if the text is not a valid budget; otherwise `undefined`. */
export function budgetProblem(l10n: Localizer, unit: keyof BudgetLimit, typed: string): string | undefined {
  const value = typed.trim() === '' ? Number.NaN : Number(typed);
  if (BudgetLimit.safeParse({ [unit]: value }).success) return undefined;
  return unit === 'calls'
    ? l10n.t('Enter a whole number from 1 to 1,000,000.')
    : l10n.t('Enter a number that is greater than 0 and at most 1,000,000.');
}
