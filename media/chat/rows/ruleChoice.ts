import { html, type TemplateResult } from 'lit';
import type { ToolAsk } from '../../../src/webviews/contract/chatModel.ts';
import { t } from '../../shared/l10n.ts';
import { LightElement } from '../../shared/lightElement.ts';

type Offer = NonNullable<ToolAsk['offers']>[number];

/**
 * What of a call is allowed, and for how long. The rule that comes of it stands there before it is saved. Says `chosen` with
 * the id of the option, or `left`.
 */
class RuleChoiceElement extends LightElement {
  static override properties = { offers: { attribute: false }, rule: { state: true }, scope: { state: true } };
  declare offers: readonly Offer[];
  declare rule: string | undefined;
  declare scope: Offer['scope'] | undefined;

  protected override render(): TemplateResult {
    const rule = this.rule ?? this.offers[0]?.rule;
    const ofRule = this.offers.filter((it) => it.rule === rule);
    const chosen = ofRule.find((it) => it.scope === this.scope) ?? ofRule[0];
    const rules = this.offers.filter((it, at) => this.offers.findIndex(({ rule: other }) => other === it.rule) === at);
    const save = (event: Event) => {
      event.preventDefault();
      if (chosen) this.dispatchEvent(new CustomEvent('chosen', { detail: chosen.option }));
    };
    const leave = () => this.dispatchEvent(new CustomEvent('left'));
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      leave();
    };
    return html`<form class="rule-choice" @submit=${save} @keydown=${onKey}>
      <fieldset class="question">
        <legend>${t('Allow')}</legend>
        ${rules.map((it) =>
          choice('rule', basisWords(it.by), it.rule === rule, () => {
            this.rule = it.rule;
          }),
        )}
      </fieldset>
      <fieldset class="question">
        <legend>${t('For')}</legend>
        ${ofRule.map((it) =>
          choice('scope', scopeWords(it.scope), it === chosen, () => {
            this.scope = it.scope;
          }),
        )}
      </fieldset>
      <p class="rule-shown" aria-live="polite">${t('This rule will be saved:')} <code>${rule}</code></p>
      <div class="ask">
        <button type="submit" class="button">${t('Allow and save rule')}</button>
        <button type="button" class="button" @click=${leave}>${t('Cancel')}</button>
      </div>
    </form>`;
  }
}
customElements.define('chat-rule-choice', RuleChoiceElement);

function choice(name: string, words: string, isChecked: boolean, choose: () => void): TemplateResult {
  return html`<label class="choice"><input type="radio" name=${name} .checked=${isChecked} @change=${choose} /> ${words}</label>`;
}

function basisWords(by: Offer['by']): string {
  switch (by) {
    case 'command':
      return t('Commands that start the same way');
    case 'path':
      return t('Files at this path');
    case 'url':
      return t('Addresses on this site');
    case 'tool':
      return t('Every use of this tool');
    case 'server':
      return t('Every tool on this server');
    case 'arguments':
      return t('Only this exact request');
  }
}

function scopeWords(scope: Offer['scope']): string {
  switch (scope) {
    case 'session':
      return t('This session');
    case 'workspace':
      return t('All sessions in this workspace');
    case 'always':
      return t('All sessions');
  }
}
