import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { URI } from 'vscode-uri';
import { variableNames } from '../agents/index.ts';
import type { AgentProvider } from '../agents/provider.ts';
import { InstalledAgents } from '../agents/registry/installedAgents.ts';
import type { Host, HostDeps } from '../launch/host/hostContract.ts';
import { emptyFolder } from '../platform/children/emptyFolder.ts';
import { keysIn, namedValues } from '../platform/children/environment.ts';
import { sweepChildren } from '../platform/children/registry.ts';
import { PendingTimers } from '../platform/pendingTimers.ts';
import { KnownSecrets } from '../platform/redact.ts';
import type { Notice } from '../protocol/hostInfo.ts';
import { type ConnectionLimits, defaultLimits } from '../protocol/limits.ts';
import { ROOT } from '../protocol/uris.ts';
import type { WindowInfo } from '../protocol/window.ts';
import { FrameLink } from '../transport/frameLink.ts';
import type { MessageLink } from '../transport/link.ts';
import type { Changes } from './changes/changes.ts';
import { FileHolders } from './changes/fileHolders.ts';
import { openChanges } from './changes/openChanges.ts';
import { recordedFolders } from './changes/snapshots/insideFolders.ts';
import type { EffectDeps } from './context/effectDeps.ts';
import { type LateParts, openPrograms } from './context/openPrograms.ts';
import { pathOf } from './context/paths.ts';
import { Tokens } from './context/tokens.ts';
import { Effects } from './effects/effects.ts';
import { gatewayTools } from './gatewayTools.ts';
import { GatewayOffers, installsOf, providersOf } from './offeredAgents.ts';
import { Resources } from './resources/resources.ts';
import { askClient, CLIENT_LIMIT_MS } from './rpc/askClient.ts';
import { Clients } from './rpc/clients.ts';
import { Connection } from './rpc/connection.ts';
import type { ConnectionDeps } from './rpc/connectionDeps.ts';
import { Hub } from './rpc/hub.ts';
import { HostNotices } from './rpc/notices.ts';
import { RefreshLeases } from './rpc/refreshLeases.ts';
import { Telemetry } from './rpc/telemetry.ts';
import { aggregate } from './sessions/aggregate.ts';
import { narrowChats } from './sessions/directories.ts';
import { HostConfig } from './sessions/hostConfig.ts';
import { openTrees } from './sessions/openTrees.ts';
import type { Transfers } from './sessions/transfer/transfers.ts';
import { openSetUps } from './sessions/trees/openSetUps.ts';
import type { SetUpsDeps } from './sessions/trees/setUps.ts';
import { annotationsPersistence } from './state/annotationsPersistence.ts';
import { changesetPersistence } from './state/changesetPersistence.ts';
import { chatPersistence } from './state/chatPersistence.ts';
import { sessionPersistence } from './state/sessionPersistence.ts';
import { Store } from './state/store.ts';
import { openStorage } from './storage/hostStorage.ts';
import { type OpenSearch, TranscriptSearch } from './storage/search/transcriptSearch.ts';
import { Terminals } from './terminals/terminals.ts';
import { countAnnotations } from './turns/annotations.ts';
import { openLimits } from './turns/limits/openLimits.ts';

export interface HostOptions extends HostDeps {
  /** Instead of the agents that a window can use; for tests. */
  readonly providers?: (window: WindowInfo) => readonly AgentProvider[];
  /** How long a client may take to answer the host, instead of {@link CLIENT_LIMIT_MS}; for tests. */
  readonly clientLimitMs?: number;
  /** Receives the storage once it is open; for tests, which fill its disk for example. */
  readonly onStorage?: (storage: ReturnType<typeof openStorage>) => void;
  /** Receives the store before the journal is replayed. For tests. */
  readonly onStore?: (store: Store) => void;
  /** Replaces the thread. For tests. */
  readonly openSearch?: OpenSearch;
}

/** The host of one user on one machine: store, agents and connections. The caller holds the lock of `dataDir`. */
export async function openHost(options: HostOptions): Promise<Host> {
  const late: LateParts = { store: () => state.store, connections: () => effects.turns.connections };
  const base: Base = { ...openBase(options, late), offers: new GatewayOffers() };
  const state: HostState = openState(options, base, () => effects);
  const { dataDir } = options;
  const { connections, children } = base;
  const { store, clients } = state;
  const deps = effectDepsOf(options, base, state, () => terminals);
  store.replaceState('root', ROOT, (it) => ({ ...it, activeSessions: base.storage.sessions.count() }));
  const config = new HostConfig(store, base.storage);
  const windowsNow = () => [...connections].filter((it) => it.answersForPerson);
  const resources: Resources = new Resources({
    effects: deps,
    dataDir: realpathSync(dataDir),
    hasWindow: () => windowsNow().length > 0,
    questionsChanged: (items) => windowsNow().forEach((it) => void it.sendQuestions(items)),
    askClient: deps.askClient,
  });
  const terminals: Terminals = new Terminals({
    effects: deps,
    dataDir: realpathSync(dataDir),
    children,
    mostOutput: () => config.terminalOutput,
    isConnected: (clientId) => clients.get(clientId)?.connection !== undefined,
  });
  const effects: Effects = new Effects({ effectDeps: deps, config, terminals, resources }, () => clients.connected());
  base.offers.follow(options.gateway, () => effects.agents.refresh());
  state.changes.collect().catch((thrown: unknown) => deps.report(deps.newId(), thrown));
  return serve(options, { ...base, ...state, deps, config, resources, terminals, effects });
}

/** Clock, log, processes and the database: what there is before anything is known of sessions. */
function openBase(options: HostOptions, late: LateParts) {
  const { dataDir, build } = options;
  const { clock } = options.runtime;
  const timers = new PendingTimers(options.runtime.timers);
  const telemetry: Telemetry = new Telemetry({
    build,
    clock,
    timers,
    // Nobody subscribes before the store is there.
    store: { onWritten: (it) => late.store().onWritten(it), metadata: (channel) => late.store().metadata(channel) },
  });
  const log = telemetry.over(options.runtime.log);
  const connections = new Set<Connection>();
  const notices = new HostNotices(() => connections);
  const registry = join(dataDir, 'children.json');
  const ended = sweepChildren(registry);
  if (ended > 0) log.warn({ ended }, 'stopped processes that an earlier host left running');
  const programs = openPrograms(registry, { dataDir, clock, timers }, late);
  const storage = openStorage({
    dataDir,
    now: clock.now(),
    onDamage: () => notices.damaged(),
    warn: (message) => log.warn({ message }, 'the database reported an error'),
  });
  if (storage.setAside !== undefined) notices.setAside(URI.file(storage.setAside).toString());
  options.onStorage?.(storage);
  const transcripts = new TranscriptSearch({
    dataDir,
    timers,
    turnChanges: storage.turnChanges,
    ...(options.openSearch && { open: options.openSearch }),
    warn: (message) => log.warn({ message }, 'the transcript index could not be updated'),
  });
  const installed = new InstalledAgents(dataDir);
  const secrets = new KnownSecrets();
  const hide = (secret: string): void => {
    log.hide(secret);
    secrets.hide(secret);
  };
  return { timers, telemetry, log, connections, notices, ...programs, storage, transcripts, installed, secrets, hide };
}
type Base = ReturnType<typeof openBase> & { readonly offers: GatewayOffers };

interface HostState {
  readonly store: Store;
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly leases: RefreshLeases;
  readonly clients: Clients;
  readonly changes: Changes;
}

/** States and who mirrors them: the store, the hub, the clients and their tokens, the changes on disk. */
function openState(options: HostOptions, base: Base, effects: () => Effects): HostState {
  const { clock, newId } = options.runtime;
  const { timers, log, storage, hide } = base;
  const store: Store = openStore(options, base, { hub: () => hub, effects });
  const hub: Hub = new Hub(store);
  options.onStore?.(store);
  store.replay();
  const tokens: Tokens = new Tokens({
    ofAgents: () => store.root.agents.flatMap((it) => it.protectedResources ?? []),
    notify: (clientId, method, params) =>
      (clients.get(clientId)?.connection as Connection | undefined)?.peer.sendNotification(method, params),
    hide,
    timers,
  });
  const clients = new Clients(timers, (it) => tokens.forget(it));
  const changes = openChanges({
    dataDir: options.dataDir,
    store,
    references: {
      remember: (session, sha, size) => store.writeRows(() => storage.small.rememberContent(session, sha, size)),
      forget: (session) => storage.small.forgetContent(session),
      isUsed: (sha) => storage.small.usesContent(sha),
      sizeOf: (sha) => storage.small.sizeOfContent(sha),
    },
    changesetsOf: (session) => storage.changesets.ofSession(session),
    foldersOf: (session) => {
      const uris = store.state('session', session)?.workingDirectories ?? [];
      return recordedFolders(uris.map((it) => pathOf(it)).filter((it) => it !== undefined));
    },
    onTotal: (session, total) => effects().onTotalChanged(session, total),
    env: process.env,
    clock,
    report: (thrown) => log.report(newId(), thrown),
    isWatched: (channel) => hub.hasSubscribers(channel),
    timers,
  });
  return { store, hub, tokens, leases: new RefreshLeases(newId, timers), clients, changes };
}

function openStore(
  { runtime }: HostOptions,
  { storage, log, notices }: Base,
  { hub, effects }: { readonly hub: () => Hub; readonly effects: () => Effects },
): Store {
  const store: Store = new Store({
    storage,
    clock: runtime.clock,
    persistence: {
      session: sessionPersistence,
      chat: chatPersistence,
      changeset: changesetPersistence,
      annotations: annotationsPersistence,
    },
    derive: (change) => [
      ...aggregate(change, {
        session: (uri) => store.state('session', uri),
        usage: (uri) => store.metadata(uri)?.usage,
        isWatched: (channel) => hub().hasSubscribers(channel),
      }),
      ...narrowChats(change),
      ...countAnnotations(change, (channel) => store.state('annotations', channel)),
    ],
    schedule(work, delayMs) {
      // The store writes what it has when it is closed, after the other timers ended.
      if (delayMs === 0) runtime.timers.soon(work);
      else runtime.timers.after(delayMs, work);
    },
    onTrouble: (fault) => {
      if (fault) log.error({ thrown: fault, cause: fault.cause }, 'changes could not be written');
      notices.trouble(fault?.failure);
    },
    isPinned: (channel) => channel === ROOT || hub().hasSubscribers(channel) || effects().isInUse(channel),
  });
  return store;
}

function effectDepsOf(options: HostOptions, base: Base, state: HostState, terminals: () => Terminals): EffectDeps {
  const { gateway } = options;
  const { clock, newId, random } = options.runtime;
  const { timers, log, storage, secrets, hide, children, sandboxes, installed, offers } = base;
  const { store, hub, tokens, clients, changes } = state;
  const shared: SetUpsDeps = {
    store,
    storage,
    newId,
    report: (id, thrown) => log.report(id, thrown),
    commands: { run: (request) => terminals().run(request) },
  };
  return {
    ...shared,
    ...openLimits({ ...shared, gateway, clock, timers }),
    setUps: openSetUps(shared),
    sandboxes,
    clock,
    timers,
    random,
    secrets,
    providers: options.providers ?? providersOf(children, { timers, newId }, installed, offers),
    whyMissing: (provider) => installed.whyMissing(provider) ?? offers.whyMissing(provider),
    changes,
    fileHolders: new FileHolders(),
    tokens,
    children,
    emptyFolder: () => emptyFolder(options.dataDir),
    hide,
    ...(options.toolProgram && { asProgram: options.toolProgram }),
    sessionTools: gatewayTools({ gateway, hide, report: (it) => log.report(newId(), it), store }),
    latencyMs: (channel) => hub.latencyMs(channel),
    isWatched: (channel) => hub.hasSubscribers(channel),
    isLooking: (clientId, channel) => clients.get(clientId)?.baselines.has(channel) === true,
    askClient: (clientId, method, params, more) =>
      askClient(clients, clientId, method, params, { timeoutMs: options.clientLimitMs ?? CLIENT_LIMIT_MS, ...more }),
    notifyRoot: (method, params) => hub.notifyRoot(method, params),
    dropChannel(channel) {
      hub.dropChannel(channel);
      clients.dropChannel(channel);
    },
  };
}

interface HostParts extends Base, HostState {
  readonly deps: EffectDeps;
  readonly config: HostConfig;
  readonly resources: Resources;
  readonly terminals: Terminals;
  readonly effects: Effects;
}

/** What connections ask of the host, and the host as whoever started it has it. */
function serve(options: HostOptions, parts: HostParts): Host {
  const { clients, connections, effects, leases, notices, children, resources, terminals, store, timers, hub } = parts;
  const { clock, newId } = options.runtime;
  const windows: ConnectedWindows = { idleExitMinutes: undefined, seen: [] };
  const own = { pid: process.pid, role: 'host', title: 'Switchboard', startedAt: clock.now() } as const;
  const hostProcess = () => ({ ...own, memoryBytes: process.memoryUsage.rss() });
  let transfers: Promise<Transfers> | undefined;
  const openTransfers = () => {
    transfers ??= import('./sessions/transfer/transfers.ts').then(
      (it) => new it.Transfers({ ...parts.deps, redactor: parts.telemetry.redactor }),
    );
    return transfers;
  };
  const connectionDeps: ConnectionDeps = {
    ...parts,
    ...openTrees({
      ...parts.deps,
      endTurns: (it) => effects.sessions.endTurns(it),
      requester: (it) => effects.runtimes.requester(it),
    }),
    transfers: openTransfers,
    elsewhere: async () => (await import('./sessions/elsewhere/elsewhere.ts')).elsewhereOf(parts.deps, effects),
    authors: async () => (await import('./sessions/authors/authors.ts')).authorsOf(parts.deps),
    build: options.build,
    newId,
    clock,
    notices: () => notices.all,
    processes: () => [hostProcess(), ...children.list()],
    isBusy: () => effects.turns.isBusy,
    agentInstalls: installsOf({ ...parts, clock, newId }),
    stopRequested: options.onStopRequested,
    windowsChanged: () => windowsChanged(parts, windows),
    gateway: options.gateway,
    documents: options.documents,
    closed(connection) {
      connections.delete(connection);
      leases.holderClosed(connection);
      void transfers?.then((it) => it.leave(connection));
      if (!connection.hasClient) return;
      const { client } = connection;
      effects.onClosed(client, (channel) => {
        const now = clients.get(client.clientId);
        return now?.connection !== undefined && now.baselines.has(channel);
      });
    },
  };
  const connect = (link: MessageLink, limits: ConnectionLimits, credential?: string): void => {
    const connection = new Connection(link, connectionDeps, limits, credential);
    connections.add(connection);
    connection.listen();
  };
  return {
    attach(stream, { limits = defaultLimits }) {
      const { messageBytes: maxMessageBytes, queueBytes: maxQueueBytes, jsonDepth: maxDepth } = limits;
      connect(new FrameLink(stream, { timers, maxMessageBytes, maxQueueBytes, maxDepth }), limits);
    },
    attachLink: (link, { limits, credential }) => connect(link, limits, credential),
    isBusy: () => effects.turns.isBusy,
    onIdle: (listener) => effects.turns.onIdle(listener),
    setNotices: (items: readonly Notice[]) => notices.setOthers(items),
    get idleExitMinutes() {
      return windows.idleExitMinutes;
    },
    get clients() {
      return connections.size;
    },
    async close() {
      resources.close();
      await terminals.close();
      await effects.close();
      await options.gateway?.close();
      await children.stopAll();
      store.close();
      timers.close();
      for (const connection of connections) connection.peer.close('the host is stopping');
      clients.close();
      hub.close();
      await parts.transcripts.close();
      await parts.storage.close();
    },
  };
}

interface ConnectedWindows {
  idleExitMinutes: number | undefined;
  /** Those of the last change, each once. */
  seen: readonly (WindowInfo | undefined)[];
}

/** A window came, went, or has other settings, agents or trust. */
function windowsChanged(parts: HostParts, windows: ConnectedWindows): void {
  const { clients, effects, config, deps, storage, log, hide } = parts;
  // The one that came last counts where two have an agent of one name. Many clients of one server have the same window.
  const connected = clients.connected();
  const all = [...new Set(connected.map((it) => it.window).toReversed())];
  if (all.length === windows.seen.length && all.every((it, at) => it === windows.seen[at])) return;
  windows.seen = all;
  const known = connected.flatMap((it) => (it.window ? [it.window] : []));
  for (const { env, agents } of known) {
    for (const value of namedValues(env, variableNames(agents))) log.hide(value);
    for (const key of keysIn(env)) hide(key);
  }
  if (known.length > 0) windows.idleExitMinutes = Math.max(...known.map((it) => it.idleExitMinutes));
  storage.setDurability(durabilityOf(clients));
  if (windows.idleExitMinutes !== undefined)
    config.show({ idleExitMinutes: windows.idleExitMinutes, durability: durabilityOf(clients) });
  effects.agents.refresh();
  deps.places.look();
  // A folder may be trusted now.
  for (const it of connected) for (const channel of it.baselines) effects.onSubscribed(it, channel);
}

/** One window that wants to survive a power cut is enough. */
function durabilityOf(clients: Clients): 'normal' | 'full' {
  return clients.connected().some((it) => it.window?.durability === 'full') ? 'full' : 'normal';
}
