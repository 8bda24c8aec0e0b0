import * as vscode from 'vscode';
import { contextKeys, viewIds } from './manifest/manifest.ts';

/** Registers everything and starts nothing: the host starts when a view shows or a command needs it. */
export function activate(context: vscode.ExtensionContext): void {
  void vscode.commands.executeCommand('setContext', contextKeys.hostState, 'stopped');
  for (const id of [viewIds.sessions, viewIds.inbox, viewIds.changes]) {
    const empty: vscode.TreeDataProvider<never> = { getChildren: () => [], getTreeItem: (it) => it };
    context.subscriptions.push(vscode.window.createTreeView(id, { treeDataProvider: empty }));
  }
}
