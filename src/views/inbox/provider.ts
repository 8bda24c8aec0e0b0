import * as vscode from 'vscode';
import { parkedUntil } from '../../../sidecar/protocol/channels/session/parked.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { PendingRequest } from '../../client/attention.ts';
import { nowMs } from '../../platform/clock.ts';
import { type InboxNode, inboxNodes, parkedNodes } from './nodes.ts';

/** Rows with a countdown are drawn again this often. */
const COUNTDOWN_STEP_MS = 60_000;

export interface InboxSource {
  readonly pending: readonly PendingRequest[];
  readonly sessions: readonly SessionSummary[];
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
    const timer = setInterval(() => {
      if (source.sessions.some((it) => parkedUntil(it._meta) !== undefined)) this.#changed.fire(undefined);
    }, COUNTDOWN_STEP_MS);
    const stop = source.onDidChange(() => this.#changed.fire(undefined));
    this.#stop = vscode.Disposable.from(stop, { dispose: () => clearInterval(timer) });
  }

  getChildren(node?: InboxNode): InboxNode[] {
    if (node !== undefined) return [];
    const { pending, sessions } = this.#source;
    const asking = inboxNodes(vscode.l10n, pending, (key) => this.#source.idOf(key));
    return [...asking, ...parkedNodes(vscode.l10n, sessions, nowMs())];
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
