import * as vscode from 'vscode';

/** Commands that do nothing but fetch the real ones, which take their place, and run again. */
export function registerCommandStubs(ids: readonly string[], wake: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    ...ids.map((id) =>
      vscode.commands.registerCommand(id, (...args: readonly unknown[]) => {
        wake();
        return vscode.commands.executeCommand(id, ...args);
      }),
    ),
  );
}
