import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../sidecar/protocol/shared.ts';

export function fileAttachment(uri: vscode.Uri): MessageAttachment {
  return { type: 'resource', uri: uri.toString(), label: nameOf(uri), displayKind: 'document' };
}

/** The selection of the editor that was used last; `undefined` when nothing is selected. */
export function selectionAttachment(): MessageAttachment | undefined {
  const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
  const editor = editors.find((it) => it && it.document.uri.scheme === 'file' && !it.selection.isEmpty);
  if (!editor) return undefined;
  const { start, end } = editor.selection;
  const { uri } = editor.document;
  return {
    type: 'resource',
    uri: uri.toString(),
    label: `${nameOf(uri)}:${start.line + 1}-${end.line + 1}`,
    displayKind: 'selection',
    selection: {
      range: {
        start: { line: start.line, character: start.character },
        end: { line: end.line, character: end.character },
      },
    },
  };
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}
