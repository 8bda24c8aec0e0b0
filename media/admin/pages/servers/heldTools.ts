import { html, nothing, type TemplateResult } from 'lit';
import type { ToolPinRecord } from '../../../../sidecar/protocol/gateway/toolPin.ts';
import { icon } from '../../../shared/icon.ts';
import { plural, t } from '../../../shared/l10n.ts';
import { moment } from '../../kit/format.ts';

export type HeldTool = ToolPinRecord['tools'][number];

/** Tools whose definition is not the approved one: what was approved, what the server says now, and the way to agree. */
export function drawHeld(held: readonly HeldTool[], approve: (() => Promise<void>) | undefined): TemplateResult {
  return html`<section class="card" aria-label=${t('Held back')}>
    <header class="card-head">
      <h3>${icon('warning')} ${plural(held.length, '{0} tool changed and is held back', '{0} tools changed and are held back')}</h3>
      ${approve ? html`<button type="button" class="button primary" @click=${approve}>${t('Approve as they are now')}</button>` : nothing}
    </header>
    <p class="muted">${t('A server that rewrites a tool can make an agent do something else with it. Look before you approve: nobody sees or calls these until then.')}</p>
    ${held.map(
      (it) => html`<details open>
        <summary>${it.tool} <span class="muted">${t('seen {0}', moment(it.held?.seen_at))}</span></summary>
        <h4>${t('Approved')}</h4>
        ${it.definition ? definition(it.definition) : html`<p class="muted">${t('Never approved: the tool is new.')}</p>`}
        <h4>${t('Now')}</h4>
        ${definition(it.held?.definition)}
      </details>`,
    )}
  </section>`;
}

const definition = (it: unknown): TemplateResult =>
  html`<pre class="code" tabindex="0">${JSON.stringify(it, null, 2)}</pre>`;
