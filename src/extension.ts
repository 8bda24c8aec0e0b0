import type * as vscode from 'vscode';
import { nextTurn } from './activation/nextTurn.ts';

/**
 * VS Code runs the `activate()` functions of extensions one after the other, so ours returns at once and registers everything in
 * later turns. VS Code awaits the promise before it runs a command that is not registered yet. The module is imported here so that
 * its code also runs later.
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  await nextTurn();
  const { registerStubs } = await import('./activation/registerStubs.ts');
  await registerStubs(context);
}
