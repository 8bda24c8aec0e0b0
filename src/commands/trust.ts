import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';

/** Opens the editor's own page of trust, which lies over the window, and takes it away once the folder is trusted. */
export function registerTrust(): vscode.Disposable {
  let isOpen = false;
  return vscode.Disposable.from(
    onCommand(commandIds.manageTrust, () => {
      isOpen = true;
      return vscode.commands.executeCommand('workbench.trust.manage');
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (isOpen) void vscode.commands.executeCommand('workbench.action.closeModalEditor');
      isOpen = false;
    }),
  );
}
