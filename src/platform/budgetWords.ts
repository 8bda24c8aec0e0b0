import { leftOf, type SessionBudget } from '../../sidecar/protocol/channels/session/budgets.ts';
import { moneyText } from './counts.ts';
import type { Localizer } from './localizer.ts';

/** What is left of a session's budget; empty if there is no limit. */
export function budgetWords(l10n: Localizer, budget: SessionBudget): string {
  const { limit } = budget;
  const left = leftOf(budget);
  return [
    ...(limit.dollars === undefined
      ? []
      : [l10n.t('{0} of {1} left', moneyText(left.dollars ?? 0), moneyText(limit.dollars))]),
    ...(limit.calls === undefined ? [] : [l10n.t('{0} of {1} calls left', left.calls ?? 0, limit.calls)]),
  ].join(', ');
}
