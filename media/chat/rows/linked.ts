import { html } from 'lit';
import { withFileLinks } from '../../shared/fileLinks.ts';
import { t } from '../../shared/l10n.ts';

/** A text in which the files that it names are links. */
export function linked(text: string) {
  return withFileLinks(text).map((it) =>
    typeof it === 'string' ? it : html`<a href=${it.href} title=${t('Open {0}', it.href)}>${it.text}</a>`,
  );
}
