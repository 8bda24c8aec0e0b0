import { html, nothing, svg, type TemplateResult } from 'lit';
import type { UsageModel } from '../../src/webviews/contract/usageModel.ts';
import { t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';
import { inputAndOutput, money, nameOf, short } from './amounts.ts';
import { post } from './post.ts';

const CIRCLE = 2 * Math.PI * 6;

/** How full the model's context is, and on a click all that the agent says of it and of the cost. */
export class UsageElement extends LightElement {
  static override properties = { usage: { attribute: false }, isOpen: { state: true } };
  declare usage: UsageModel | undefined;
  declare isOpen: boolean | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (!this.contains(relatedTarget as Node | null)) this.isOpen = false;
    });
    this.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.isOpen) return;
      // It closes this, and does not stop the agent.
      event.stopPropagation();
      this.isOpen = false;
    });
  }

  #compact(): void {
    this.isOpen = false;
    post(this, { type: 'compact' });
  }

  protected override render(): TemplateResult | typeof nothing {
    const { usage, isOpen = false } = this;
    if (!usage) return nothing;
    const context = contextOf(usage);
    const budget = budgetOf(usage);
    const words = shortOf(usage);
    if (words === '' && budget.length === 0) return nothing;
    return html`<button
        type="button"
        class="usage"
        aria-label=${[t('Context: {0}', context), ...budget.map((it) => t('Budget: {0}', it))].join(', ')}
        title=${[t('Context: {0}', context), ...budget].join(' · ')}
        aria-haspopup="dialog"
        aria-expanded=${String(isOpen)}
        @click=${() => {
          this.isOpen = !isOpen;
        }}
      >
        ${ring(usage)}${words === '' ? nothing : html`<span class="usage-words">${words}</span>`}${budget.length > 0 ? html`<span class="usage-budget">${budget.join(' · ')}</span>` : nothing}
      </button>
      ${isOpen ? details(usage, context, () => this.#compact()) : nothing}`;
  }
}
customElements.define('chat-usage', UsageElement);

const partNames = {
  system: () => t('System prompt'),
  instructions: () => t('Instructions, rules, and skills'),
  tools: () => t('Tools'),
  messages: () => t('Messages'),
  attachments: () => t('Attachments'),
  results: () => t('Tool results'),
} as const;

/** What fills the context, and what is free. */
function partsOf({ contextParts = [], contextTokens = 0, window }: UsageModel) {
  if (contextParts.length === 0) return [[t('Contents of the context window'), t('unknown')] as const];
  const free = window === undefined ? [] : [[t('Free'), tokens(Math.max(0, window - contextTokens))] as const];
  return [...contextParts.map((it) => [partNames[it.kind](), t('about {0}', tokens(it.tokens))] as const), ...free];
}

/** @param compact summarizes the conversation */
function details(usage: UsageModel, context: string, compact: () => void): TemplateResult {
  const rows = [
    [t('Context'), context],
    ...partsOf(usage),
    [t('Input for the last turn'), tokens(usage.inputTokens)],
    [t('Input read from the cache'), tokens(usage.cachedTokens)],
    [t('Output from the last turn'), tokens(usage.outputTokens)],
    [t('Cost of the last turn'), money(usage.turnCost)],
    [t('Cost of this chat'), money(usage.cost)],
    ...budgetOf(usage).map((it) => [t('Budget of the session'), it] as const),
    ...(usage.counted ?? []).map((it) => [nameOf(it), `${inputAndOutput(it)} · ${money(it.cost)}`]),
  ] as const;
  return html`<div class="usage-details" role="dialog" aria-label=${t('Usage')}>
    <dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    <p class="muted">${usage.counted ? t('As recorded by the gateway.') : t('As reported by the agent.')}</p>
    ${
      usage.contextParts
        ? html`<p class="muted">${t('The parts of the context are estimates.')}</p>
            <button type="button" class="button" @click=${compact}>${t('Summarize conversation')}</button>`
        : nothing
    }
  </div>`;
}

function ring(usage: UsageModel): TemplateResult | typeof nothing {
  const share = shareOf(usage);
  if (share === undefined) return nothing;
  return html`<svg class="usage-ring" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    ${svg`<circle class="usage-track" cx="8" cy="8" r="6" />
    <circle class="usage-fill" cx="8" cy="8" r="6" stroke-dasharray="${share * CIRCLE} ${CIRCLE}" transform="rotate(-90 8 8)" />`}
  </svg>`;
}

/** `12k of 200k tokens · 6% of the context window` */
function contextOf(usage: UsageModel): string {
  const used = usedOf(usage);
  if (used === undefined) return t('not reported by {0}', usage.agent);
  const share = shareOf(usage);
  if (share === undefined || !usage.window)
    return t('{0} tokens · the size of the context window is unknown', short(used));
  return [
    t('{0} of {1} tokens', short(used), short(usage.window)),
    t('{0}% of the context window', Math.round(share * 100)),
  ].join(' · ');
}

/** How full the context is, or else the cost of the chat. Empty if neither is known, or if a budget is shown instead. */
function shortOf(usage: UsageModel): string {
  const used = usedOf(usage);
  if (used === undefined) return usage.cost && !usage.budget ? money(usage.cost) : '';
  return usage.window ? t('{0} of {1} tokens', short(used), short(usage.window)) : t('{0} tokens', short(used));
}

/** If the gateway recorded the turn, its input tokens are those of all its calls, not those in the context. */
function usedOf({ contextTokens, inputTokens, counted }: UsageModel): number | undefined {
  return contextTokens ?? (counted ? undefined : inputTokens);
}

function shareOf(usage: UsageModel): number | undefined {
  const used = usedOf(usage);
  return used === undefined || !usage.window ? undefined : Math.min(1, used / usage.window);
}

function tokens(count: number | undefined): string {
  return count === undefined ? t('unknown') : t('{0} tokens', short(count));
}

const usd = (amount: number) => money({ amount, currency: 'USD' });

/** What is left of the budgets of the session. */
function budgetOf({ budget }: UsageModel): readonly string[] {
  const { dollars, calls } = budget ?? {};
  return [
    ...(dollars ? [t('{0} of {1} left', usd(dollars.left), usd(dollars.limit))] : []),
    ...(calls ? [t('{0} of {1} calls left', calls.left, calls.limit)] : []),
  ];
}
