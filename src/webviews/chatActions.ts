import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import type { ChatActions } from './chatDeps.ts';

/** The buttons of the page that are commands as well, for keyboards and menus. */
export const commandActions: ChatActions = {
  reviewChanges: (changeset) => run(commandIds.reviewChanges, changeset),
  keepAll: (changeset) => run(commandIds.keepAll, changeset),
  undoAll: (changeset) => run(commandIds.undoAll, changeset),
  redo: (changeset) => run(commandIds.redo, changeset),
  signIn: ({ session, request, provider }) => run(commandIds.signIn, { session, id: request, provider }),
  configureAgents: () => run(commandIds.configureAgents),
  openFolder: () => run(commandIds.openFolder),
  restartHost: () => run(commandIds.restartHost),
};

function run(command: string, ...args: readonly unknown[]): void {
  void vscode.commands.executeCommand(command, ...args);
}
