import { html, nothing, type TemplateResult } from 'lit';
import type { AuditLine } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import type { Session } from '../../kit/adminElement.ts';
import { copyable } from '../../kit/copyable.ts';
import { openDialog } from '../../kit/dialog.ts';
import { moment, none } from '../../kit/format.ts';
import { dataTable } from '../../kit/table.ts';
import { changesOf, type FieldChange } from './changes.ts';
import { fieldLabel } from './fieldLabels.ts';
import { kindLabel } from './labels.ts';

/** One change: each field as it was and as it became. */
export function openChange({ place }: Session, line: AuditLine, who: string, target: string): void {
  openDialog({
    title: t('Change at {0}', moment(line.updated_at)),
    shape: 'side',
    body: () => html`
      <dl class="facts">
        <dt>${t('Who')}</dt><dd>${who}</dd>
        <dt>${t('User or key hash')}</dt><dd><code>${line.changed_by}</code></dd>
        ${line.user_email ? html`<dt>${t('Email address')}</dt><dd>${line.user_email}</dd>` : nothing}
        ${line.signed_in_by ? html`<dt>${t('Signed in with')}</dt><dd>${signedInBy(line.signed_in_by)}</dd>` : nothing}
        <dt>${t('Target')}</dt><dd>${target} (${kindLabel(line.table_name)})</dd>
      </dl>
      <h3>${t('ID of the target')}</h3>${copyable(place, t('ID of the target'), line.object_id)}
      ${dataTable<FieldChange>({
        label: t('Fields'),
        rows: changesOf(line),
        idOf: (it) => it.field,
        isLoading: false,
        columns: [
          { name: t('Field'), cell: (it) => fieldCell(it.field) },
          { name: t('Before'), isWide: true, cell: (it) => value(it.before) },
          { name: t('After'), isWide: true, cell: (it) => value(it.after) },
        ],
        empty: html`<p class="empty muted">${t('The changed fields are secret and were not recorded.')}</p>`,
      })}`,
  });
}

/** What people call it, and below it what the API calls it. */
function fieldCell(field: string): TemplateResult {
  const label = fieldLabel(field);
  const name = html`<code>${field}</code>`;
  return label === field ? name : html`${label}<small class="reason">${name}</small>`;
}

function value(it: unknown): TemplateResult | string {
  if (it === undefined) return none;
  if (typeof it === 'string') return it;
  if (typeof it !== 'object') return JSON.stringify(it);
  return html`<pre class="code" tabindex="0">${JSON.stringify(it, null, 2)}</pre>`;
}

function signedInBy(how: string): string {
  if (how === 'sign_in') return t('Identity provider');
  if (how === 'scim') return t('SCIM token');
  const [, issuer, subject] = /^jwt (\S+) (.+)$/s.exec(how) ?? [];
  if (issuer !== undefined && subject !== undefined) return t('Token (JWT) of {0} from {1}', subject, issuer);
  return how === 'invitation' ? t('Invitation') : t('Virtual key');
}
