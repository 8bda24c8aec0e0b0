import { html, nothing, type TemplateResult } from 'lit';
import type { ToolPinRecord } from '../../../../sidecar/protocol/gateway/toolPin.ts';
import { icon } from '../../../shared/icon.ts';
import { plural, t } from '../../../shared/l10n.ts';
import { moment } from '../../kit/format.ts';

export type HeldTool = ToolPinRecord['tools'][number];

/** Tools whose definition is not the approved one: what was approved, what the server says now, and the way to agree. */
export function drawHeld(held: readonly HeldTool[], approve: (() => Promise<void>) | undefined): TemplateResult {
  return html`<section class="card" aria-label=${t('Blocked until approved')}>
    <header class="card-head">
      <h3>${icon('warning')} ${plural(held.length, '{0} tool is blocked until you approve it', '{0} tools are blocked until you approve them')}</h3>
      ${approve ? html`<button type="button" class="button primary" @click=${approve}>${t('Approve current versions')}</button>` : nothing}
    </header>
    <p class="muted">${t('By changing a tool, a server can change what an agent does. Review the new definitions before you approve them. Until then, callers cannot see or call these tools.')}</p>
    ${held.map(
      (it) => html`<details open>
        <summary>${it.tool} <span class="muted">${t('last seen on {0}', moment(it.held?.seen_at))}</span></summary>
        <h4>${t('Approved')}</h4>
        ${it.definition ? definition(it.definition) : html`<p class="muted">${t('New tool, not yet approved.')}</p>`}
        <h4>${t('Now')}</h4>
        ${definition(it.held?.definition)}
      </details>`,
    )}
  </section>`;
}

const definition = (it: unknown): TemplateResult =>
  html`<pre class="code" tabindex="0">${JSON.stringify(it, null, 2)}</pre>`;
