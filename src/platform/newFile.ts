import * as vscode from 'vscode';

/**
 * Shows text as a new file that is not saved yet. The text is inserted last, because VS Code opens an unsaved file with content by
 * itself if no editor shows it within a moment, and the file would then be open twice.
 * @param languageId absent: plain text
 * @throws {Error} if the file is closed or cannot be edited before the text is in it
 */
export async function showNewFile(
  text: string,
  languageId: string | undefined,
  viewColumn: vscode.ViewColumn,
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(languageId === undefined ? {} : { language: languageId });
  const editor = await vscode.window.showTextDocument(document, { preview: false, viewColumn });
  const start = new vscode.Position(0, 0);
  const isInserted = await editor.edit((edit) => edit.insert(start, text));
  if (!isInserted) throw new Error(vscode.l10n.t('The text could not be inserted into the new file. Try again.'));
  editor.selection = new vscode.Selection(start, start);
}
