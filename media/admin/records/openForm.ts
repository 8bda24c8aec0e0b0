import { html } from 'lit';
import { t } from '../../shared/l10n.ts';
import { type FormSpec, form } from '../form/form.ts';
import { openDialog } from '../kit/dialog.ts';

/** A form in a drawer, which closes when it was accepted. */
export function openForm(
  title: string,
  spec: Omit<FormSpec, 'cancel' | 'submitLabel'> & { readonly submitLabel?: string },
): void {
  openDialog({
    title,
    shape: 'side',
    body: (dialog) =>
      html`${form({
        submitLabel: t('Save'),
        ...spec,
        cancel: () => dialog.close(),
        submit: async (body) => {
          await spec.submit(body);
          dialog.close();
        },
      })}`,
  });
}
