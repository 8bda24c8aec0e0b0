import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import { onCommand } from '../platform/commandHandlers.ts';
import type { ChatSurface } from './chatSurface.ts';

/**
 * The two ways to get to know Switchboard: the walkthrough, which is a page of the editor, and the tour. The tour is a
 * runbook of its own: it is taken in a real session, and everything in it is the real thing.
 */
export function registerTour(chat: ChatSurface, extension: string): vscode.Disposable {
  return vscode.Disposable.from(
    onCommand(commandIds.takeTour, () => {
      if (vscode.workspace.workspaceFolders?.length)
        chat.open(undefined, { provider: 'runbook', prompt: '/tour', send: true });
      else void vscode.commands.executeCommand(commandIds.openFolder);
    }),
    onCommand(commandIds.openWalkthrough, () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension}#start`, false),
    ),
  );
}
