import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { attempt, chooseFile, type GatewayActions } from './actions.ts';

const NAME = 'switchboard.jsonc';

/** The configuration that the gateway of this editor follows. Where there is none, an empty one is saved: it changes nothing. */
export async function openOwnConfiguration({ dataDir }: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  await attempt(l10n.t('Your gateway configuration could not be opened.'), async () => {
    const uri = vscode.Uri.file(join(dataDir, NAME));
    if (existsSync(uri.fsPath)) return void (await vscode.window.showTextDocument(uri));
    const comment = l10n.t('The gateway applies most settings as soon as you save this file.');
    const editor = await showNew(uri, comment);
    // What was not saved yet closes with its first save; the file takes its place.
    if (await editor.document.save()) await vscode.window.showTextDocument(uri);
  });
}

/** The configuration of a gateway that runs alone: the file of the open folder, or a new one that is not saved yet. */
export async function openConfiguration(): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Open Gateway Configuration for Folder');
  const found = await vscode.workspace.findFiles(`**/${NAME}`, '**/node_modules/**', 50);
  if (found.length > 0) {
    const file = await chooseFile(found, title);
    if (file) await vscode.window.showTextDocument(file);
    return;
  }
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const uri = folder ? vscode.Uri.joinPath(folder.uri, NAME) : vscode.Uri.from({ scheme: 'untitled', path: NAME });
  await showNew(uri, l10n.t('For a standalone gateway: {0}', `switchboard gateway --config ${NAME}`));
}

/** A document that is not saved yet, with what a configuration begins with. */
async function showNew(uri: vscode.Uri, comment: string): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' }));
  const editor = await vscode.window.showTextDocument(document);
  if (document.getText() !== '') return editor;
  const lines = ['{', `  // ${comment}`, '  "mcp_servers": {},', '  "agents": {},', '  "teams": {}', '}', ''];
  await editor.edit((it) => it.insert(new vscode.Position(0, 0), lines.join('\n')));
  return editor;
}
