import * as vscode from 'vscode';
import type { HostPort } from '../client/port.ts';
import { fileName } from '../client/texts.ts';

/** A session was deleted, and its own worktree was not, because of what is in it: shows where that is. */
export function notifyKeptTrees(port: Pick<HostPort, 'onNotification'>): vscode.Disposable {
  const stop = port.onNotification('root/sessionRemoved', ({ _meta }) => {
    const kept = _meta?.['worktreeKept'];
    if (typeof kept === 'string' && vscode.window.state.focused) void notify(vscode.Uri.parse(kept));
  });
  return { dispose: stop.dispose };
}

async function notify(tree: vscode.Uri): Promise<void> {
  const open = vscode.l10n.t('Open Folder');
  const text = vscode.l10n.t('The worktree {0} was kept because it has uncommitted changes.', fileName(tree.path));
  const picked = await vscode.window.showInformationMessage(text, open);
  if (picked === open) await vscode.commands.executeCommand('vscode.openFolder', tree, { forceNewWindow: true });
}
