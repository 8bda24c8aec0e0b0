import * as vscode from 'vscode';
import type { RootState } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionCatalogue } from '../../client/catalogue.ts';
import type { HostClient } from '../../client/hostClient.ts';
import type { FollowedRoot } from '../../client/rootState.ts';
import { nowMs } from '../../platform/clock.ts';
import type { KeptArrangement } from './arrangement.ts';
import type { KeptConversations } from './elsewhere/keptConversations.ts';
import type { SessionsInput } from './nodes.ts';
import { type HostFailure, type NoticeRow, noticeRows } from './notices.ts';
import { openStateOf } from './openState.ts';
import { type SessionsSource, SessionsTree, type WaitingRequests } from './provider.ts';

export interface LocalSessionsDeps {
  readonly client: HostClient;
  readonly catalogue: SessionCatalogue;
  readonly root: Pick<FollowedRoot, 'shown' | 'onDidChange'>;
  /** Why the host could not be started, when that was given up, or that a person stopped it. */
  readonly hostFailure: () => HostFailure | 'stopped' | undefined;
  readonly hasChosenFolder: () => boolean;
  readonly settingProblems: () => readonly string[];
  /** Host state, settings, folders or trust changed. */
  readonly onDidChangeWindow: (listener: () => void) => { dispose(): void };
}

/** The sessions of the host of this machine, with what the window has to say of it. */
export function localSessions(
  deps: LocalSessionsDeps,
  arrangement: KeptArrangement,
  requests: WaitingRequests,
  kept: KeptConversations,
): SessionsTree {
  return new SessionsTree({
    requests,
    kept,
    read: () => readSessions(deps, arrangement),
    session: (uri) => deps.catalogue.get(uri),
    openState: (uri) => openStateOf(deps.client, uri),
    onDidChange: (listener) =>
      vscode.Disposable.from(
        followSessions(deps, listener),
        arrangement.onDidChange(() => listener(undefined)),
      ),
  });
}

function readSessions(deps: LocalSessionsDeps, arrangement: KeptArrangement): SessionsInput {
  const { catalogue } = deps;
  const root = deps.root.shown;
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    sessions: catalogue.sessions,
    hasMore: catalogue.hasMore,
    terminals: root?.terminals ?? [],
    clientId: deps.client.clientId,
    isLoaded: catalogue.isLoaded && root !== undefined,
    hasFolder: folders.length > 0,
    home: folders.length === 1 ? folders[0]?.uri.toString() : undefined,
    notices: catalogue.isLoaded ? readNotices(deps, root) : [],
    agents: root?.agents ?? [],
    arrangement: arrangement.now,
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
  listener: Parameters<SessionsSource['onDidChange']>[0],
): vscode.Disposable {
  const anything = () => listener(undefined);
  return vscode.Disposable.from(
    { dispose: deps.catalogue.onDidChange(listener).dispose },
    { dispose: deps.client.onNotification('x-switchboard/noticesChanged', anything).dispose },
    { dispose: deps.onDidChangeWindow(anything).dispose },
    { dispose: deps.root.onDidChange(anything).dispose },
  );
}
