import { html, nothing, type TemplateResult } from 'lit';
import type { ToolPinRecord } from '../../../../sidecar/protocol/gateway/toolPin.ts';
import { icon } from '../../../shared/icon.ts';
import { plural, t } from '../../../shared/l10n.ts';
import { escaped, moment } from '../../kit/format.ts';
import { type DiffLine, definitionDiff } from './definitionDiff.ts';

export type HeldTool = ToolPinRecord['tools'][number];

/** Tools whose definition is not the approved one: what changed, and below it the way to agree. */
export function drawHeld(held: readonly HeldTool[], approve: (() => Promise<void>) | undefined): TemplateResult {
  return html`<section class="card" aria-label=${t('Blocked until approved')}>
    <header class="card-head">
      <h3>${icon('warning')} ${plural(held.length, '{0} tool is blocked until you approve it', '{0} tools are blocked until you approve them')}</h3>
    </header>
    <p class="muted">${t('By changing a tool, a server can change what an agent does. Review the changes before you approve them. Until then, callers can neither see nor call a blocked tool.')}</p>
    ${held.map(
      (it) => html`<details open>
        <summary>${escaped(it.tool)} <span class="muted">${t('last seen on {0}', moment(it.held?.seen_at))}</span></summary>
        <p class="muted">${it.definition ? t('Lines with − were approved. Lines with + are new.') : t('New tool, not yet approved.')}</p>
        <div class="code diff" role="group" tabindex="0" aria-label=${t('Changes to {0}', escaped(it.tool))}>
          ${definitionDiff(it.definition, it.held?.definition).map(drawLine)}
        </div>
      </details>`,
    )}
    ${approve ? html`<footer class="dialog-foot"><button type="button" class="button primary" @click=${approve}>${plural(held.length, 'Approve the current version', 'Approve the {0} current versions')}</button></footer>` : nothing}
  </section>`;
}

const signs: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '−', added: '+', gap: '⋯' };

const drawLine = ({ kind, text }: DiffLine): TemplateResult =>
  html`<div class="diff-line is-${kind}">${signs[kind]} ${escaped(text)}</div>`;
