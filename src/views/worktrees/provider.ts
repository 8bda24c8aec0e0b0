import * as vscode from 'vscode';
import type { WorktreeList } from '../../client/worktrees.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type WorktreeNode, worktreeNodes } from './nodes.ts';

export class WorktreesTree implements vscode.TreeDataProvider<WorktreeNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #list: WorktreeList;
  readonly #stop: { dispose(): void };
  #shown = '';

  constructor(list: WorktreeList) {
    this.#list = list;
    // While nothing differs nothing is drawn anew: a click on a row that is would be lost.
    this.#stop = list.onDidChange(() => {
      const now = JSON.stringify(list.items);
      if (now === this.#shown) return;
      this.#shown = now;
      this.#changed.fire(undefined);
    });
  }

  getChildren(node?: WorktreeNode): WorktreeNode[] {
    return node === undefined ? worktreeNodes(vscode.l10n, this.#list.items) : [];
  }

  getTreeItem(node: WorktreeNode): vscode.TreeItem {
    const { id, label, description, tooltip, contextValue, session } = node;
    return {
      id,
      label,
      description,
      tooltip,
      contextValue,
      iconPath: new vscode.ThemeIcon(node.icon),
      accessibilityInformation: { label: `${label}, ${description}` },
      ...(session !== undefined && {
        command: { command: commandIds.openSession, title: label, arguments: [session] },
      }),
    };
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }
}
