import * as vscode from 'vscode';
import type { WorktreeList } from '../../client/worktrees.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type WorktreeNode, worktreeNodes } from './nodes.ts';
import type { RaceNode } from './race/raceNodes.ts';
import type { RacesShown } from './race/racesShown.ts';

export class WorktreesTree implements vscode.TreeDataProvider<WorktreeNode | RaceNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #list: WorktreeList;
  readonly #races: RacesShown;
  readonly #stops: readonly { dispose(): void }[];
  #shown = '';

  constructor(list: WorktreeList, races: RacesShown) {
    this.#list = list;
    this.#races = races;
    // Nothing is redrawn unless something changed: a click on a row that is being redrawn would be lost.
    const look = () => {
      const now = JSON.stringify([list.items, races.rows.map((it) => [it, races.below(it)])]);
      if (now === this.#shown) return;
      this.#shown = now;
      this.#changed.fire(undefined);
    };
    this.#stops = [list.onDidChange(look), races.onDidChange(look)];
  }

  getChildren(node?: WorktreeNode | RaceNode): (WorktreeNode | RaceNode)[] {
    if (node !== undefined) return node.kind === 'race' ? this.#races.below(node) : [];
    // Those of a race are below it.
    const trees = this.#list.items.filter((it) => !it.holds.some((hold) => hold.kind === 'race'));
    return [...this.#races.rows, ...worktreeNodes(vscode.l10n, trees)];
  }

  getTreeItem(node: WorktreeNode | RaceNode): vscode.TreeItem {
    const { id, label, description, tooltip, contextValue, session } = node;
    return {
      id,
      label,
      description,
      tooltip,
      contextValue,
      collapsibleState: vscode.TreeItemCollapsibleState[node.kind === 'race' ? 'Expanded' : 'None'],
      iconPath: new vscode.ThemeIcon(node.icon),
      accessibilityInformation: { label: `${label}, ${description}` },
      ...(session !== undefined && {
        command: { command: commandIds.openSession, title: label, arguments: [session] },
      }),
    };
  }

  dispose(): void {
    for (const it of this.#stops) it.dispose();
    this.#changed.dispose();
  }
}
