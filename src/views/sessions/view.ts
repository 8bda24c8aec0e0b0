import * as vscode from 'vscode';
import type { TreeDefinition } from '../definition.ts';
import { sessionsCommands } from './sessionsModule.ts';

/** The sessions of this machine. Where hosts elsewhere are attached, the tree is filled anew with the sessions of all. */
export const sessionsView: TreeDefinition = {
  id: 'switchboard.sessions',
  needsHost: true,
  commands: Object.fromEntries(
    sessionsCommands.map((it) => [
      `switchboard.${it}`,
      (row, { sessions }, rows) => sessions.opened.run(it, row, rows),
    ]),
  ),
  open(tree, { sessions }) {
    const { view } = tree;
    tree.onDrop = (row, data) => sessions.opened.drop(row, data);
    const look = () => {
      if (view.visible) sessions.show();
    };
    look();
    return vscode.Disposable.from(view.onDidChangeVisibility(look), sessions);
  },
};
