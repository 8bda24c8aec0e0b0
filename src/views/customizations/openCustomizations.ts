import * as vscode from 'vscode';
import { commandIds, settingIds } from '../../manifest/manifest.ts';
import type { CustomizationsDeps } from './deps.ts';
import { isName, newItem } from './newItem.ts';
import type { CustomizationNode } from './nodes.ts';
import { CustomizationsTree } from './provider.ts';

/** Fills the view, and registers what its rows do. */
export function openCustomizations(deps: CustomizationsDeps): vscode.Disposable {
  const { view } = deps.tree;
  const provider = new CustomizationsTree(deps, trustedHosts);
  deps.tree.fill(provider);
  return vscode.Disposable.from(
    provider,
    view.onDidExpandElement(({ element }) => provider.expanded(element as CustomizationNode)),
    view.onDidCollapseElement(({ element }) => {
      const node = element as CustomizationNode;
      if (node.kind === 'session') provider.close(node.session);
    }),
    view.onDidChangeVisibility(({ visible }) => (visible ? provider.redraw() : provider.closeAll())),
    view.onDidChangeCheckboxState(({ items }) => {
      for (const [it, state] of items) {
        const { session, toggles } = it as CustomizationNode;
        if (!toggles) continue;
        const enabled = state === vscode.TreeItemCheckboxState.Checked;
        deps.port.dispatch(session, { type: 'session/customizationToggled', id: toggles.id, enabled });
      }
    }),
    vscode.commands.registerCommand(commandIds.openCustomization, ({ file }: CustomizationNode) => file && show(file)),
    vscode.commands.registerCommand(commandIds.createCustomization, (node: CustomizationNode) => create(deps, node)),
  );
}

/** Names of hosts from which icons may be loaded. */
function trustedHosts(): readonly string[] {
  const given: unknown = vscode.workspace.getConfiguration().get(settingIds.trustedIconHosts);
  return Array.isArray(given) ? given.filter((it) => typeof it === 'string') : [];
}

async function show({ uri, range }: NonNullable<CustomizationNode['file']>): Promise<void> {
  const selection =
    range && new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { ...(selection && { selection }) });
}

/** Asks for a name, has the host write the file, and opens it. */
async function create({ port }: CustomizationsDeps, { creates, label }: CustomizationNode): Promise<void> {
  if (!creates) return;
  const name = await vscode.window.showInputBox({
    title: label.replace(/…$/, ''),
    prompt: vscode.l10n.t('Its name. The file is called after it.'),
    ignoreFocusOut: true,
    validateInput: (it) =>
      it === '' || isName(it) ? undefined : vscode.l10n.t('Use letters, digits, spaces, - and _, at most 64.'),
  });
  if (name === undefined || !isName(name)) return;
  const { folder, uri, text } = newItem(creates.directory, creates.contents, name);
  try {
    await port.request('resourceMkdir', { uri: folder });
    await port.request('resourceWrite', { uri, data: text, encoding: 'utf-8', createOnly: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be made: {1}', name, why));
    return;
  }
  await show({ uri });
}
