import * as vscode from 'vscode';
import type { Build } from '../sidecar/protocol/hostInfo.ts';
import type { ActivationStubs, OpenedWindow } from './activation/stubs.ts';
import { registerAddAgent } from './agents/registerAddAgent.ts';
import { registerChangeCommands } from './changes/changeCommands.ts';
import { ContentFiles } from './changes/contentFiles.ts';
import { openMultiDiff, openPreview } from './changes/diffs.ts';
import { notifyKeptTrees } from './changes/keptTrees.ts';
import { registerReview } from './changes/registerReview.ts';
import { AnswerIds } from './client/answerIds.ts';
import { authorityOf } from './client/contentUris.ts';
import type { ApprovalsDeps, ApprovalsModule } from './commands/approvalsModule.ts';
import { FolderChoice, registerFolderCommands } from './commands/folders.ts';
import { LastUsed } from './commands/lastUsed.ts';
import { registerSessionCommands } from './commands/sessionCommands.ts';
import { registerTour } from './commands/tour.ts';
import { registerTrust } from './commands/trust.ts';
import { Tokens } from './config/tokens.ts';
import { registerDiagnostics } from './diagnostics/registerDiagnostics.ts';
import type { ParseJsonc } from './gateway/commands/editorFile.ts';
import type { GatewayModule } from './gateway/gatewayModule.ts';
import { openGateway } from './gateway/openGateway.ts';
import { openHosts, type Parts, registerHostState, wireHostCommands, wirePublicAddress } from './hosts/windowHosts.ts';
import { commandIds } from './manifest/manifest.ts';
import { registerNotifications } from './notifications/registerNotifications.ts';
import { nowMs } from './platform/clock.ts';
import { onCommand, runCommand } from './platform/commandHandlers.ts';
import { loadBundle } from './platform/loadBundle.ts';
import { registerRemoteHosts } from './remote/registerRemoteHosts.ts';
import { registerAccessQuestions } from './requests/accessToasts.ts';
import { registerAnswering } from './requests/answering.ts';
import { type OAuthModule, SignIn } from './requests/signIn.ts';
import { registerStatusBar } from './requests/statusBar.ts';
import { Toasts } from './requests/toasts.ts';
import type { HostState } from './sidecar/supervisor.ts';
import { registerTerminalCommands } from './terminals/terminalCommands.ts';
import { registerViews, treeOf } from './views/registerViews.ts';
import { SessionsDoor } from './views/sessions/door.ts';
import type { HostFailure } from './views/sessions/notices.ts';
import type { SessionsDeps, SessionsModule } from './views/sessions/sessionsModule.ts';
import { sessionsView } from './views/sessions/view.ts';
import type { AttachModule } from './webviews/chat/attach/attachModule.ts';
import { registerChat } from './webviews/chat/chatPanels.ts';
import type { ChatTextsModule, ChatTurnsModule } from './webviews/chat/turns/chatTurnsModule.ts';
import { Dashboard } from './webviews/gateway/dashboard.ts';

type JsoncModule = { readonly parse: ParseJsonc };

/** Put in by esbuild.mjs: the same in every bundle of one build. */
declare const __BUILD__: Build;

/**
 * Builds the parts of a window that somebody uses, and puts them where others waited for them. The host starts when a view
 * shows, a command needs it, or one runs already.
 */
export function openWindow(
  context: vscode.ExtensionContext,
  { trees, statusItem, hasHost, toolsChanged }: ActivationStubs,
): OpenedWindow {
  const parts = openHosts(context);
  const { log, warn, config, client, supervisor, catalogue, attention, hosts, changesets } = parts;
  const bundle = bundlesOf(context);
  const folders = new FolderChoice(context.workspaceState);
  const signIn = signInOf(parts, context);
  const chats = registerChat(context, {
    isHostStopped: () => failureOf(supervisor.state) === 'stopped',
    ensureSignedIn: (provider, host) => signIn.ensure(provider, host),
    port: client,
    catalogue,
    hostOf: (session) => hosts.of(session).id || undefined,
    elsewhere: (address) => remote.elsewhere(address),
    location: () => config.settings.chatLocation,
    folder: () => folders.folder,
    lastUsed: new LastUsed(context.workspaceState, folders),
    previewEdit: (edit, host) => void openPreview(edit, host),
    compareFiles: (title, files, host) => void openMultiDiff(title, files, host),
    turns: () => loadBundle<ChatTurnsModule>(bundle('chatturns'), 'openChatTurns'),
    texts: () => loadBundle<ChatTextsModule>(bundle('chattexts'), 'openChatTexts'),
    attach: () => loadBundle<AttachModule>(bundle('attach'), 'openAttaching'),
    warn,
  });
  const { gateway, dashboard } = openGatewayOf(parts, context, chats, toolsChanged);
  const onDidChangeWindow = (listener: () => void) =>
    vscode.Disposable.from(
      supervisor.onDidChangeState(listener),
      config.onDidChange(listener),
      folders.onDidChange(listener),
    );
  const answerIds = new AnswerIds(() => crypto.randomUUID());
  const { workspaceState, globalState } = context;
  const tree = treeOf(trees, sessionsView);
  const sessions = sessionsDoor(parts, context, { tree, chats, folders, answerIds, onDidChangeWindow });
  const review = reviewOf(parts, bundle('review'));
  const views = registerViews(
    trees,
    { hosts, changesets, answerIds, gateway: gateway.view, sessions, chats, bundle, workspaceState, globalState },
    () => supervisor.need(),
  );
  const remote = registerRemoteHosts({
    bundle: bundle('remote'),
    hosts,
    config,
    secrets: context.secrets,
    signedInTo: (address) => new Tokens(context.secrets, address),
    version: __BUILD__.version,
    tree: {
      view: sessions,
      get local() {
        return sessions.opened.local;
      },
      state: supervisor,
    },
    makeTree: (host, onDidChangeRoot) => sessions.opened.makeTree(host, onDidChangeRoot),
    warn,
  });

  context.subscriptions.push(
    log,
    config,
    parts.host,
    catalogue,
    attention,
    parts.root,
    views,
    remote,
    hosts,
    changesets,
    folders,
    gateway,
    dashboard,
    signIn,
    registerHostState(parts),
    review,
    registerQuestions(parts, statusItem, chats, review, answerIds),
    registerApprovals(parts, chats, bundle('approvals')),
    registerSessions(parts, chats, remote, bundle),
    registerTour(chats, context.extension.id),
    registerFolderCommands(folders),
    wirePublicAddress(parts, context),
    wireHostCommands(parts, context),
    registerAddAgent(bundle('addagent'), client, (provider) => chats.open(undefined, { provider })),
    wireDiagnostics(parts, context, { chats, gateway }),
  );
  if (hasHost) supervisor.need();
  return {
    pages: chats.pages,
    files: new ContentFiles((authority) => hosts.all.find((it) => authorityOf(it.id) === authority)?.client),
    dashboard,
    tools: gateway.tools,
    runCommand,
    need: () => supervisor.need(),
  };
}

/** The paths of bundles that are loaded later, by name. */
function bundlesOf(context: vscode.ExtensionContext): (name: string) => string {
  return (name) => context.asAbsolutePath(`dist/${name}.cjs`);
}

function failureOf(state: HostState): HostFailure | 'stopped' | undefined {
  if (state.kind === 'failed') return state;
  return state.kind === 'stopped' && state.byPerson ? 'stopped' : undefined;
}

type Chats = ReturnType<typeof registerChat>;

function signInOf({ hosts, warn }: Parts, context: vscode.ExtensionContext): SignIn {
  return new SignIn({
    hosts,
    tokensOf: (host) => new Tokens(context.secrets, host),
    oauth: () => loadBundle<OAuthModule>(bundlesOf(context)('oauth'), 'signInTo'),
    callbackUri: vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: context.extension.id, path: '/auth' }),
    nowMs,
    warn,
  });
}

function reviewOf({ hosts, changesets }: Parts, bundle: string) {
  return registerReview({
    port: hosts,
    catalogue: hosts,
    changesets,
    attention: hosts.attention,
    hostOf: (it) => hosts.of(it),
    bundle,
  });
}

/** The Sessions view, whose code is loaded when somebody looks at it. */
function sessionsDoor(
  { client, catalogue, root, hosts, supervisor, config, log }: Parts,
  context: vscode.ExtensionContext,
  {
    tree,
    chats,
    folders,
    answerIds,
    onDidChangeWindow,
  }: Pick<SessionsDeps, 'tree' | 'answerIds'> &
    Pick<SessionsDeps['local'], 'onDidChangeWindow'> & { chats: Chats; folders: FolderChoice },
): SessionsDoor {
  const bundle = bundlesOf(context)('sessions');
  return new SessionsDoor(tree, () =>
    loadBundle<SessionsModule>(bundle, 'openSessions').openSessions({
      tree,
      hosts,
      answerIds,
      workspaceState: context.workspaceState,
      globalState: context.globalState,
      chats,
      folders,
      log,
      local: {
        client,
        catalogue,
        root,
        hostFailure: () => failureOf(supervisor.state),
        hasChosenFolder: () => folders.isMade,
        settingProblems: () => config.problems,
        onDidChangeWindow,
      },
    }),
  );
}

/** The gateway as this window uses it, and its pages, which ask through it. */
function openGatewayOf(
  { client, catalogue, config, dataDir, warn }: Parts,
  context: vscode.ExtensionContext,
  chats: Chats,
  toolsChanged: ActivationStubs['toolsChanged'],
) {
  const bundle = bundlesOf(context);
  const gateway = openGateway({
    port: client,
    secrets: context.secrets,
    dataDir,
    settings: () => config.settings,
    onDidChangeSettings: (listener) => vscode.Disposable.from(config.onDidChange(listener)),
    show: (title, text) => chats.outputs.open(title, text),
    openDashboard: (query) => dashboard.open(query),
    titleOf: (session) => catalogue.get(session)?.title ?? '',
    parseJsonc: () => loadBundle<JsoncModule>(bundle('jsonc'), 'parse').parse,
    code: () => loadBundle<GatewayModule>(bundle('gateway'), 'routesOf'),
    toolsChanged,
    warn,
  });
  const dashboard = new Dashboard({
    extensionUri: context.extensionUri,
    baseUrl: async () => (await gateway.address()).baseUrl,
    ask: (request) => gateway.client.ask(request),
    wrote: () => void gateway.refresh(),
    warn,
  });
  return { gateway, dashboard };
}

/** Where a person sees that something waits, and answers it. */
function registerQuestions(
  { hosts, client, supervisor, config, warn }: Parts,
  statusItem: ActivationStubs['statusItem'],
  chats: Chats,
  review: ReturnType<typeof registerReview>,
  ids: AnswerIds,
): vscode.Disposable {
  const { attention } = hosts;
  const onDidChange = (listener: () => void) =>
    vscode.Disposable.from(
      { dispose: hosts.onDidChange(listener).dispose },
      { dispose: attention.onDidChange(listener).dispose },
      supervisor.onDidChangeState(listener),
    );
  return vscode.Disposable.from(
    registerStatusBar(statusItem, {
      sessions: () => hosts.sessions,
      pendingCount: () => attention.pending.length,
      host: () => {
        const failure = failureOf(supervisor.state);
        return failure === undefined ? 'running' : failure === 'stopped' ? 'stopped' : 'failed';
      },
      onDidChange,
    }),
    new Toasts({
      pending: () => attention.pending,
      onDidChangePending: attention.onDidChange,
      isVisible: (it) => chats.isVisible(it.request.chat) || review.isPreviewed(it),
      onDidChangeVisible: (listener) =>
        vscode.Disposable.from(chats.onDidChangeVisible(listener), vscode.window.tabGroups.onDidChangeTabs(listener)),
      idOf: (key) => ids.of(key),
      when: () => config.settings.inputNeeded,
    }),
    registerNotifications({ catalogue: hosts.local.catalogue, config, chats, warn }),
    registerAnswering({
      portOf: (session) => hosts.of(session).client,
      attention,
      ids,
      chats,
    }),
    registerAccessQuestions(client, warn),
  );
}

function registerApprovals({ hosts }: Parts, chats: Chats, bundle: string): vscode.Disposable {
  const deps: ApprovalsDeps = {
    hosts: () => hosts.all,
    openChat: (session, at) => chats.open(session, at),
    openText: (title, text, extension) => chats.outputs.open(title, text, extension),
  };
  const part = (member: keyof ApprovalsModule) => () => loadBundle<ApprovalsModule>(bundle, member)[member](deps);
  return vscode.Disposable.from(
    onCommand(commandIds.manageApprovals, part('manageApprovals')),
    onCommand(commandIds.showApprovalHistory, part('showApprovalHistory')),
  );
}

/** What a person does with sessions, their changes and their terminals. */
function registerSessions(
  { hosts, changesets, client }: Parts,
  chats: Chats,
  remote: ReturnType<typeof registerRemoteHosts>,
  bundle: ReturnType<typeof bundlesOf>,
): vscode.Disposable {
  const portOf = (session: string) => hosts.of(session).client;
  return vscode.Disposable.from(
    registerChangeCommands({
      port: hosts,
      catalogue: hosts,
      changesets,
      hostOf: (it) => hosts.of(it),
      reviewBundle: bundle('review'),
    }),
    notifyKeptTrees(client),
    registerSessionCommands({
      portOf,
      catalogue: hosts,
      chat: chats,
      choosePlace: (row) => remote.choosePlace(row),
      setBudget: (it) => loadBundle<SessionsModule>(bundle('sessions'), 'setBudget').setBudget(portOf(it.resource), it),
    }),
    registerTrust(),
    registerTerminalCommands({ hosts }),
  );
}

function wireDiagnostics(
  { hosts, host, supervisor, dataDir }: Parts,
  context: vscode.ExtensionContext,
  { chats, gateway }: { chats: Chats; gateway: ReturnType<typeof openGatewayOf>['gateway'] },
): vscode.Disposable {
  return registerDiagnostics(bundlesOf(context)('diagnostics'), {
    hosts,
    hostState: () => supervisor.state,
    tap: host.tap,
    gateway: () => gateway.view,
    dataDir,
    build: __BUILD__,
    secrets: context.secrets,
    extensionId: context.extension.id,
    show: (title, text) => chats.outputs.open(title, text),
  });
}
