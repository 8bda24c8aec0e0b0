import * as vscode from 'vscode';
import type { ToolAnswer } from '../../../sidecar/protocol/gateway/answers.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type GatewayInput, type GatewayNode, groupNodes, noteNode, rowsOf, toolNodes } from './nodes.ts';

export interface GatewaySource {
  /** Where the gateway is turned off or the folder is not trusted: nothing is asked for, and the welcome text says so. */
  readonly isAvailable: boolean;
  /** Settles after the first look, good or bad. */
  loaded(): Promise<void>;
  readonly picture: GatewayInput | undefined;
  /** Why the last look failed. */
  readonly problem: string | undefined;
  tools(server: string): Promise<{ readonly tools: readonly ToolAnswer[] } | { readonly problem: string }>;
  onDidChange(listener: () => void): { dispose(): void };
}

export class GatewayTree implements vscode.TreeDataProvider<GatewayNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #source: GatewaySource;
  readonly #stop: { dispose(): void };

  constructor(source: GatewaySource) {
    this.#source = source;
    this.#stop = source.onDidChange(() => this.#changed.fire(undefined));
  }

  async getChildren(node?: GatewayNode): Promise<GatewayNode[]> {
    const { l10n } = vscode;
    if (node?.kind === 'server') return this.#tools(node.target);
    if (!this.#source.isAvailable) return [];
    await this.#source.loaded();
    const { picture, problem } = this.#source;
    if (node) return picture ? rowsOf(l10n, picture, node.target) : [];
    const notes =
      problem === undefined ? [] : [{ ...noteNode('problem', problem, true), command: commandIds.refreshGateway }];
    return [...notes, ...(picture ? groupNodes(l10n, picture) : [])];
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
