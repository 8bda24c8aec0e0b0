import * as vscode from 'vscode';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { CatalogueChange } from '../../client/catalogue.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { nowMs } from '../../platform/clock.ts';
import type { InboxNode } from '../inbox/nodes.ts';
import { conversationNodes, type ElsewhereNode, keeperNodes } from './elsewhere/elsewhereNodes.ts';
import type { KeptConversations } from './elsewhere/keptConversations.ts';
import { groupOf, passes, timeOf } from './groups.ts';
import { cardLines, cardMarkdown, type OpenState } from './hoverCard.ts';
import {
  type Children,
  childrenOf,
  GROUP_PAGE,
  memberNodes,
  rootNodes,
  type SessionsInput,
  type SessionsNode,
  sessionNode,
  subAgentNodes,
  terminalNodes,
} from './nodes.ts';
import { ReadOnce } from './readOnce.ts';
import { sessionRow, subAgentRow } from './rows.ts';

export interface SessionsSource {
  read(): SessionsInput;
  /** One session as it is now, without reading the others. */
  session(uri: string): SessionSummary | undefined;
  /** What this window holds of a session; looks at nothing that nobody looks at. */
  openState(uri: string): OpenState;
  readonly requests: WaitingRequests;
  /** Absent: no agent is asked what it keeps. */
  readonly kept?: Pick<KeptConversations, 'of' | 'onDidChange'>;
  /** `undefined`: anything but the sessions changed. */
  onDidChange(listener: (change: CatalogueChange | undefined) => void): vscode.Disposable;
}

/** What sessions wait for. */
export interface WaitingRequests {
  of(session: string): readonly InboxNode[];
  /** With the sessions that wait for other things than before. */
  readonly onDidChange: vscode.Event<readonly string[]>;
}

type GroupNode = Extract<SessionsNode, { kind: 'group' }>;

/** Rows refresh by themselves once a minute, so that ages are right. */
const AGE_STEP_MS = 60_000;

export class SessionsTree implements vscode.TreeDataProvider<SessionsNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<SessionsNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #source: SessionsSource;
  readonly #shown: ReadOnce;
  readonly #stop: vscode.Disposable;
  /** VS Code refreshes a row by the object it was given, so the object of a session is kept. */
  readonly #given = new Map<string, SessionsNode>();
  /** By session: how the rows below it were drawn. */
  readonly #drawnChildren = new Map<string, Children>();
  /** By group, as they were drawn last. */
  readonly #groups = new Map<string, GroupNode>();
  /** How many rows of a group a person asked for. */
  readonly #limits = new Map<string, number>();

  constructor(source: SessionsSource) {
    this.#source = source;
    this.#shown = new ReadOnce(() => source.read());
    const timer = setInterval(() => this.#refresh(undefined), AGE_STEP_MS);
    this.#stop = vscode.Disposable.from(
      source.onDidChange((change) => this.#refresh(change)),
      source.requests.onDidChange((sessions) => this.#requestsChanged(sessions)),
      { dispose: () => clearInterval(timer) },
      ...(source.kept ? [source.kept.onDidChange((provider) => this.#keptChanged(provider))] : []),
    );
  }

  getChildren(node?: SessionsNode): SessionsNode[] {
    if (node === undefined) {
      this.#given.clear();
      this.#groups.clear();
      this.#shown.forget();
      const nodes = rootNodes(vscode.l10n, this.#shown.input);
      for (const it of nodes) if (it.kind === 'group') this.#groups.set(it.group, it);
      return nodes;
    }
    if (node.kind === 'session') {
      const requests = this.#source.requests.of(node.id).map((it) => ({ kind: 'request', ...it }) as const);
      return [...requests, ...subAgentNodes(this.#source.session(node.id) ?? node.summary)];
    }
    if (node.kind === 'terminals') return terminalNodes(vscode.l10n, this.#shown.input);
    if (node.kind === 'elsewhere') return this.#keepers(keeperNodes(this.#shown.input.agents));
    if (node.kind === 'keeper') {
      const kept = this.#source.kept?.of(node.provider) ?? { state: 'loading' };
      return conversationNodes(vscode.l10n, node.provider, kept, nowMs());
    }
    if (node.kind !== 'group') return [];
    // The editor may hand back the object that it got for this id first.
    const group = this.#groups.get(node.group) ?? node;
    const children = memberNodes(vscode.l10n, group, this.#limits.get(node.group) ?? GROUP_PAGE);
    for (const it of children) this.#given.set(it.id, it);
    return children;
  }

  getTreeItem(node: SessionsNode): vscode.TreeItem {
    switch (node.kind) {
      case 'group':
        return groupItem(
          node,
          node.count,
          node.group === 'archived',
          node.group === 'archived' ? 'group archived' : 'group open',
        );
      case 'session':
        return this.#sessionItem(node);
      case 'request':
        return requestItem(node);
      case 'subAgent':
        return subAgentItem(node);
      case 'terminals':
        return groupItem(node, String(node.count), false, 'terminals');
      case 'terminal':
        return terminalItem(node);
      case 'notice':
        return noticeItem(node);
      case 'start':
        return startItem(node);
      case 'elsewhere':
      case 'keeper':
        return item(node, node.label, { collapsibleState: vscode.TreeItemCollapsibleState.Collapsed });
      case 'conversation':
        return conversationItem(node);
      case 'keeperNote':
        return item(node, node.label, {});
      case 'noMatch':
        return item(node, node.label, {
          iconPath: new vscode.ThemeIcon('filter'),
          command: { command: 'switchboard.sessions.resetFilter', title: vscode.l10n.t('Reset Filter') },
        });
      case 'moreOfGroup':
      case 'more':
        return item(node, node.label, {
          iconPath: new vscode.ThemeIcon('ellipsis'),
          command: {
            command: commandIds.showMoreSessions,
            title: node.label,
            ...(node.kind === 'moreOfGroup' && { arguments: [node] }),
          },
        });
    }
  }

  resolveTreeItem(shown: vscode.TreeItem, node: SessionsNode): vscode.TreeItem {
    if (node.kind !== 'session') return shown;
    const summary = this.#source.session(node.id) ?? node.summary;
    const title = summary.title || vscode.l10n.t('New session');
    const lines = cardLines(vscode.l10n, summary, this.#source.openState(node.id), this.#rowContext());
    return Object.assign(shown, { tooltip: new vscode.MarkdownString(cardMarkdown(title, lines)) });
  }

  /** Draws another page of a group. @returns false when it is of another tree */
  showMore(row: unknown): boolean {
    const node = [...this.#given.values()].find((it) => it === row);
    if (node?.kind !== 'moreOfGroup') return false;
    this.#limits.set(node.group, (this.#limits.get(node.group) ?? GROUP_PAGE) + GROUP_PAGE);
    this.#changed.fire(undefined);
    return true;
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  /** One row costs the same however many there are: only what may be in another place now is read and sorted anew. */
  #refresh(change: CatalogueChange | undefined): void {
    if (
      change?.kind === 'session' &&
      !this.#isMoved(change.before, change.after) &&
      !this.#isFoldedAnew(change.after.resource)
    )
      return this.#redraw(change.after.resource);
    this.#shown.forget();
    this.#changed.fire(undefined);
  }

  /** A session that begins to wait, or waits no more, has another row: the editor folds each as it was drawn first. */
  #requestsChanged(sessions: readonly string[]): void {
    if (sessions.some((it) => this.#isFoldedAnew(it))) return this.#refresh(undefined);
    for (const it of sessions) this.#redraw(it);
  }

  #isFoldedAnew(session: string): boolean {
    return this.#given.has(session) && this.#children(session) !== (this.#drawnChildren.get(session) ?? 'none');
  }

  #children(session: string): Children {
    return childrenOf(this.#source.session(session), this.#source.requests.of(session).length);
  }

  #keepers(nodes: ElsewhereNode[]): ElsewhereNode[] {
    for (const it of nodes) this.#given.set(it.id, it);
    return nodes;
  }

  #keptChanged(provider: string): void {
    this.#redraw(`keeper/${provider}`);
  }

  /** One that is not drawn, in a folded group or behind "Show more", needs nothing. */
  #redraw(session: string): void {
    const row = this.#given.get(session);
    if (row) this.#changed.fire(row);
  }

  #isMoved(before: SessionSummary, after: SessionSummary): boolean {
    const { arrangement, nowMs: drawnMs } = this.#shown.input;
    if (before._meta?.['problem'] !== after._meta?.['problem']) return true;
    if (passes(before, arrangement.filter) !== passes(after, arrangement.filter)) return true;
    const group = groupOf(after, arrangement, drawnMs);
    if (group !== groupOf(before, arrangement, drawnMs)) return true;
    // The newest stays where it is when it becomes newer.
    const [from, to] = [timeOf(before, arrangement), timeOf(after, arrangement)];
    return to !== from && !(to > from && this.#groups.get(group)?.members[0]?.resource === after.resource);
  }

  #rowContext() {
    const { arrangement, agents, home } = this.#shown.input;
    const agentName = (provider: string) => agents.find((it) => it.provider === provider)?.displayName ?? provider;
    const canAddChat = (provider: string) =>
      agents.find((it) => it.provider === provider)?.capabilities?.multipleChats !== undefined;
    return { nowMs: nowMs(), arrangement, home, agentName, canAddChat };
  }

  #sessionItem(node: Extract<SessionsNode, { kind: 'session' }>): vscode.TreeItem {
    const summary = this.#source.session(node.id) ?? node.summary;
    const row = sessionRow(vscode.l10n, summary, this.#rowContext());
    const children = this.#children(node.id);
    this.#drawnChildren.set(node.id, children);
    return item(sessionNode(summary), row.label, {
      description: row.description,
      iconPath: new vscode.ThemeIcon(row.icon, new vscode.ThemeColor(row.color)),
      contextValue: row.contextValue,
      accessibilityInformation: { label: row.spoken },
      ...(children === 'open' && {
        id: `${node.id} waits`,
        collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      }),
      ...(children === 'folded' && {
        id: `${node.id} folded`,
        collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
      }),
      command: { command: commandIds.openSession, title: vscode.l10n.t('Open Session'), arguments: [node] },
    });
  }
}

function groupItem(
  { id, label }: { readonly id: string; readonly label: string },
  count: string,
  isFolded: boolean,
  contextValue: string,
): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  return { id, label, description: count, collapsibleState: isFolded ? Collapsed : Expanded, contextValue };
}

function requestItem(node: Extract<SessionsNode, { kind: 'request' }>): vscode.TreeItem {
  return item(node, node.label, {
    description: node.description,
    tooltip: node.tooltip,
    iconPath: new vscode.ThemeIcon(node.icon),
    contextValue: node.contextValue,
    accessibilityInformation: { label: node.spoken },
    command: { command: node.command, title: node.label, arguments: [node.key] },
  });
}

function subAgentItem(node: Extract<SessionsNode, { kind: 'subAgent' }>): vscode.TreeItem {
  const { label, description, icon, color, spoken } = subAgentRow(vscode.l10n, node.chat);
  return item(node, label, {
    description,
    iconPath: new vscode.ThemeIcon(icon, new vscode.ThemeColor(color)),
    accessibilityInformation: { label: spoken },
    command: { command: commandIds.openSession, title: vscode.l10n.t('Open Chat'), arguments: [node] },
  });
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

function conversationItem(node: Extract<SessionsNode, { kind: 'conversation' }>): vscode.TreeItem {
  const { label, description } = node;
  return item(node, label, {
    description,
    iconPath: new vscode.ThemeIcon('history'),
    accessibilityInformation: { label: [label, description].filter((it) => it !== '').join(', ') },
    command: { command: commandIds.bringIn, title: vscode.l10n.t('Continue This Session'), arguments: [node] },
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
    'start/model': ['plug', commandIds.connectModel],
    'start/walkthrough': ['book', commandIds.openWalkthrough],
    'start/agents': ['hubot', commandIds.addRegistryAgent],
  }[node.id] as [string, string];
  return item(node, node.label, { iconPath: new vscode.ThemeIcon(icon), command: { command, title: node.label } });
}

function item(node: SessionsNode, label: string, more: Partial<vscode.TreeItem>): vscode.TreeItem {
  return Object.assign(new vscode.TreeItem(label), { id: node.id, contextValue: node.kind, ...more });
}
