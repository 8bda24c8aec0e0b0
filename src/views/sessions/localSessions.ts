import * as vscode from 'vscode';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import { ROOT } from '../../../sidecar/protocol/uris.ts';
import type { SessionCatalogue } from '../../client/catalogue.ts';
import type { HostClient } from '../../client/hostClient.ts';
import type { ChannelView } from '../../client/port.ts';
import { nowMs } from '../../platform/clock.ts';
import type { SessionsInput } from './nodes.ts';
import { type HostFailure, type NoticeRow, noticeRows } from './notices.ts';
import { type SessionsSource, SessionsTree } from './provider.ts';

export interface LocalSessionsDeps {
  readonly client: HostClient;
  readonly catalogue: SessionCatalogue;
  /** Why the host could not be started, when that was given up. */
  readonly hostFailure: () => HostFailure | undefined;
  readonly hasChosenFolder: () => boolean;
  readonly settingProblems: () => readonly string[];
  /** Host state, settings, folders or trust changed. */
  readonly onDidChangeWindow: (listener: () => void) => { dispose(): void };
}

/** The sessions of the host of this machine, with what the window has to say of it. */
export function localSessions(deps: LocalSessionsDeps): SessionsTree {
  const root = rootOf(deps.client);
  return new SessionsTree({
    read: () => readSessions(deps, root.shown()),
    onDidChange: (listener) => vscode.Disposable.from(root, followSessions(deps, root.onDidChange, listener)),
  });
}

/** The root channel is opened with the first connection, because opening it earlier would start the host. */
function rootOf(client: HostClient) {
  const changed = new vscode.EventEmitter<void>();
  let view: ChannelView<RootState> | undefined;
  const connected = client.onDidConnect(() => {
    if (view) return;
    view = client.open<RootState>(ROOT);
    view.onDidChange(() => changed.fire());
  });
  return {
    shown: () => view?.shown,
    onDidChange: changed.event,
    dispose() {
      connected.dispose();
      view?.dispose();
      changed.dispose();
    },
  };
}

function readSessions(deps: LocalSessionsDeps, root: RootState | undefined): SessionsInput {
  const { catalogue } = deps;
  return {
    sessions: catalogue.sessions,
    hasMore: catalogue.hasMore,
    terminals: root?.terminals ?? [],
    clientId: deps.client.clientId,
    isLoaded: catalogue.isLoaded && root !== undefined,
    hasFolder: (vscode.workspace.workspaceFolders ?? []).length > 0,
    notices: catalogue.isLoaded ? readNotices(deps, root) : [],
    agents: (root?.agents ?? []).map((it) => it.displayName),
    nowMs: nowMs(),
  };
}

function readNotices(deps: LocalSessionsDeps, root: RootState | undefined): NoticeRow[] {
  return noticeRows(vscode.l10n, {
    hostFailure: deps.hostFailure(),
    host: deps.client.notices,
    sessions: deps.catalogue.sessions,
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ name }) => ({ name })),
    hasChosenFolder: deps.hasChosenFolder(),
    settingProblems: deps.settingProblems(),
    takesSeveralFolders: (root?.agents ?? []).every((it) => it.capabilities?.multipleWorkingDirectories !== undefined),
  });
}

function followSessions(
  deps: LocalSessionsDeps,
  onDidChangeRoot: vscode.Event<void>,
  listener: Parameters<SessionsSource['onDidChange']>[0],
): vscode.Disposable {
  const anything = () => listener(undefined);
  return vscode.Disposable.from(
    { dispose: deps.catalogue.onDidChange(listener).dispose },
    { dispose: deps.client.onNotification('x-switchboard/noticesChanged', anything).dispose },
    { dispose: deps.onDidChangeWindow(anything).dispose },
    onDidChangeRoot(anything),
  );
}
