import * as vscode from 'vscode';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import { commandIds } from '../../manifest/manifest.ts';
import type { CustomizationsDeps } from './customizationsModule.ts';
import { addAgentNode, type CustomizationNode, customizationNodes, sessionNodes } from './nodes.ts';

interface Looked {
  readonly view: { readonly shown: SessionState | undefined; dispose(): void };
  readonly stop: { dispose(): void };
}

/** Subscribes to the sessions whose row is open, and to no other: the host follows what somebody looks at. */
export class CustomizationsTree implements vscode.TreeDataProvider<CustomizationNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<CustomizationNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #deps: CustomizationsDeps;
  readonly #trustedHosts: () => readonly string[];
  readonly #open = new Map<string, Looked>();
  #roots: readonly CustomizationNode[] = [];
  readonly #stop: { dispose(): void };

  constructor(deps: CustomizationsDeps, trustedHosts: () => readonly string[]) {
    this.#deps = deps;
    this.#trustedHosts = trustedHosts;
    this.#stop = deps.onDidChangeSessions(() => {
      if (!deps.tree.view.visible) return; // it is drawn anew when it shows
      const now = this.#sessionNodes();
      if (JSON.stringify(now) !== JSON.stringify(this.#roots)) this.redraw();
    });
  }

  getChildren(node?: CustomizationNode): CustomizationNode[] {
    if (!node) {
      const roots = this.#sessionNodes();
      for (const it of this.#open.keys()) if (!roots.some(({ session }) => session === it)) this.close(it);
      this.#roots = roots;
      return roots.length === 0 ? roots : [...roots, addAgentNode(vscode.l10n)];
    }
    if (node.kind !== 'session') return [...(node.children ?? [])];
    const shown = this.#look(node.session).view.shown;
    return customizationNodes(vscode.l10n, node.session, shown, this.#trustedHosts());
  }

  getTreeItem(node: CustomizationNode): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    const { label, toggles, image, icon } = node;
    const color = node.color === undefined ? undefined : new vscode.ThemeColor(node.color);
    const command = commandOf(node);
    return {
      id: node.id,
      label,
      contextValue: node.server ? `server ${node.server.isUp ? 'up' : 'down'}` : node.kind,
      collapsibleState: { never: None, closed: Collapsed, open: Expanded }[node.opens],
      ...(node.description !== undefined && { description: node.description }),
      ...(node.tooltip !== undefined && { tooltip: node.tooltip }),
      ...(icon !== undefined && { iconPath: new vscode.ThemeIcon(icon, color) }),
      ...(image && { iconPath: { light: vscode.Uri.parse(image.light), dark: vscode.Uri.parse(image.dark) } }),
      ...(toggles && {
        checkboxState: {
          state: toggles.isOn ? Checked : Unchecked,
          tooltip: toggles.isOn ? vscode.l10n.t('Turn off') : vscode.l10n.t('Turn on'),
          accessibilityInformation: { label: toggles.isOn ? vscode.l10n.t('on') : vscode.l10n.t('off') },
        },
      }),
      ...(command !== undefined && { command: { command, title: label, arguments: [node] } }),
    };
  }

  redraw(): void {
    this.#changed.fire(undefined);
  }
  /** An open row is drawn from what the host says now. */
  expanded(node: CustomizationNode): void {
    if (node.kind === 'session' && !this.#open.has(node.session)) this.#changed.fire(node);
  }
  /** Nobody looks at the session's row any more. */
  close(session: string): void {
    const looked = this.#open.get(session);
    looked?.stop.dispose();
    looked?.view.dispose();
    this.#open.delete(session);
  }
  closeAll(): void {
    for (const it of [...this.#open.keys()]) this.close(it);
  }
  dispose(): void {
    this.#stop.dispose();
    this.closeAll();
    this.#changed.dispose();
  }

  #sessionNodes(): CustomizationNode[] {
    return sessionNodes(this.#deps.sessions(), this.#deps.ofOpenChat());
  }

  #look(session: string): Looked {
    const known = this.#open.get(session);
    if (known) return known;
    const view = this.#deps.port.open<SessionState>(session);
    let shown = view.shown;
    const stop = view.onDidChange(() => {
      const before = shown;
      shown = view.shown;
      // A session changes with every word of its agent: only what customizes it is drawn here.
      if (before && shown && before.customizations === shown.customizations) return;
      this.#changed.fire(this.#roots.find((it) => it.session === session));
    });
    const looked = { view, stop };
    this.#open.set(session, looked);
    return looked;
  }
}

function commandOf({ kind, creates, file }: CustomizationNode): string | undefined {
  if (kind === 'addAgent') return commandIds.addRegistryAgent;
  return creates ? commandIds.createCustomization : file && commandIds.openCustomization;
}
