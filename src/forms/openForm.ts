import * as vscode from 'vscode';
import { whyOf } from '../platform/whyOf.ts';
import { askValue } from './askValue.ts';
import { fieldRows } from './fieldTexts.ts';
import type { Form } from './form.ts';
import { type PickItem, pick } from './pick.ts';

/** Shows a form until the person leaves it. Every change counts at once, and the next look shows what came of it. */
export async function openForm(form: Form): Promise<void> {
  for (;;) {
    const sections = form.read();
    const chosen = await pick<{ readonly section: number; readonly id: string }>({
      title: form.title,
      placeHolder: vscode.l10n.t('Choose what to change. Press Escape to close.'),
      items: sections.flatMap((section, at): PickItem<{ readonly section: number; readonly id: string }>[] => [
        ...(sections.length > 1 ? [{ label: section.title, kind: vscode.QuickPickItemKind.Separator }] : []),
        ...fieldRows(vscode.l10n, section).map((row) => ({
          label: row.title,
          iconPath: new vscode.ThemeIcon(row.isLocked ? 'lock' : 'edit'),
          description: row.value,
          ...(row.detail && { detail: row.detail }),
          value: { section: at, id: row.id },
        })),
      ]),
    });
    if (!chosen?.value) return;
    const { id } = chosen.value;
    const section = sections[chosen.value.section];
    const field = section?.schema.properties[id];
    if (!section || !field || !section.mayChange(field)) continue;
    const asked = await askValue({
      title: `${form.title} › ${field.title}`,
      field,
      value: section.values[id],
      complete: section.complete && ((query) => section.complete?.(id, query) ?? Promise.resolve([])),
    });
    if (!asked) continue;
    try {
      await section.change(id, asked.value);
    } catch (error) {
      const why = whyOf(error);
      await vscode.window.showErrorMessage(vscode.l10n.t('"{0}" was not changed: {1}', field.title, why));
    }
  }
}
