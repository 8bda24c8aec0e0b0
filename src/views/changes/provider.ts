import * as vscode from 'vscode';
import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type ChangesNode, fileNodes, setNodes } from './nodes.ts';

export interface ChangesSource {
  sessions(): readonly SessionSummary[];
  /** Subscribes on the first call; `undefined` until the host answered. */
  look(changeset: string): ChangesetState | undefined;
  canRedo(changeset: string): boolean;
  folders(): readonly string[];
  /** With the changeset whose files changed, or `undefined` for the list of sessions. */
  onDidChange(listener: (changeset: string | undefined) => void): { dispose(): void };
}

export class ChangesTree implements vscode.TreeDataProvider<ChangesNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<ChangesNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #source: ChangesSource;
  readonly #stop: { dispose(): void };
  readonly #sets = new Map<string, ChangesNode>();

  constructor(source: ChangesSource) {
    this.#source = source;
    this.#stop = source.onDidChange((changeset) =>
      this.#changed.fire(changeset === undefined ? undefined : this.#sets.get(changeset)),
    );
  }

  getChildren(node?: ChangesNode): ChangesNode[] {
    if (node === undefined) {
      const sets = setNodes(vscode.l10n, this.#source.sessions(), (it) => this.#source.canRedo(it));
      this.#sets.clear();
      for (const it of sets) this.#sets.set(it.changeset, it);
      return sets;
    }
    if (node.kind !== 'set') return [];
    return fileNodes(vscode.l10n, node.changeset, this.#source.look(node.changeset), this.#source.folders());
  }

  getTreeItem(node: ChangesNode): vscode.TreeItem {
    switch (node.kind) {
      case 'set':
        return {
          id: node.id,
          label: node.label,
          description: node.description,
          iconPath: new vscode.ThemeIcon('diff-multiple'),
          collapsibleState:
            this.#sets.keys().next().value === node.changeset
              ? vscode.TreeItemCollapsibleState.Expanded
              : vscode.TreeItemCollapsibleState.Collapsed,
          contextValue: `set${node.files > 0 ? ' open' : ''}${this.#source.canRedo(node.changeset) ? ' redo' : ''}`,
        };
      case 'file':
        return {
          id: node.id,
          label: node.label,
          description: node.description,
          resourceUri: vscode.Uri.parse(node.uri),
          iconPath: node.file.reviewed
            ? new vscode.ThemeIcon('pass', new vscode.ThemeColor('testing.iconPassed'))
            : vscode.ThemeIcon.File,
          contextValue: node.contextValue,
          accessibilityInformation: { label: node.spoken },
          command: { command: commandIds.openChange, title: vscode.l10n.t('Open Diff'), arguments: [node] },
        };
      case 'note':
        return { id: node.id, label: node.label, contextValue: 'note' };
    }
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }
}
