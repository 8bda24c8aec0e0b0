import * as vscode from 'vscode';
import { Redactor } from '../../sidecar/platform/redact.ts';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import type { CatalogueChange } from '../client/catalogue.ts';
import { nowMs } from '../platform/clock.ts';
import { type News, Newsreader } from './news.ts';
import { type SystemLevel, SystemNotifier } from './systemNotifier.ts';

export interface NotificationsDeps {
  /** Of the host of this machine. */
  readonly catalogue: {
    readonly sessions: readonly SessionSummary[];
    onDidChange(listener: (change: CatalogueChange) => void): { dispose(): void };
  };
  readonly config: {
    readonly settings: {
      readonly finished: 'never' | 'unfocusedOnly' | 'always';
      readonly systemNotifications: SystemLevel;
      readonly quietHours: string;
    };
  };
  readonly chats: { isVisible(session: string): boolean; open(session: string): void };
  readonly warn: (message: string) => void;
}

/** Tells what became of the sessions of this window's folders; of other folders, their windows tell. */
export function registerNotifications(deps: NotificationsDeps): vscode.Disposable {
  const reader = new Newsreader();
  const redactor = new Redactor();
  const notifier = new SystemNotifier({
    l10n: vscode.l10n,
    // Elsewhere a program of the system would show it on another machine.
    level: () => (isOnThisMachine() ? deps.config.settings.systemNotifications : 'off'),
    quietHours: () => deps.config.settings.quietHours,
    isFocused: () => vscode.window.state.focused,
    now: () => new Date(nowMs()),
    platform: process.platform,
    env: process.env,
    clean: (text) => redactor.text(text),
    warn: deps.warn,
  });
  const tell = (all: readonly News[]) => {
    const news = all.filter((it) => isOurs(it.session));
    if (news.length === 0) return;
    notifier.tell(news);
    for (const it of news) showEnd(it, deps);
  };
  tell(reader.read(deps.catalogue.sessions));
  const changes = deps.catalogue.onDidChange((change) =>
    tell(change.kind === 'session' ? reader.readOne(change.after) : reader.read(deps.catalogue.sessions)),
  );
  return vscode.Disposable.from({ dispose: changes.dispose }, notifier);
}

const isOnThisMachine = () => vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;

function isOurs({ workingDirectories }: SessionSummary): boolean {
  return (workingDirectories ?? []).some((it) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(it)));
}

/** The end of a turn in the window itself: a message that leaves by itself. */
function showEnd({ kind, session }: News, { config, chats }: NotificationsDeps): void {
  const when = config.settings.finished;
  if (kind === 'needsInput' || when === 'never') return;
  if (when === 'unfocusedOnly' ? vscode.window.state.focused : chats.isVisible(session.resource)) return;
  const title = session.title || vscode.l10n.t('New session');
  const open = vscode.l10n.t('Open Chat');
  const shown =
    kind === 'failed'
      ? vscode.window.showWarningMessage(vscode.l10n.t('The last turn of "{0}" failed.', title), open)
      : vscode.window.showInformationMessage(vscode.l10n.t('"{0}" is done.', title), open);
  void shown.then((picked) => {
    if (picked === open) chats.open(session.resource);
  });
}
