import * as vscode from 'vscode';
import type { Host } from '../../client/hosts.ts';
import { commandIds } from '../../manifest/manifest.ts';
import type { ChatActions } from './chatDeps.ts';

/** The buttons of the page that are commands as well, for keyboards and menus. */
export const commandActions: ChatActions = {
  reviewChanges: (changeset) => run(commandIds.reviewChanges, changeset),
  keepAll: (changeset) => run(commandIds.keepAll, changeset),
  undoAll: (changeset) => run(commandIds.undoAll, changeset),
  redo: (changeset) => run(commandIds.redo, changeset),
  signIn: ({ session, request, provider, host }) => run(commandIds.signIn, { session, key: request, provider, host }),
  addAgent: (then) => run(commandIds.addRegistryAgent, then),
  connectModel: () => run(commandIds.connectModel),
  configureAgents: () => run(commandIds.configureAgents),
  openFolder: () => run(commandIds.openFolder),
  restartHost: () => run(commandIds.restartHost),
  showLog: () => run(commandIds.showLog),
};

/** A host elsewhere is tended where it runs; from here it can only be reached again. */
export function farActions({ id, name }: Pick<Host, 'id' | 'name'>): ChatActions {
  const showWhere = () => {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Change this setting on {0}, where the host is running.', name),
    );
  };
  const reach = () => run(commandIds.retryHost, id);
  return {
    ...commandActions,
    addAgent: showWhere,
    connectModel: showWhere,
    configureAgents: showWhere,
    openFolder: showWhere,
    restartHost: reach,
  };
}

function run(command: string, ...args: readonly unknown[]): void {
  void vscode.commands.executeCommand(command, ...args);
}
