import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { URI } from 'vscode-uri';
import { providersFor, variableNames } from '../agents/index.ts';
import type { AgentProvider } from '../agents/provider.ts';
import type { Host, HostDeps } from '../launch/host/hostContract.ts';
import { type Children, openChildren } from '../platform/children/children.ts';
import { emptyFolder } from '../platform/children/emptyFolder.ts';
import { keysIn, namedValues } from '../platform/children/environment.ts';
import { sweepChildren } from '../platform/children/registry.ts';
import { KnownSecrets } from '../platform/redact.ts';
import type { Timers } from '../platform/timers.ts';
import { ROOT } from '../protocol/uris.ts';
import type { Notice, WindowInfo } from '../protocol/window.ts';
import { openChanges } from './changes/openChanges.ts';
import { recordedFolders } from './changes/snapshots/insideFolders.ts';
import type { EffectDeps } from './context/effectDeps.ts';
import { pathOf } from './context/paths.ts';
import { Tokens } from './context/tokens.ts';
import { Effects } from './effects/effects.ts';
import { gatewayTools } from './gatewayTools.ts';
import { Resources } from './resources/resources.ts';
import { askClient } from './rpc/askClient.ts';
import { Clients } from './rpc/clients.ts';
import { Connection } from './rpc/connection.ts';
import { Hub } from './rpc/hub.ts';
import { HostNotices } from './rpc/notices.ts';
import { RefreshLeases } from './rpc/refreshLeases.ts';
import type { HostServices } from './rpc/services.ts';
import { Telemetry } from './rpc/telemetry.ts';
import { aggregate } from './sessions/aggregate.ts';
import { narrowChats } from './sessions/directories.ts';
import { HostConfig } from './sessions/hostConfig.ts';
import { annotationsPersistence } from './state/annotationsPersistence.ts';
import { changesetPersistence } from './state/changesetPersistence.ts';
import { chatPersistence } from './state/chatPersistence.ts';
import { sessionPersistence } from './state/sessionPersistence.ts';
import { Store } from './state/store.ts';
import { openStorage } from './storage/hostStorage.ts';
import { Terminals } from './terminals/terminals.ts';
import { countAnnotations } from './turns/annotations.ts';

export interface HostOptions extends HostDeps {
  /** Instead of the agents that a window can use; for tests. */
  readonly providers?: (window: WindowInfo) => readonly AgentProvider[];
  /** How long a client may take to answer the host, instead of {@link CLIENT_LIMIT_MS}; for tests. */
  readonly clientLimitMs?: number;
  /** Receives the storage once it is open; for tests, which fill its disk for example. */
  readonly onStorage?: (storage: ReturnType<typeof openStorage>) => void;
}

/** The host of one user on one machine: store, agents and connections. The caller holds the lock of `dataDir`. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { dataDir, build } = options;
  const { clock, newId, random } = options.runtime;
  const timers = new PendingTimers(options.runtime.timers);
  const telemetry: Telemetry = new Telemetry({
    build,
    nowMs: clock.nowMs,
    timers,
    // The store is made below, and nobody subscribes before.
    store: { onWritten: (listener) => store.onWritten(listener), metadata: (channel) => store.metadata(channel) },
  });
  const log = telemetry.over(options.runtime.log);
  const notices = new HostNotices(() => connections);
  const connections = new Set<Connection>();
  const registry = join(dataDir, 'children.json');
  const ended = sweepChildren(registry);
  if (ended > 0) log.warn({ ended }, 'ended what an earlier host left behind');
  const children = openChildren(registry, clock.now);

  const storage = openStorage({
    dataDir,
    now: clock.now(),
    onDamage: () => notices.damaged(),
    warn: (message) => log.warn({ message }, 'the database made trouble'),
  });
  if (storage.setAside !== undefined) notices.setAside(URI.file(storage.setAside).toString());
  options.onStorage?.(storage);

  const store: Store = new Store({
    storage,
    now: clock.now,
    persistence: {
      session: sessionPersistence,
      chat: chatPersistence,
      changeset: changesetPersistence,
      annotations: annotationsPersistence,
    },
    derive: (change) => [
      ...aggregate(change, {
        session: (uri) => store.state('session', uri),
        isWatched: (channel) => hub.hasSubscribers(channel),
      }),
      ...narrowChats(change),
      ...countAnnotations(change, (channel) => store.state('annotations', channel)),
    ],
    schedule(work, delayMs) {
      // The store writes what it has when it is closed, after the other timers ended.
      const { soon, after } = options.runtime.timers;
      if (delayMs === 0) soon(work);
      else after(delayMs, work);
    },
    onTrouble: (fault) => {
      if (fault) log.error({ thrown: fault, cause: fault.cause }, 'a tick could not be written');
      notices.trouble(fault?.failure);
    },
    isPinned: (channel) => channel === ROOT || hub.hasSubscribers(channel) || effects.isInUse(channel),
  });
  const hub: Hub = new Hub(store);
  store.replay();
  const secrets = new KnownSecrets();
  const hide = (secret: string): void => {
    log.hide(secret);
    secrets.hide(secret);
  };
  const tokens: Tokens = new Tokens({
    ofAgents: () => store.root.agents.flatMap((it) => it.protectedResources ?? []),
    notify: (clientId, method, params) =>
      (clients.get(clientId)?.connection as Connection | undefined)?.peer.sendNotification(method, params),
    hide,
    timers,
  });
  const leases = new RefreshLeases(newId, timers);
  const clients = new Clients(timers, (it) => tokens.forget(it));
  const changes = openChanges({
    dataDir,
    store,
    references: {
      remember: (session, sha, size) => store.writeRows(() => storage.small.rememberContent(session, sha, size)),
      forget: (session) => storage.small.forgetContent(session),
      isUsed: (sha) => storage.small.usesContent(sha),
    },
    changesetsOf: (session) => storage.changesets.ofSession(session),
    foldersOf: (session) => {
      const uris = store.state('session', session)?.workingDirectories ?? [];
      return recordedFolders(uris.map((it) => pathOf(it)).filter((it) => it !== undefined));
    },
    onTotal: (session, total) => effects.onTotalChanged(session, total),
    env: process.env,
    durability: () => durabilityOf(clients),
    nowMs: clock.nowMs,
    report: (thrown) => log.report(newId(), thrown),
    isWatched: (channel) => hub.hasSubscribers(channel),
    timers,
  });
  const effectDeps: EffectDeps = {
    store,
    storage,
    now: clock.now,
    nowMs: clock.nowMs,
    timers,
    newId,
    random,
    report: (id, thrown) => log.report(id, thrown),
    secrets,
    providers: options.providers ?? providersOf(children, timers),
    changes,
    tokens,
    children,
    emptyFolder: () => emptyFolder(dataDir),
    hide,
    ...(options.toolProgram && { asProgram: options.toolProgram }),
    sessionTools: gatewayTools({ gateway: options.gateway, hide, report: (thrown) => log.report(newId(), thrown) }),
    latencyMs: (channel) => hub.latencyMs(channel),
    isWatched: (channel) => hub.hasSubscribers(channel),
    isLooking: (clientId, channel) => clients.get(clientId)?.baselines.has(channel) === true,
    askClient: (clientId, method, params) => askClient(clients, clientId, method, params, options.clientLimitMs),
    notifyRoot: (method, params) => hub.notifyRoot(method, params),
    dropChannel(channel) {
      hub.dropChannel(channel);
      clients.dropChannel(channel);
    },
  };
  store.replaceState('root', ROOT, (state) => ({ ...state, activeSessions: storage.sessions.count() }));
  const config = new HostConfig(store, storage);
  const windowsNow = () => [...connections].filter((it) => it.answersForPerson);
  const resources: Resources = new Resources({
    effects: effectDeps,
    dataDir: realpathSync(dataDir),
    hasWindow: () => windowsNow().length > 0,
    questionsChanged: (items) => windowsNow().forEach((it) => void it.sendQuestions(items)),
    askClient: (clientId, method, params) => askClient(clients, clientId, method, params, options.clientLimitMs),
  });
  const terminals: Terminals = new Terminals({
    effects: effectDeps,
    dataDir: realpathSync(dataDir),
    children,
    mostOutput: () => config.terminalOutput,
    isConnected: (clientId) => clients.get(clientId)?.connection !== undefined,
  });
  const effects: Effects = new Effects({ deps: effectDeps, config, terminals, resources }, () => clients.connected());
  changes.collect().catch((thrown: unknown) => log.report(newId(), thrown));
  const windows = { idleExitMinutes: undefined as number | undefined };
  const services: HostServices = {
    store,
    storage,
    hub,
    clients,
    effects,
    resources,
    terminals,
    telemetry,
    tokens,
    leases,
    log,
    hide,
    build,
    timers,
    newId,
    now: clock.now,
    notices: () => notices.all,
    processes: () => [hostProcess(), ...children.list()],
    isBusy: () => effects.turns.isBusy,
    stopRequested: options.onStopRequested,
    windowsChanged() {
      const known = clients.connected().flatMap((it) => (it.window ? [it.window] : []));
      for (const { env, agents } of known) {
        for (const value of namedValues(env, variableNames(agents))) log.hide(value);
        for (const key of keysIn(env)) hide(key);
      }
      if (known.length > 0) windows.idleExitMinutes = Math.max(...known.map((it) => it.idleExitMinutes));
      storage.setDurability(durabilityOf(clients));
      if (windows.idleExitMinutes !== undefined)
        config.show({ idleExitMinutes: windows.idleExitMinutes, durability: durabilityOf(clients) });
      effects.agents.refresh();
      // A folder may be trusted now.
      for (const it of clients.connected()) for (const channel of it.baselines) effects.onSubscribed(it, channel);
    },
    gateway: options.gateway,
    documents: options.documents,
    closed(connection) {
      connections.delete(connection);
      leases.gone(connection);
      if (!connection.hasClient) return;
      const { client } = connection;
      effects.onClosed(client, (channel) => {
        const now = clients.get(client.clientId);
        return now?.connection !== undefined && now.baselines.has(channel);
      });
    },
  };
  const startedAt = clock.now();
  const hostProcess = () =>
    ({
      pid: process.pid,
      role: 'host',
      title: 'Switchboard',
      startedAt,
      memoryBytes: process.memoryUsage.rss(),
    }) as const;

  return {
    attach(stream, { limits, credential }) {
      const connection = new Connection(stream, services, limits, credential);
      connections.add(connection);
      connection.listen();
    },
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
      for (const connection of connections) connection.peer.close('the host leaves');
      clients.close();
      hub.close();
      await storage.close();
    },
  };
}

function providersOf(children: Children, timers: Timers): (window: WindowInfo) => readonly AgentProvider[] {
  const known = new WeakMap<WindowInfo, readonly AgentProvider[]>();
  return (window) => {
    const cached = known.get(window);
    if (cached) return cached;
    const { agents, env, runbooks } = window;
    const userRunbooks = runbooks === undefined ? undefined : URI.parse(runbooks).fsPath;
    const found = providersFor({ agents, env, wellKnown: true, children, timers, userRunbooks });
    known.set(window, found);
    return found;
  };
}

/** One window that wants to survive a power cut is enough. */
function durabilityOf(clients: Clients): 'normal' | 'full' {
  return clients.connected().some((it) => it.window?.durability === 'full') ? 'full' : 'normal';
}

/** Timers that end with the host. */
class PendingTimers implements Timers {
  readonly #timers: Timers;
  readonly #stops = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  readonly after = (delayMs: number, work: () => void): (() => void) => {
    const stopTimer = this.#timers.after(delayMs, () => {
      this.#stops.delete(stop);
      work();
    });
    const stop = this.#keep(stopTimer);
    return stop;
  };
  readonly every = (periodMs: number, work: () => void): (() => void) => this.#keep(this.#timers.every(periodMs, work));
  readonly soon = (work: () => void): (() => void) => this.#timers.soon(work);
  readonly wait = (delayMs: number, signal?: AbortSignal): Promise<void> => this.#timers.wait(delayMs, signal);
  readonly deadline = (delayMs: number): AbortSignal => this.#timers.deadline(delayMs);

  close(): void {
    for (const stop of [...this.#stops]) stop();
  }

  #keep(stopTimer: () => void): () => void {
    const stop = (): void => {
      this.#stops.delete(stop);
      stopTimer();
    };
    this.#stops.add(stop);
    return stop;
  }
}
