import * as vscode from 'vscode';
import { commandIds } from '../manifest/manifest.ts';
import type { ChatSurface } from './chatSurface.ts';

/** The tour is a runbook of its own: it is taken in a real session, and everything in it is the real thing. */
export function registerTour(chat: ChatSurface): vscode.Disposable {
  return vscode.commands.registerCommand(commandIds.takeTour, () => {
    if (vscode.workspace.workspaceFolders?.length)
      chat.open(undefined, { provider: 'runbook', prompt: '/tour', send: true });
    else void vscode.commands.executeCommand(commandIds.openFolder);
  });
}
