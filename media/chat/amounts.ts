import type { Cost, CountedUsage, TurnUsage } from '../../src/webviews/contract/usageModel.ts';
import { t } from '../shared/l10n.ts';
import { dollars, number } from '../shared/numbers.ts';

/** `950`, `1.2k`, `12k`, `3.4M` */
export function short(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${number(value, { maximumFractionDigits: value < 10 ? 1 : 0 })}${unit}`;
}

/** `$0.02`, with up to six places for less than a cent. Other currencies may be units of the agent's own. */
export function money(cost: Cost | undefined): string {
  if (!cost) return t('unknown');
  const { amount, currency } = cost;
  const maximumFractionDigits = amount > 0 && amount < 0.01 ? 6 : 2;
  const digits = { minimumFractionDigits: 2, maximumFractionDigits };
  return currency === 'USD' ? dollars(amount, digits) : `${number(amount, digits)} ${currency}`;
}

/** `12k input, 1.2k output tokens` */
export const inputAndOutput = ({ inputTokens, outputTokens }: TurnUsage): string =>
  t('{0} input, {1} output tokens', short(inputTokens ?? 0), short(outputTokens ?? 0));

/** A model, and whether the agent or its sub-agents called it. */
export const nameOf = ({ model, bySubAgents }: CountedUsage): string =>
  bySubAgents ? t('{0} (sub-agents)', model) : model;
