import * as vscode from 'vscode';
import type { CatalogueChange } from '../../client/catalogue.ts';
import { commandIds } from '../../manifest/manifest.ts';
import {
  groupNodes,
  groupOf,
  rootNodes,
  type SessionsInput,
  type SessionsNode,
  sessionNode,
  terminalNodes,
} from './nodes.ts';
import { ReadOnce } from './readOnce.ts';
import { sessionRow } from './rows.ts';

export interface SessionsSource {
  read(): SessionsInput;
  /** `undefined`: anything but the sessions changed. */
  onDidChange(listener: (change: CatalogueChange | undefined) => void): vscode.Disposable;
}

/** Rows refresh by themselves once a minute, so that ages are right. */
const AGE_STEP_MS = 60_000;

export class SessionsTree implements vscode.TreeDataProvider<SessionsNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<SessionsNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #shown: ReadOnce;
  readonly #stop: vscode.Disposable;
  /** VS Code refreshes a row by the object it was given, so the object of a session is kept. */
  readonly #given = new Map<string, SessionsNode>();

  constructor(source: SessionsSource) {
    this.#shown = new ReadOnce(() => source.read());
    const timer = setInterval(() => this.#refresh(undefined), AGE_STEP_MS);
    this.#stop = vscode.Disposable.from(
      source.onDidChange((change) => this.#refresh(change)),
      { dispose: () => clearInterval(timer) },
    );
  }

  getChildren(node?: SessionsNode): SessionsNode[] {
    if (node === undefined) {
      this.#given.clear();
      this.#shown.forget();
      return rootNodes(vscode.l10n, this.#shown.input);
    }
    if (node.kind === 'terminals') return terminalNodes(vscode.l10n, this.#shown.input);
    if (node.kind !== 'group') return [];
    const children = groupNodes(this.#shown.input, node.group);
    for (const it of children) this.#given.set(it.id, it);
    return children;
  }

  getTreeItem(node: SessionsNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(node);
      case 'session':
        return this.#sessionItem(node);
      case 'terminals':
        return Object.assign(groupItem({ ...node, group: 'today' }), { contextValue: 'terminals' });
      case 'terminal':
        return terminalItem(node);
      case 'notice':
        return noticeItem(node);
      case 'start':
        return startItem(node);
      case 'more':
        return item(node, node.label, {
          iconPath: new vscode.ThemeIcon('ellipsis'),
          command: { command: commandIds.showMoreSessions, title: node.label },
        });
    }
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  #refresh(change: CatalogueChange | undefined): void {
    this.#shown.forget();
    if (change?.kind !== 'session') return this.#changed.fire(undefined);
    const { nowMs } = this.#shown.input;
    const { before, after } = change;
    const isMoved = groupOf(before, nowMs) !== groupOf(after, nowMs) || before.modifiedAt !== after.modifiedAt;
    const isNoticeChanged = before._meta?.['problem'] !== after._meta?.['problem'];
    const row = this.#given.get(after.resource);
    this.#changed.fire(isMoved || isNoticeChanged || !row ? undefined : row);
  }

  #sessionItem(node: Extract<SessionsNode, { kind: 'session' }>): vscode.TreeItem {
    const summary = this.#shown.session(node.id) ?? node.summary;
    const row = sessionRow(vscode.l10n, summary, this.#shown.input.nowMs);
    return item(sessionNode(summary), row.label, {
      description: row.description,
      iconPath: new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color)),
      contextValue: row.contextValue,
      tooltip: `${row.label}\n${row.description}`,
      accessibilityInformation: { label: row.spoken },
      command: { command: commandIds.openSession, title: vscode.l10n.t('Open Session'), arguments: [node] },
    });
  }
}

function groupItem(
  node: Pick<Extract<SessionsNode, { kind: 'group' }>, 'id' | 'label' | 'count' | 'group'>,
): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  return {
    id: node.id,
    label: node.label,
    description: String(node.count),
    collapsibleState: node.group === 'archived' ? Collapsed : Expanded,
    contextValue: 'group',
  };
}

function terminalItem(node: Extract<SessionsNode, { kind: 'terminal' }>): vscode.TreeItem {
  const { label, description, icon, contextValue } = node.row;
  return item(node, label, {
    description,
    iconPath: new vscode.ThemeIcon(icon),
    contextValue,
    accessibilityInformation: { label: `${label}, ${description}` },
    command: { command: commandIds.openTerminal, title: vscode.l10n.t('Open Terminal'), arguments: [node] },
  });
}

function noticeItem({ id, row }: Extract<SessionsNode, { kind: 'notice' }>): vscode.TreeItem {
  const color = { info: undefined, warning: 'list.warningForeground', error: 'list.errorForeground' }[row.icon];
  return {
    id,
    label: row.label,
    description: row.detail,
    tooltip: `${row.label}\n\n${row.detail}\n\n${row.action}`,
    iconPath: new vscode.ThemeIcon(row.icon, color === undefined ? undefined : new vscode.ThemeColor(color)),
    contextValue: `notice.${row.kind}`,
    accessibilityInformation: { label: `${row.label}. ${row.detail} ${row.action}`, role: 'treeitem' },
    command: { command: row.command, title: row.action, arguments: [row] },
  };
}

function startItem(node: Extract<SessionsNode, { kind: 'start' }>): vscode.TreeItem {
  const [icon, command] = {
    'start/tour': ['play-circle', commandIds.takeTour],
    'start/new': ['add', commandIds.newSession],
    'start/agents': ['hubot', commandIds.configureAgents],
  }[node.id] as [string, string];
  return item(node, node.label, { iconPath: new vscode.ThemeIcon(icon), command: { command, title: node.label } });
}

function item(node: SessionsNode, label: string, more: Partial<vscode.TreeItem>): vscode.TreeItem {
  return Object.assign(new vscode.TreeItem(label), { id: node.id, contextValue: node.kind, ...more });
}
