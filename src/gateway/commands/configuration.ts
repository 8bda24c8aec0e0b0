import * as vscode from 'vscode';
import { choose } from './actions.ts';

const NAME = 'switchboard.jsonc';

/** The configuration of a gateway that runs alone: the file of the open folder, or a new one that is not saved yet. */
export async function openConfiguration(): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Open Gateway Configuration');
  const found = await vscode.workspace.findFiles(`**/${NAME}`, '**/node_modules/**', 50);
  if (found.length > 0) {
    const toItem = (it: vscode.Uri) => ({ label: vscode.workspace.asRelativePath(it) });
    const file = found.length === 1 ? found[0] : await choose(found, title, '', toItem);
    if (file) await vscode.window.showTextDocument(file);
    return;
  }
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const uri = folder
    ? vscode.Uri.joinPath(folder.uri, NAME).with({ scheme: 'untitled' })
    : vscode.Uri.from({ scheme: 'untitled', path: NAME });
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  if (editor.document.getText() !== '') return;
  const comment = l10n.t('For a gateway that runs alone: {0}', `switchboard gateway --config ${NAME}`);
  const lines = ['{', `  // ${comment}`, '  "mcp_servers": {},', '  "agents": {},', '  "teams": {}', '}', ''];
  await editor.edit((it) => it.insert(new vscode.Position(0, 0), lines.join('\n')));
}
