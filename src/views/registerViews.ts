import * as vscode from 'vscode';
import type { RootState } from '../../sidecar/protocol/channels/root/schema.ts';
import { hasFlag, status } from '../../sidecar/protocol/status.ts';
import { ROOT } from '../../sidecar/protocol/uris.ts';
import type { ActivationStubs } from '../activation/stubs.ts';
import type { TreeStub } from '../activation/treeStub.ts';
import type { AnswerIds } from '../client/answerIds.ts';
import type { Waiting } from '../client/attention.ts';
import type { CatalogueChange, SessionCatalogue, Sessions } from '../client/catalogue.ts';
import { type Changesets, changesetOf } from '../client/changesets.ts';
import type { HostClient } from '../client/hostClient.ts';
import type { ChannelView } from '../client/port.ts';
import { nowMs } from '../platform/clock.ts';
import { ChangesTree } from './changes/provider.ts';
import { lazyCustomizations } from './customizations/lazyCustomizations.ts';
import { type GatewaySource, GatewayTree } from './gateway/provider.ts';
import { InboxTree, inboxBadge } from './inbox/provider.ts';
import type { SessionsInput } from './sessions/nodes.ts';
import { type HostFailure, type NoticeRow, noticeRows } from './sessions/notices.ts';
import { SessionsTree } from './sessions/provider.ts';

export interface ViewsDeps {
  readonly trees: ActivationStubs['trees'];
  readonly client: HostClient;
  /** Of the host of this machine. */
  readonly catalogue: SessionCatalogue;
  /** Of all hosts. */
  readonly sessions: Sessions;
  readonly attention: Waiting;
  /** One-time ids of the answers in the Inbox. */
  readonly answerIds: AnswerIds;
  readonly changesets: Changesets;
  /** What the Gateway view shows; `look` fetches it again. */
  readonly gateway: GatewaySource & { look(): Promise<void> };
  /** The absolute path of `dist/customizations.cjs`. */
  readonly customizationsBundle: string;
  /** Called when a view comes into sight: the host is needed. */
  readonly need: () => void;
  /** Why the host could not be started, when that was given up. */
  readonly hostFailure: () => HostFailure | undefined;
  readonly hasChosenFolder: () => boolean;
  readonly settingProblems: () => readonly string[];
  /** Host state, settings, folders or trust changed. */
  readonly onDidChangeWindow: (listener: () => void) => { dispose(): void };
}

/** How often the Gateway view looks again while somebody can see it. */
const LOOK_MS = 10_000;

/** The trees. Each is drawn from what the client knows; none keeps state of its own. */
export function registerViews(deps: ViewsDeps): vscode.Disposable & { readonly sessions: SessionsTree } {
  const root = rootOf(deps.client);
  const sessions = new SessionsTree({
    read: () => readSessions(deps, root.shown()),
    onDidChange: (listener) => onDidChangeSessions(deps, root.onDidChange, listener),
  });
  const inbox = new InboxTree({
    get pending() {
      return deps.attention.pending;
    },
    idOf: (key) => deps.answerIds.of(key),
    onDidChange: deps.attention.onDidChange,
  });
  const changes = new ChangesTree({
    sessions: () => deps.sessions.sessions,
    look: (changeset) => deps.changesets.look(changeset),
    canRedo: (changeset) => canRedo(deps.changesets, changeset),
    canStage: (changeset) => canStage(deps.changesets, changeset),
    peek: (changeset) => deps.changesets.peek(changeset),
    // Files are named below the folders of their sessions too: those of a host elsewhere are not open here.
    folders: () => [...openFolders(), ...deps.sessions.sessions.flatMap((it) => it.workingDirectories ?? [])],
    onDidChange: (listener) => onDidChangeChanges(deps, listener),
  });
  const gateway = new GatewayTree(deps.gateway);
  const { trees, need } = deps;
  show(trees.sessions, sessions, need);
  show(trees.inbox, inbox, need);
  show(trees.changes, changes, need);
  trees.gateway.fill(gateway);
  needed(trees.customizations, need);
  const customizations = lazyCustomizations(deps.customizationsBundle, {
    tree: trees.customizations,
    port: deps.client,
    sessions: () => deps.catalogue.sessions.filter((it) => !hasFlag(it.status, status.IsArchived)),
    onDidChangeSessions: (listener) => deps.catalogue.onDidChange(listener),
  });
  const looking = setInterval(() => {
    if (trees.gateway.view.visible && deps.gateway.isAvailable) void deps.gateway.look();
  }, LOOK_MS);
  const badge = () => void (trees.inbox.view.badge = inboxBadge(deps.attention.pending.length));
  badge();
  const parts = vscode.Disposable.from(
    sessions,
    inbox,
    changes,
    gateway,
    customizations,
    { dispose: () => clearInterval(looking) },
    { dispose: deps.attention.onDidChange(badge).dispose },
    root,
  );
  return { sessions, dispose: () => parts.dispose() };
}

function show<T>(tree: TreeStub, provider: vscode.TreeDataProvider<T>, need: () => void): void {
  tree.fill(provider);
  needed(tree, need);
}

function needed(tree: TreeStub, need: () => void): void {
  if (tree.view.visible) need();
  tree.view.onDidChangeVisibility((it) => {
    if (it.visible) need();
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

function readSessions(deps: ViewsDeps, root: RootState | undefined): SessionsInput {
  const { catalogue } = deps;
  return {
    sessions: catalogue.sessions,
    hasMore: catalogue.hasMore,
    terminals: root?.terminals ?? [],
    clientId: deps.client.clientId,
    isLoaded: catalogue.isLoaded && root !== undefined,
    hasFolder: openFolders().length > 0,
    notices: catalogue.isLoaded ? readNotices(deps, root) : [],
    agents: (root?.agents ?? []).map((it) => it.displayName),
    nowMs: nowMs(),
  };
}

function readNotices(deps: ViewsDeps, root: RootState | undefined): NoticeRow[] {
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

function onDidChangeSessions(
  deps: ViewsDeps,
  onDidChangeRoot: vscode.Event<void>,
  listener: (change: CatalogueChange | undefined) => void,
): vscode.Disposable {
  const anything = () => listener(undefined);
  return vscode.Disposable.from(
    { dispose: deps.catalogue.onDidChange(listener).dispose },
    { dispose: deps.client.onNotification('x-switchboard/noticesChanged', anything).dispose },
    { dispose: deps.onDidChangeWindow(anything).dispose },
    onDidChangeRoot(anything),
  );
}

function onDidChangeChanges(deps: ViewsDeps, listener: (changeset: string | undefined) => void): vscode.Disposable {
  let sets = '';
  return vscode.Disposable.from(
    {
      dispose: deps.changesets.onDidChange((changeset) => {
        const now = setsText(deps);
        listener(now === sets ? changeset : undefined);
        sets = now;
      }).dispose,
    },
    {
      dispose: deps.sessions.onDidChange(() => {
        const now = setsText(deps);
        if (now === sets) return;
        sets = now;
        listener(undefined);
      }).dispose,
    },
  );
}

/** Everything that the rows of the sets show: the tree is drawn again only when it differs. */
function setsText({ sessions, changesets }: ViewsDeps): string {
  return sessions.sessions
    .map(({ resource, title, changes }) => {
      const counts = `${changes?.files ?? 0} ${changes?.additions ?? 0} ${changes?.deletions ?? 0}`;
      return `${resource} ${title} ${counts} ${canRedo(changesets, changesetOf(resource))} ${canStage(changesets, changesetOf(resource))}`;
    })
    .join('\n');
}

function canRedo(changesets: Changesets, changeset: string): boolean {
  const redo = changesets.peek(changeset)?.operations?.find((it) => it.id === 'redo');
  return redo !== undefined && redo.status !== 'disabled';
}

function canStage(changesets: Changesets, changeset: string): boolean {
  return changesets.peek(changeset)?.operations?.some((it) => it.id === 'stage' && it.status !== 'disabled') === true;
}

function openFolders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((it) => it.uri.toString());
}
