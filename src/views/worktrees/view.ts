import * as vscode from 'vscode';
import type { TreeStub } from '../../activation/treeStub.ts';
import { commandIds } from '../../manifest/manifest.ts';
import { onCommand } from '../../platform/commandHandlers.ts';
import { loadBundle } from '../../platform/loadBundle.ts';
import type { TreeDefinition, ViewDeps } from '../definition.ts';
import { readPins } from '../sessions/pins.ts';
import type { OpenedWorktrees, WorktreesModule } from './worktreesModule.ts';

/** Those of the host of this machine. What draws them is loaded when the view is first seen, or a command of it runs. */
export const worktreesView: TreeDefinition = {
  id: 'switchboard.worktrees',
  needsHost: true,
  open(tree, deps) {
    let opened: OpenedWorktrees | undefined;
    const open = () => (opened ??= openLoaded(tree, deps));
    const look = () => {
      if (tree.view.visible) open();
    };
    const on = (command: string, run: (row: unknown) => unknown) => onCommand(command, run);
    look();
    return vscode.Disposable.from(
      tree.view.onDidChangeVisibility(look),
      on(commandIds.refreshWorktrees, () => open().refresh()),
      on(commandIds.cleanUpWorktrees, () => open().cleanUp()),
      on(commandIds.removeWorktree, (row) => open().remove(row)),
      on(commandIds.openWorktree, openFolder),
      on(commandIds.startRace, () => open().startRace()),
      on(commandIds.checkRace, (row) => open().inRace('check', row)),
      on(commandIds.compareRace, (row) => open().inRace('compare', row)),
      on(commandIds.chooseOfRace, (row) => open().inRace('choose', row)),
      on(commandIds.keepResult, (row) => open().inRace('keep', row)),
      on(commandIds.endRace, (row) => open().inRace('end', row)),
      { dispose: () => opened?.dispose() },
    );
  },
};

function openLoaded(tree: TreeStub, { hosts, bundle, globalState }: ViewDeps): OpenedWorktrees {
  const module = loadBundle<WorktreesModule>(bundle('worktrees'), 'openWorktrees');
  return module.openWorktrees({ tree, host: hosts.local, pins: () => readPins(globalState) });
}

async function openFolder(row: unknown): Promise<void> {
  if (typeof row !== 'object' || row === null || !('id' in row) || typeof row.id !== 'string') return;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.parse(row.id), { forceNewWindow: true });
}
