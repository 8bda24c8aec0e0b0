import * as vscode from 'vscode';

const CONFIG = 'switchboard.jsonc';

/** The gateway's configuration is open, or is opened: whoever knows its language is fetched. Once is enough. */
export function onConfigFile(wake: () => { need(): void }): vscode.Disposable {
  const look = (document: vscode.TextDocument): void => {
    if (document.uri.scheme !== 'file' || !document.uri.path.endsWith(`/${CONFIG}`)) return;
    listening.dispose();
    wake().need();
  };
  const listening = vscode.workspace.onDidOpenTextDocument(look);
  for (const it of vscode.workspace.textDocuments) look(it);
  return listening;
}
