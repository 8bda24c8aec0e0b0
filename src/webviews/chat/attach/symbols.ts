import * as vscode from 'vscode';
import type { MessageAttachment } from '../../../../sidecar/protocol/shared.ts';
import type { AttachingDeps } from './attachModule.ts';
import { rangeAttachment } from './selection.ts';

interface SymbolItem extends vscode.QuickPickItem {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

const askDelayMs = 150;
const most = 200;

/** Without words the symbols of the file that was open last, otherwise those of the workspace that match. */
export async function pickSymbol(deps: AttachingDeps): Promise<MessageAttachment | undefined> {
  const picked = await choose(deps.lastEditor()?.document.uri);
  return picked && rangeAttachment(deps, picked.uri, picked.label, picked.range, 'symbol');
}

function choose(last: vscode.Uri | undefined): Promise<SymbolItem | undefined> {
  const pick = vscode.window.createQuickPick<SymbolItem>();
  pick.ignoreFocusOut = true;
  pick.placeholder = vscode.l10n.t('Type to find a symbol in the workspace');
  let round = 0;
  let timer: NodeJS.Timeout | undefined;
  const ask = async (query: string) => {
    const own = ++round;
    pick.busy = true;
    const items = query === '' ? await ofDocument(last) : await ofWorkspace(query);
    if (own !== round) return;
    pick.busy = false;
    pick.items = items;
  };
  return new Promise((resolve, reject) => {
    const look = (query: string) => void ask(query).catch(reject);
    const stops = vscode.Disposable.from(
      pick,
      pick.onDidChangeValue((it) => {
        clearTimeout(timer);
        timer = setTimeout(() => look(it), askDelayMs);
      }),
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]);
        pick.hide();
      }),
      pick.onDidHide(() => {
        clearTimeout(timer);
        round++;
        resolve(undefined);
        stops.dispose();
      }),
    );
    pick.show();
    look('');
  });
}

async function ofWorkspace(query: string): Promise<SymbolItem[]> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  return (found ?? []).slice(0, most).map(({ name, kind, containerName, location }) => ({
    label: name,
    description: containerName,
    detail: vscode.workspace.asRelativePath(location.uri),
    iconPath: iconOf(kind),
    alwaysShow: true, // the language decided that it matches
    uri: location.uri,
    range: location.range,
  }));
}

async function ofDocument(uri: vscode.Uri | undefined): Promise<SymbolItem[]> {
  if (!uri) return [];
  const found = await vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return (found ?? []).flatMap((it) => flat(uri, it, '')).slice(0, most);
}

function flat(uri: vscode.Uri, it: vscode.DocumentSymbol | vscode.SymbolInformation, within: string): SymbolItem[] {
  const range = 'range' in it ? it.range : it.location.range;
  const children = 'children' in it ? it.children : [];
  const detail = vscode.workspace.asRelativePath(uri);
  const item = { label: it.name, description: within, detail, iconPath: iconOf(it.kind), uri, range };
  return [item, ...children.flatMap((child) => flat(uri, child, it.name))];
}

/** The icon that VS Code has for symbols of this kind: `symbol-method`. */
function iconOf(kind: vscode.SymbolKind): vscode.ThemeIcon {
  const name = vscode.SymbolKind[kind] ?? 'Misc';
  return new vscode.ThemeIcon(`symbol-${name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}`);
}
