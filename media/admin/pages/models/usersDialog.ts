import { html, nothing, type TemplateResult } from 'lit';
import type { ModelUsersAnswer } from '../../../../sidecar/protocol/gateway/answers.ts';
import { t } from '../../../shared/l10n.ts';
import { openDialog } from '../../kit/dialog.ts';
import { count } from '../../kit/format.ts';
import { hint } from '../../kit/notice.ts';

/** Which teams and keys can use a model. */
export function openModelUsers({ model_name, teams, team_count, keys, key_count }: ModelUsersAnswer): void {
  const words = model_name.endsWith('*')
    ? t(
        'Teams and keys that can use at least one of the names. Keys that are blocked, expired, or limited to other routes are not listed.',
      )
    : t('Keys that are blocked, expired, or limited to other routes are not listed.');
  openDialog({
    title: t('Who can use {0}?', model_name),
    shape: 'side',
    body: () => html`${hint(words)}
      ${section(
        t('Teams ({0})', count(team_count)),
        t('No team allows it.'),
        teams.map((it) => it.team_alias || it.team_id),
        team_count,
      )}
      ${section(
        t('Keys ({0})', count(key_count)),
        t('No key can use it. Allow it for a key or a team under Virtual keys or Teams.'),
        keys.map((it) => it.key_alias || it.key_name),
        key_count,
      )}`,
  });
}

function section(title: string, empty: string, names: readonly string[], total: number): TemplateResult {
  return html`<h3>${title}</h3>
    ${names.length === 0 ? html`<p class="muted">${empty}</p>` : html`<ul class="names">${names.map((it) => html`<li>${it}</li>`)}</ul>`}
    ${total > names.length ? html`<p class="muted">${t('And {0} more.', count(total - names.length))}</p>` : nothing}`;
}
