import * as vscode from 'vscode';

/** Files with unsaved text below these folders (URIs), which an agent would not see. Untitled ones do not count. */
export function unsavedBelow(folders: readonly string[]): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter((it) => {
    if (!it.isDirty || it.isUntitled) return false;
    const uri = it.uri.toString();
    return folders.some((folder) => uri.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
  });
}

/** @returns whether every file could be saved */
export async function saveAll(documents: readonly vscode.TextDocument[]): Promise<boolean> {
  const saved = await Promise.all(documents.map((it) => it.save()));
  return saved.every((it) => it);
}
