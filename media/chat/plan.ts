import { html, nothing, type TemplateResult } from 'lit';
import type { PlanItem } from '../../src/webviews/contract/chatModel.ts';
import { icon } from '../shared/icon.ts';
import { t } from '../shared/l10n.ts';
import { LightElement } from '../shared/lightElement.ts';

/** What the agent means to do in the running turn, ticked off as it goes. Folded, it says what the agent is at. */
export class PlanElement extends LightElement {
  static override properties = { plan: { attribute: false }, isFolded: { state: true } };
  declare plan: readonly PlanItem[] | undefined;
  declare isFolded: boolean | undefined;

  protected override render(): TemplateResult | typeof nothing {
    const { plan = [], isFolded = false } = this;
    if (plan.length === 0) return nothing;
    const done = plan.filter((it) => it.state === 'done').length;
    const now = plan.find((it) => it.state === 'doing') ?? plan.find((it) => it.state === 'open');
    return html`<section class="plan" aria-label=${t('To-do list')}>
      <button
        type="button"
        class="plan-head"
        aria-expanded=${String(!isFolded)}
        @click=${() => {
          this.isFolded = !isFolded;
        }}
      >
        ${icon(isFolded ? 'chevron-right' : 'chevron-down')}
        <span class="plan-count">${t('{0} of {1} done', done, plan.length)}</span>
        ${isFolded && now ? html`<span class="plan-now">${now.text}</span>` : nothing}
      </button>
      ${isFolded ? nothing : html`<ol class="plan-items">${plan.map(item)}</ol>`}
    </section>`;
  }
}
customElements.define('chat-plan', PlanElement);

function item({ text, state }: PlanItem): TemplateResult {
  return html`<li class="is-${state}" aria-current=${state === 'doing' ? 'step' : nothing}>
    <span class="codicon codicon-${codicons[state]}" role="img" aria-label=${wordOf(state)}></span><span>${text}</span>
  </li>`;
}

const codicons = { done: 'pass-filled', doing: 'target', open: 'circle-large' } as const;

function wordOf(state: PlanItem['state']): string {
  if (state === 'done') return t('Done');
  return state === 'doing' ? t('In progress') : t('To do');
}
