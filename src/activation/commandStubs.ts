import * as vscode from 'vscode';
import { nextTurn } from './nextTurn.ts';
import type { OpenedWindow } from './stubs.ts';

/** While a slice is registered, the rest of the extension host waits. */
const SLICE = 20;

/**
 * Registers the commands that `package.json` contributes, in slices. The first command that is run loads what handles them all.
 * @returns a promise that VS Code awaits before it runs a command that is not registered yet
 */
export async function registerCommandStubs(
  ids: readonly string[],
  subscriptions: vscode.Disposable[],
  wake: () => Pick<OpenedWindow, 'runCommand'>,
): Promise<void> {
  for (let at = 0; at < ids.length; at += SLICE) {
    await nextTurn();
    for (const id of ids.slice(at, at + SLICE))
      subscriptions.push(
        vscode.commands.registerCommand(id, (...args: readonly unknown[]) => wake().runCommand(id, args)),
      );
  }
}
