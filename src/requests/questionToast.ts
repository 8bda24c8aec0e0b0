import * as vscode from 'vscode';

/**
 * Shows a notification that asks the person something. A message cannot be closed by code, but a progress notification can.
 * @param putOff called when the person selects **Later**, which also closes it
 * @returns closes it
 */
export function showQuestion(title: string, putOff: () => void): () => void {
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: laterButton() };
  void vscode.window.withProgress(options, (progress, later) => {
    // A running bar would suggest that work is in progress, but this waits for the person.
    progress.report({ increment: 100 });
    later.onCancellationRequested(() => {
      putOff();
      close();
    });
    return closed;
  });
  return close;
}

/**
 * A notification without a button is one cut line, and nobody may allow a command that is cut off. The editor names the
 * button by a text that stands here; one that does not know that shows "Cancel", which does the same.
 */
function laterButton(): boolean {
  return vscode.l10n.t('Later') as unknown as boolean;
}
