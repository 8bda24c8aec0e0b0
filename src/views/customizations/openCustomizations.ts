import * as vscode from 'vscode';
import { settingIds } from '../../manifest/manifest.ts';
import type { CustomizationsDeps } from './customizationsModule.ts';
import type { CustomizationNode } from './nodes.ts';
import { CustomizationsTree } from './provider.ts';

/** Fills the view. */
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
  );
}

/** Names of hosts from which icons may be loaded. */
function trustedHosts(): readonly string[] {
  const given: unknown = vscode.workspace.getConfiguration().get(settingIds.trustedIconHosts);
  return Array.isArray(given) ? given.filter((it) => typeof it === 'string') : [];
}
