import * as vscode from 'vscode';
import type { ToolAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type GatewayInput, type GatewayNode, groupNodes, noteNode, rowsOf, toolNodes } from './nodes.ts';
import { redrawn } from './redraw.ts';

export interface GatewaySource {
  /** Where the gateway is turned off or the folder is not trusted: nothing is asked for, and the welcome text says so. */
  readonly isAvailable: boolean;
  /** Settles after the first look, good or bad. */
  loaded(): Promise<void>;
  readonly picture: GatewayInput | undefined;
  /** Why the last look failed. */
  readonly problem: string | undefined;
  tools(server: string): Promise<{ readonly tools: readonly ToolAnswer[] } | { readonly problem: string }>;
  /** @param listener gets whether every row has to be asked for again */
  onDidChange(listener: (isWhole: boolean) => void): { dispose(): void };
}

export class GatewayTree implements vscode.TreeDataProvider<GatewayNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<GatewayNode | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #source: GatewaySource;
  readonly #stop: { dispose(): void };
  #roots: readonly GatewayNode[] = [];
  readonly #rows = new Map<string, readonly GatewayNode[]>();

  constructor(source: GatewaySource) {
    this.#source = source;
    this.#stop = source.onDidChange((isWhole) => this.#redraw(isWhole));
  }

  async getChildren(node?: GatewayNode): Promise<GatewayNode[]> {
    if (node?.kind === 'server') return this.#tools(node.target);
    if (this.#source.isAvailable) await this.#source.loaded();
    if (node) {
      const rows = this.#rowsOf(node);
      this.#rows.set(node.id, rows);
      return rows;
    }
    const roots = this.#rootsNow();
    this.#roots = roots;
    this.#rows.clear();
    return roots;
  }

  #rootsNow(): GatewayNode[] {
    const { isAvailable, picture, problem } = this.#source;
    if (!isAvailable) return [];
    const notes =
      problem === undefined ? [] : [{ ...noteNode('problem', problem, true), command: commandIds.refreshGateway }];
    return [...notes, ...(picture ? groupNodes(vscode.l10n, picture) : [])];
  }

  #rowsOf({ kind, target }: GatewayNode): GatewayNode[] {
    const { isAvailable, picture } = this.#source;
    return isAvailable && picture && kind === 'group' ? rowsOf(vscode.l10n, picture, target) : [];
  }

  #redraw(isWhole: boolean): void {
    const given = { roots: this.#roots, rows: this.#rows };
    const rows = isWhole ? 'all' : redrawn(given, this.#rootsNow(), (it) => this.#rowsOf(it));
    if (rows === 'all') this.#changed.fire(undefined);
    else for (const it of rows) this.#changed.fire(it);
  }

  getTreeItem(node: GatewayNode): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, { never: None, closed: Collapsed, open: Expanded }[node.opens]);
    const color = node.color === undefined ? undefined : new vscode.ThemeColor(node.color);
    return Object.assign(item, {
      id: node.id,
      contextValue: node.contextValue,
      accessibilityInformation: { label: [node.label, node.description].filter(Boolean).join(', ') },
      ...(node.description !== undefined && { description: node.description }),
      ...(node.tooltip !== undefined && { tooltip: node.tooltip }),
      ...(node.icon !== undefined && { iconPath: new vscode.ThemeIcon(node.icon, color) }),
      ...(node.command !== undefined && { command: { command: node.command, title: node.label, arguments: [node] } }),
    });
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }

  async #tools(server: string): Promise<GatewayNode[]> {
    const look = await this.#source.tools(server);
    if ('problem' in look) return [noteNode(`tools/${server}`, look.problem, true)];
    if (look.tools.length === 0)
      return [noteNode(`tools/${server}`, vscode.l10n.t('This server has no tools.'), false)];
    return toolNodes(server, look.tools);
  }
}
