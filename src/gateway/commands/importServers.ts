import * as vscode from 'vscode';
import { askOne, askText, attempt, chooseFile, type GatewayActions } from './actions.ts';
import { filledIn, readEditorFile } from './editorFile.ts';
import { isPrivateAddress } from './forms.ts';

/** As they stand in the file; the gateway judges the rest. */
type Servers = Readonly<Record<string, { readonly url?: string }>>;

/** Registers the servers of a `.vscode/mcp.json`, or of another editor's file. The file itself stays as it is. */
export async function importServers(actions: GatewayActions): Promise<void> {
  const { l10n } = vscode;
  const title = l10n.t('Import MCP Servers');
  const file = await findFile(title);
  if (!file) return;
  const read = readEditorFile((await vscode.workspace.openTextDocument(file)).getText(), actions.parseJsonc());
  if (!read) {
    const name = vscode.workspace.asRelativePath(file);
    void vscode.window.showErrorMessage(
      l10n.t('{0} contains no MCP servers. Add "servers" or "mcpServers" to it, or choose another file.', name),
    );
    return;
  }
  const answers: Record<string, string> = {};
  for (const { id, description, isSecret } of read.inputs) {
    const answer = await askText(title, description, { isSecret });
    if (answer === undefined) return;
    answers[id] = answer;
  }
  for (const it of read.commands) if (!(await actions.mayRun(it))) return;
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
  const servers = await withReach(title, filledIn(read.servers, answers, folder) as Servers);
  await attempt(l10n.t('The servers were not imported.'), async () => {
    const { imported, skipped, errors } = await actions.routes.importServers(servers);
    await actions.model.refresh();
    const left = [...skipped.map((it) => `${it.name}: ${it.reason}`), ...errors.map((it) => `${it.name}: ${it.error}`)];
    const names = imported.map((it) => it.name).join(', ');
    if (left.length === 0) void vscode.window.showInformationMessage(l10n.t('Imported: {0}', names));
    else if (names === '') void vscode.window.showWarningMessage(l10n.t('Not imported: {0}', left.join('; ')));
    else void vscode.window.showWarningMessage(l10n.t('Imported: {0}. Not imported: {1}', names, left.join('; ')));
  });
}

/** Servers of this machine or a private network are reached only where the person says so, once for all of them. */
async function withReach(title: string, servers: Servers): Promise<Servers> {
  const { l10n } = vscode;
  const near = Object.entries(servers).filter(([, it]) => isPrivateAddress(it.url ?? ''));
  if (near.length === 0) return servers;
  const hosts = [...new Set(near.map(([, it]) => new URL(it.url ?? '').host))].join(', ');
  const question = l10n.t('Some addresses are on this machine or on a private network. Allow them?');
  const allowed = await askOne(title, question, [
    { value: true, label: l10n.t('Allow {0}', hosts) },
    { value: false, label: l10n.t('Cancel') },
  ]);
  if (!allowed) return servers; // the gateway says of each that it may not be reached
  return {
    ...servers,
    ...Object.fromEntries(near.map(([name, it]) => [name, { ...it, allow_private_network: true }])),
  };
}

/** The files of the open folders; one is taken without a question, none leads to a dialog. */
async function findFile(title: string): Promise<vscode.Uri | undefined> {
  const { l10n } = vscode;
  const found = await vscode.workspace.findFiles('{.vscode/mcp.json,mcp.json,.mcp.json}');
  if (found.length > 0) return chooseFile(found, title);
  const picked = await vscode.window.showOpenDialog({
    title,
    openLabel: l10n.t('Import'),
    filters: { JSON: ['json', 'jsonc'] },
  });
  return picked?.[0];
}
