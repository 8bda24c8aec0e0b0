import { html, nothing, svg, type TemplateResult } from 'lit';
import type { UsageModel } from '../../src/webviews/contract/chatModel.ts';
import { t } from '../shared/l10n.ts';

/** How full the model's memory is, as a small ring; the numbers are in its name. */
export function usageRing(usage: UsageModel | undefined): TemplateResult | typeof nothing {
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return nothing;
  const counts = t('{0} tokens in, {1} out', short(usage.inputTokens), short(usage.outputTokens));
  const words = usage.cost ? `${counts}, ${t('{0} for this session', money(usage.cost))}` : counts;
  if (!usage.window)
    return html`<span class="usage muted" title=${words}>${short(usage.inputTokens + usage.outputTokens)}</span>`;
  const share = Math.min(1, (usage.contextTokens ?? usage.inputTokens) / usage.window);
  const label = `${words}, ${t('{0}% of the context', Math.round(share * 100))}`;
  const circle = 2 * Math.PI * 6;
  return html`<svg class="usage-ring" viewBox="0 0 16 16" width="16" height="16" role="img" aria-label=${label}>
    ${svg`<title>${label}</title><circle class="usage-track" cx="8" cy="8" r="6" />
    <circle class="usage-fill" cx="8" cy="8" r="6" stroke-dasharray="${share * circle} ${circle}" transform="rotate(-90 8 8)" />`}
  </svg>`;
}

/** The currency may be a unit of the agent's own, which no locale knows. */
function money({ amount, currency }: NonNullable<UsageModel['cost']>): string {
  const number = amount.toLocaleString(undefined, { maximumFractionDigits: amount < 1 ? 4 : 2 });
  return `${number} ${currency}`;
}

function short(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 1_000_000
    ? `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`
    : `${(tokens / 1_000_000).toFixed(1)}M`;
}
