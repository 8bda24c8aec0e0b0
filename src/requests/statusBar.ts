import * as vscode from 'vscode';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { countActivity, statusText } from './statusText.ts';

export interface StatusBarDeps {
  readonly sessions: () => readonly SessionSummary[];
  readonly pendingCount: () => number;
  readonly host: () => 'running' | 'stopped' | 'failed';
  readonly onDidChange: (listener: () => void) => { dispose(): void };
}

/** The one status bar item. Warns only when somebody waits for the person; a click opens the Inbox. */
export function registerStatusBar(item: vscode.StatusBarItem, deps: StatusBarDeps): vscode.Disposable {
  const update = () => {
    const counts = countActivity(deps.sessions(), deps.pendingCount());
    const { text, spoken } = statusText(vscode.l10n, { ...counts, host: deps.host() });
    item.text = `$(circuit-board) ${text}`;
    item.tooltip = spoken;
    item.accessibilityInformation = { label: `Switchboard: ${spoken}` };
    item.backgroundColor = counts.needsYou > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  };
  update();
  return vscode.Disposable.from(deps.onDidChange(update));
}
