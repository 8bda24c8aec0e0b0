import * as vscode from 'vscode';
import type { PendingRequest } from '../../client/attention.ts';
import { type InboxNode, inboxNodes } from './nodes.ts';

export interface InboxSource {
  readonly pending: readonly PendingRequest[];
  /** The one-time id of an answer to the request of that key. */
  idOf(key: string): string;
  onDidChange(listener: () => void): { dispose(): void };
}

export class InboxTree implements vscode.TreeDataProvider<InboxNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #source: InboxSource;
  readonly #stop: { dispose(): void };

  constructor(source: InboxSource) {
    this.#source = source;
    this.#stop = source.onDidChange(() => this.#changed.fire(undefined));
  }

  getChildren(node?: InboxNode): InboxNode[] {
    return node === undefined ? inboxNodes(vscode.l10n, this.#source.pending, (key) => this.#source.idOf(key)) : [];
  }

  getTreeItem(node: InboxNode): vscode.TreeItem {
    return {
      id: node.id,
      label: node.label,
      description: node.description,
      tooltip: node.tooltip,
      iconPath: new vscode.ThemeIcon(node.icon),
      contextValue: node.contextValue,
      accessibilityInformation: { label: node.spoken },
      command: { command: node.command, title: node.label, arguments: [node.key] },
    };
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }
}

/** The number on the view means "so many things need you", and nothing else. */
export function inboxBadge(count: number): vscode.ViewBadge | undefined {
  if (count === 0) return undefined;
  return {
    value: count,
    tooltip: count === 1 ? vscode.l10n.t('1 request needs you') : vscode.l10n.t('{0} requests need you', count),
  };
}
