import { html } from 'lit';
import { t } from '../../shared/l10n.ts';
import { openDialog } from '../kit/dialog.ts';
import { hint } from '../kit/notice.ts';

/** What the gateway says of a record that it saved: names in its permissions that nobody has. */
export function showWarnings(warnings: readonly string[]): void {
  openDialog({
    title: t('Saved, with warnings'),
    body: (dialog) => html`
      <p>${t('Nothing with these names exists yet. Each name takes effect when something with that name is registered. Check the spelling.')}</p>
      ${warnings.map((it) => hint(it, 'warning'))}
      <footer class="dialog-foot">
        <button type="button" class="button primary" autofocus @click=${() => dialog.close()}>${t('Close')}</button>
      </footer>`,
  });
}
