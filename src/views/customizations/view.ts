import * as vscode from 'vscode';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import type { TreeStub } from '../../activation/treeStub.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { loadBundle } from '../../platform/loadBundle.ts';
import type { TreeDefinition, ViewDeps } from '../definition.ts';
import type { CustomizationsModule } from './customizationsModule.ts';

/** Those of the sessions of this machine. What draws them is loaded when the view is first seen. */
export const customizationsView: TreeDefinition = {
  id: 'switchboard.customizations',
  needsHost: true,
  commands: {
    [commandIds.openCustomization]: (row, deps) => loaded(deps).openCustomization(row),
    [commandIds.startServer]: (row, deps) => loaded(deps).moveServer(row, ['start'], deps.hosts.local.client),
    [commandIds.stopServer]: (row, deps) => loaded(deps).moveServer(row, ['stop'], deps.hosts.local.client),
    [commandIds.restartServer]: (row, deps) => loaded(deps).moveServer(row, ['stop', 'start'], deps.hosts.local.client),
    [commandIds.createCustomization]: (row, deps) => loaded(deps).createCustomization(row, deps.hosts.local.client),
  },
  open(tree, deps) {
    let opened: vscode.Disposable | undefined;
    const look = () => {
      if (tree.view.visible) opened ??= openLoaded(tree, deps);
    };
    const stop = tree.view.onDidChangeVisibility(look);
    look();
    return new vscode.Disposable(() => {
      stop.dispose();
      opened?.dispose();
    });
  },
};

function openLoaded(tree: TreeStub, deps: ViewDeps): vscode.Disposable {
  const { client, catalogue } = deps.hosts.local;
  return loaded(deps).openCustomizations({
    tree,
    port: client,
    sessions: () => catalogue.sessions.filter((it) => !hasFlag(it.status, status.IsArchived)),
    ofOpenChat: () => deps.chats.active,
    onDidChangeSessions: (listener) =>
      vscode.Disposable.from(catalogue.onDidChange(listener), deps.chats.onDidChangeVisible(listener)),
  });
}

function loaded({ bundle }: ViewDeps): CustomizationsModule {
  return loadBundle<CustomizationsModule>(bundle('customizations'), 'openCustomizations');
}
