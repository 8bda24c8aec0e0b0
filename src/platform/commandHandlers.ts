import * as vscode from 'vscode';

type Run = (...args: never[]) => unknown;

const handlers = new Map<string, Run>();

/** Handles a command that `package.json` contributes. VS Code has known it since activation, so it is not registered there again. */
export function onCommand(id: string, run: Run): vscode.Disposable {
  if (handlers.has(id)) throw new Error(`The command ${id} is handled twice.`);
  handlers.set(id, run);
  return new vscode.Disposable(() => handlers.delete(id));
}

/** Runs the handler of a command. @throws {Error} if there is none */
export function runCommand(id: string, args: readonly unknown[]): unknown {
  const run = handlers.get(id) as ((...args: readonly unknown[]) => unknown) | undefined;
  if (!run) throw new Error(`No code handles the command ${id}.`);
  return run(...args);
}
