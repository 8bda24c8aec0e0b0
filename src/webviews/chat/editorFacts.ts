import * as vscode from 'vscode';
import type { EditorFacts } from './chatDeps.ts';

/** @param folder where new sessions work, as a URI */
export function editorFacts(folder: string | undefined): EditorFacts {
  const { isTrusted, workspaceFolders } = vscode.workspace;
  return {
    isTrusted,
    folders: (workspaceFolders ?? []).map((it) => ({ uri: it.uri.toString(), name: it.name })),
    folder: folder ?? workspaceFolders?.[0]?.uri.toString(),
    unsavedFiles: unsaved().length,
    hasSelection: vscode.window.visibleTextEditors.some(
      (it) => it.document.uri.scheme === 'file' && !it.selection.isEmpty,
    ),
  };
}

/** For a session elsewhere: its host knows none of the files that are open here. @param folder of a new one, as a URI */
export function farFacts(folder: string | undefined): EditorFacts {
  const folders = folder === undefined ? [] : [{ uri: folder, name: folder.slice(folder.lastIndexOf('/') + 1) }];
  return { isTrusted: vscode.workspace.isTrusted, folders, folder, unsavedFiles: 0, hasSelection: false };
}

/** @returns whether every file could be saved */
export async function saveAll(): Promise<boolean> {
  const saved = await Promise.all(unsaved().map((it) => it.save()));
  return saved.every((it) => it);
}

/** Files of the workspace whose text an agent would not see. Untitled documents are no files yet. */
function unsaved(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(
    (it) => it.isDirty && !it.isUntitled && vscode.workspace.getWorkspaceFolder(it.uri) !== undefined,
  );
}
