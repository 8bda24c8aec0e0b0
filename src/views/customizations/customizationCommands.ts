import * as vscode from 'vscode';
import type { HostPort } from '../../client/port.ts';
import { whyOf } from '../../platform/whyOf.ts';
import { isName, newItem } from './newItem.ts';
import type { CustomizationNode } from './nodes.ts';

/** Shows the file of a row. */
export async function openCustomization(row: unknown): Promise<void> {
  const { file } = row as CustomizationNode;
  if (file) await show(file);
}

/** Asks for a name, has the host write the file, and opens it. */
export async function createCustomization(row: unknown, port: HostPort): Promise<void> {
  const { creates, label } = row as CustomizationNode;
  if (!creates) return;
  const name = await vscode.window.showInputBox({
    title: label.replace(/…$/, ''),
    prompt: vscode.l10n.t('Enter a name. It is also used as the file name.'),
    ignoreFocusOut: true,
    validateInput: (it) =>
      it === '' || isName(it)
        ? undefined
        : vscode.l10n.t('Use only letters, digits, spaces, "-", and "_", up to 64 characters.'),
  });
  if (name === undefined || !isName(name)) return;
  const { folder, uri, text } = newItem(creates.directory, creates.contents, name);
  try {
    await port.request('resourceMkdir', { uri: folder });
    await port.request('resourceWrite', { uri, data: text, encoding: 'utf-8', createOnly: true });
  } catch (error) {
    const why = whyOf(error);
    void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be created: {1}', name, why));
    return;
  }
  await show({ uri });
}

async function show({ uri, range }: NonNullable<CustomizationNode['file']>): Promise<void> {
  const selection =
    range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { ...(selection && { selection }) });
}
