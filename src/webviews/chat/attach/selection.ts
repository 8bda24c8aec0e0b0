import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachingDeps } from './attachModule.ts';
import { NotAttached, textAttachment } from './kept.ts';

/** The selection of the editor that was used last. @throws {NotAttached} when nothing is selected */
export async function selectionAttachment(deps: AttachingDeps): Promise<MessageAttachment> {
  const editors = [vscode.window.activeTextEditor, deps.lastEditor(), ...vscode.window.visibleTextEditors];
  const editor = editors.find((it) => it && !it.selection.isEmpty);
  if (!editor) throw new NotAttached(vscode.l10n.t('Nothing is selected. Select text in an editor and try again.'));
  const { document, selection } = editor;
  return rangeAttachment(deps, document.uri, nameOf(document.uri), selection, 'selection', document);
}

/**
 * Lines of a file. Where the agent could not read them there, such as in a file that was never saved, or on a host elsewhere,
 * their text is attached.
 */
export async function rangeAttachment(
  deps: AttachingDeps,
  uri: vscode.Uri,
  name: string,
  { start, end }: vscode.Range,
  displayKind: 'selection' | 'symbol',
  open?: vscode.TextDocument,
): Promise<MessageAttachment> {
  const lines = start.line === end.line ? `${start.line + 1}` : `${start.line + 1}-${end.line + 1}`;
  const label = `${name}:${lines}`;
  if (
    uri.scheme !== 'file' ||
    deps.hostName !== undefined ||
    open?.isDirty ||
    !vscode.workspace.getWorkspaceFolder(uri)
  ) {
    const document = open ?? (await vscode.workspace.openTextDocument(uri));
    const whole = new vscode.Range(start, end);
    return textAttachment(deps, label, document.getText(whole), displayKind);
  }
  return {
    type: 'resource',
    uri: uri.toString(),
    label,
    displayKind,
    selection: {
      range: {
        start: { line: start.line, character: start.character },
        end: { line: end.line, character: end.character },
      },
    },
    _meta: { lines: end.line - start.line + 1 },
  };
}

export function nameOf(uri: vscode.Uri): string {
  const path = uri.path.replace(/\/+$/, '');
  return path.slice(path.lastIndexOf('/') + 1) || uri.toString();
}
