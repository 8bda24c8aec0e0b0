import * as vscode from 'vscode';
import type { Hosts } from '../client/hosts.ts';
import { commandIds } from '../manifest/manifest.ts';
import type { SessionsNode } from '../views/sessions/nodes.ts';
import type { SessionsTree } from '../views/sessions/provider.ts';
import type { RemoteState } from './remoteHost.ts';
import { problemRow, stateWords } from './remoteTexts.ts';

export interface HostsTreeDeps {
  readonly hosts: Hosts;
  /** The sessions of this machine. */
  readonly local: SessionsTree;
  /** How the host of this machine is. */
  readonly state: {
    readonly state: { readonly kind: 'stopped' | 'starting' | 'running' | 'failed' };
    onDidChangeState(listener: () => void): { dispose(): void };
  };
  /** Those elsewhere, in the order of the setting. */
  readonly far: () => readonly { readonly id: string; readonly state: RemoteState; readonly tree: SessionsTree }[];
}

/** A host, by its address, or what is wrong with it. */
type HostRow =
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'hostProblem'; readonly host: string };
type Node = HostRow | SessionsNode;

/** The sessions of several hosts, one below the other; those of a single host as they are. */
export class HostsTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #deps: HostsTreeDeps;
  /** VS Code refreshes a row by the object it was given. */
  readonly #rows = new Map<string, HostRow>();
  readonly #owners = new WeakMap<object, { readonly host: string; readonly tree: SessionsTree }>();
  readonly #stop: vscode.Disposable;

  constructor(deps: HostsTreeDeps) {
    this.#deps = deps;
    this.#stop = vscode.Disposable.from(
      this.follow('', deps.local),
      new vscode.Disposable(deps.state.onDidChangeState(() => this.hostChanged('')).dispose),
    );
  }

  /** Rows of a host changed when its tree says so. */
  follow(host: string, tree: SessionsTree): vscode.Disposable {
    return tree.onDidChangeTreeData((node) => {
      if (node) this.#changed.fire(node);
      else this.hostChanged(host);
    });
  }

  hostChanged(host: string): void {
    this.#changed.fire(this.#isGrouped ? this.#rows.get(host) : undefined);
  }

  listChanged(): void {
    this.#changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    const { local, hosts } = this.#deps;
    if (node === undefined) {
      if (!this.#isGrouped) return this.#own('', local, undefined);
      return hosts.all.map(({ id }) => this.#row(id));
    }
    if (node.kind === 'hostProblem') return [];
    if (node.kind !== 'host') {
      const { host, tree } = this.#ownerOf(node);
      return this.#own(host, tree, node);
    }
    const far = this.#far(node.host);
    if (!far) return this.#own('', local, undefined);
    const problem: Node[] = problemRow(vscode.l10n, far.id, far.state) ? [{ kind: 'hostProblem', host: far.id }] : [];
    return [...problem, ...this.#own(far.id, far.tree, undefined)];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.kind === 'host') return this.#hostItem(node.host);
    if (node.kind === 'hostProblem') return this.#problemItem(node.host);
    const { host, tree } = this.#ownerOf(node);
    const item = tree.getTreeItem(node);
    if (!this.#isGrouped) return item;
    item.id = `${host} ${item.id ?? ''}`;
    if (host === '') return item;
    item.contextValue = `${item.contextValue ?? ''} elsewhere`;
    if (node.kind === 'more' && item.command) item.command = { ...item.command, arguments: [host] };
    return item;
  }

  resolveTreeItem(shown: vscode.TreeItem, node: Node): vscode.TreeItem {
    if (node.kind === 'host' || node.kind === 'hostProblem') return shown;
    return this.#ownerOf(node).tree.resolveTreeItem(shown, node);
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  get #isGrouped(): boolean {
    return this.#deps.hosts.all.length > 1;
  }

  #far(host: string) {
    return this.#deps.far().find((it) => it.id === host);
  }

  #row(host: string): HostRow {
    const row = this.#rows.get(host) ?? ({ kind: 'host', host } as const);
    this.#rows.set(host, row);
    return row;
  }

  /** A row that was given out before there was this tree is of this machine. */
  #ownerOf(node: SessionsNode): { readonly host: string; readonly tree: SessionsTree } {
    return this.#owners.get(node) ?? { host: '', tree: this.#deps.local };
  }

  #own(host: string, tree: SessionsTree, node: SessionsNode | undefined): Node[] {
    const children = tree.getChildren(node);
    for (const it of children) this.#owners.set(it, { host, tree });
    return children;
  }

  #hostItem(host: string): vscode.TreeItem {
    const far = this.#far(host);
    const words = stateWords(vscode.l10n, far?.state ?? localState(this.#deps.state.state.kind));
    const name = this.#deps.hosts.at(host)?.name ?? host;
    return {
      id: `host ${host}`,
      label: name,
      description: words,
      tooltip: far ? `${name}\n${far.id}\n${words}` : `${name}\n${words}`,
      iconPath: new vscode.ThemeIcon(far ? icons[far.state.kind] : 'device-desktop'),
      contextValue: far
        ? `host elsewhere ${far.state.kind}${far.state.kind === 'attached' ? ' open' : ''}`
        : 'host here open',
      collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
      accessibilityInformation: { label: `${name}, ${words}` },
    };
  }

  #problemItem(host: string): vscode.TreeItem {
    const far = this.#far(host);
    const row = far && problemRow(vscode.l10n, host, far.state);
    if (!row) return new vscode.TreeItem('');
    const command = row.help === 'token' ? commandIds.enterHostToken : commandIds.retryHost;
    return {
      id: `hostProblem ${host}`,
      label: row.label,
      description: row.detail,
      tooltip: `${row.label}\n\n${row.detail}`,
      iconPath: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground')),
      contextValue: `hostProblem ${row.help}`,
      accessibilityInformation: { label: `${row.label}. ${row.detail}` },
      command: { command, title: row.label, arguments: [host] },
    };
  }
}

/** The address that a row, or a command's argument, means. */
export function hostIn(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null || !('host' in argument)) return undefined;
  return typeof argument.host === 'string' ? argument.host : undefined;
}

const icons: Readonly<Record<RemoteState['kind'], string>> = {
  stopped: 'vm-outline',
  connecting: 'loading~spin',
  attached: 'vm-active',
  lost: 'debug-disconnect',
  tokenMissing: 'key',
  tokenRefused: 'key',
};

function localState(kind: HostsTreeDeps['state']['state']['kind']): RemoteState {
  const kinds = { stopped: 'stopped', failed: 'stopped', starting: 'connecting', running: 'attached' } as const;
  return { kind: kinds[kind] };
}
