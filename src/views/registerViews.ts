import * as vscode from 'vscode';
import type { Trees } from '../activation/stubs.ts';
import type { TreeStub } from '../activation/treeStub.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import type { TreeDefinition, ViewDeps } from './definition.ts';
import { treeViews } from './index.ts';

/**
 * Opens the trees, and registers what only they run. Each is drawn from what the client knows; none keeps state of its own.
 *
 * @param need called when a view that needs the host comes into sight
 */
export function registerViews(trees: Trees, deps: ViewDeps, need: () => void): vscode.Disposable {
  return vscode.Disposable.from(...treeViews.flatMap((it) => openView(it, trees, deps, need)));
}

function openView(view: TreeDefinition, trees: Trees, deps: ViewDeps, need: () => void): vscode.Disposable[] {
  const tree = treeOf(trees, view);
  const opened = view.open(tree, deps);
  const commands = Object.entries(view.commands ?? {}).map(([id, run]) =>
    onCommand(id, (row: unknown, rows: unknown) => run(row, deps, rows)),
  );
  return [opened, ...commands, ...(view.needsHost ? [needed(tree, need)] : [])];
}

/** The tree of a view as it was registered at activation. */
export function treeOf(trees: Trees, { id }: Pick<TreeDefinition, 'id'>): TreeStub {
  const tree = trees.get(id);
  if (!tree) throw new Error(`package.json contributes no tree view ${id}.`);
  return tree;
}

function needed({ view }: TreeStub, need: () => void): vscode.Disposable {
  if (view.visible) need();
  return view.onDidChangeVisibility((it) => {
    if (it.visible) need();
  });
}
