import * as vscode from 'vscode';
import type { ChangesetState } from '../../../sidecar/protocol/channels/changeset/schema.ts';
import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { uncommittedOf } from '../../client/changesets.ts';
import { fileName } from '../../client/texts.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { type ChangesNode, fileNodes, sessionsByFolder, setNodes, uncommittedNode } from './nodes.ts';

export interface ChangesSource {
  sessions(): readonly SessionSummary[];
  /** Subscribes on the first call; `undefined` until the host answered. */
  look(changeset: string): ChangesetState | undefined;
  canRedo(changeset: string): boolean;
  /** Empty for this machine. */
  hostOf(session: string): string;
  /** Whether git can stage and commit it. */
  canStage(changeset: string): boolean;
  peek(changeset: string): ChangesetState | undefined;
  folders(): readonly string[];
  /** Files below their folders, rather than one list. */
  isTree(): boolean;
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
    this.#stop = source.onDidChange((changeset) => {
      const known = changeset === undefined ? undefined : this.#sets.get(changeset);
      this.#changed.fire(known?.kind === 'uncommitted' ? this.#renewed(known) : known);
    });
  }

  getChildren(node?: ChangesNode): ChangesNode[] {
    if (node === undefined) return this.#roots();
    if (node.kind === 'folder') return [...node.children];
    if (node.kind !== 'set' && node.kind !== 'uncommitted') return [];
    const source = this.#source;
    return fileNodes(vscode.l10n, node.changeset, source.look(node.changeset), source.folders(), source.isTree());
  }

  #roots(): ChangesNode[] {
    const source = this.#source;
    const sets = setNodes(vscode.l10n, source.sessions(), (it) => source.canRedo(it));
    const shown = source.sessions().filter((it) => sets.some((set) => set.session === it.resource));
    const groups = sessionsByFolder(shown, (it) => source.hostOf(it));
    const rest = groups.map(({ session, folders }) => {
      const names = groups.length > 1 ? folders.map((it) => fileName(it)).join(', ') : '';
      return uncommittedNode(vscode.l10n, session, source.peek(uncommittedOf(session)), names);
    });
    this.#sets.clear();
    for (const it of [...sets, ...rest]) this.#sets.set(it.changeset, it);
    return [...sets, ...rest];
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
          tooltip: node.tooltip,
          contextValue: `set${node.files > 0 ? ' open' : ''}${node.isBusy ? ' busy' : ''}${this.#source.canRedo(node.changeset) ? ' redo' : ''}${this.#source.canStage(node.changeset) ? ' git' : ''}`,
        };
      case 'uncommitted':
        return {
          id: node.id,
          label: node.label,
          description: node.description,
          iconPath: new vscode.ThemeIcon('source-control'),
          collapsibleState: vscode.TreeItemCollapsibleState.Collapsed,
          contextValue: node.contextValue,
        };
      case 'folder':
        return {
          id: node.id,
          label: node.label,
          description: node.description,
          iconPath: vscode.ThemeIcon.Folder,
          collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
          contextValue: node.contextValue,
          accessibilityInformation: { label: node.spoken },
        };
      case 'file':
        return {
          id: node.id,
          label: node.label,
          description: node.description,
          resourceUri: vscode.Uri.parse(node.uri),
          ...(node.why !== '' && { tooltip: `${node.label}: ${node.why}` }),
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

  /** The same row with what it says now. */
  #renewed(known: Extract<ChangesNode, { kind: 'uncommitted' }>): ChangesNode {
    const now = uncommittedNode(vscode.l10n, known.session, this.#source.peek(known.changeset), known.folder);
    return Object.assign(known, now);
  }

  dispose(): void {
    this.#stop.dispose();
    this.#changed.dispose();
  }
}
