import type { Runtime } from '../../../platform/runtime.ts';
import { legacyVersions } from '../../../protocol/gateway/mcpWire.ts';
import { Bridge } from './bridge/bridge.ts';
import { type Discovery, discover, mayBeModern, nobody } from './bridge/discovery.ts';
import { BackendFailure, garbled } from './failure.ts';
import { nameOf, prefixOf, sharedNameOf } from './opening/connectionNames.ts';
import {
  type ConnectionKey,
  type Opening,
  type OpeningContext,
  type OpeningDeps,
  openConnection,
  partOf,
} from './opening/openConnection.ts';
import { RestartDelays } from './opening/restartDelays.ts';
import { Member } from './sharing/member.ts';
import { SharedProcess } from './sharing/sharedProcess.ts';
import type { McpBackend, McpTarget, Outbound } from './types.ts';

export interface ConnectionsDeps extends OpeningDeps, Pick<Runtime, 'clock'> {
  /** Sessions of callers may be in use at other replicas, and with them those of the servers behind. */
  readonly hasOthers?: boolean;
  /** How many processes of stdio servers may run at a time. Default 64. */
  readonly maxChildren?: number;
  /** How long one may be idle. Default 5 minutes. */
  readonly childIdleMs?: number;
}

/** The running processes of a stdio server. */
export interface RunningProcesses {
  readonly name: string;
  readonly count: number;
  /** Resident memory; 0 if the system does not report it. */
  readonly memoryBytes: number;
}

interface Entry {
  /** Without the outbound route of the call that opened it, because the route contains the caller's headers. */
  readonly key: Omit<ConnectionKey, 'outbound'>;
  /** It does not belong to a single session. */
  readonly isShared: boolean;
  readonly opening: Promise<McpBackend>;
  backend: McpBackend | undefined;
  /** The newest outbound route. A message that reached another replica takes the route of its call. */
  outbound: Outbound;
  /** Of the program that was started. */
  readonly pid: number | undefined;
  openedMs: number;
  usedMs: number;
}

const stdioIdleMs = 5 * 60_000;
const discoverMs = 5_000;
const idleMs = 30 * 60_000;

/** Keeps connections to MCP servers, so that no call pays for a handshake. */
export class McpConnections {
  readonly #deps: ConnectionsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #restarts = new RestartDelays();
  /** Servers that asked a client for something. By default, each new session gets its own process of these. */
  readonly #asking = new Set<string>();
  /** Servers that only speak the modern era. Clients of the legacy era get a {@link Bridge} to them. */
  readonly #modernOnly = new Set<string>();

  constructor(deps: ConnectionsDeps) {
    this.#deps = deps;
  }

  /** @throws {BackendFailure | HandshakeRefused} */
  async acquire(key: ConnectionKey, opening: () => Opening): Promise<McpBackend> {
    const bridge = () => this.#acquire(key, () => this.#bridge(key, opening()));
    if (this.#isBridge(key)) return bridge();
    try {
      return await this.#acquire(key, (context) => openConnection(this.#deps, key, opening(), context));
    } catch (thrown) {
      if (key.era === 'modern' || key.target.transport === 'sse' || !mayBeModern(thrown)) throw thrown;
      // The caller gets this failure, unless the server speaks the modern era.
      if (!(await this.#discover(key).catch(() => undefined))) throw thrown;
      this.#modernOnly.add(key.target.server_id);
      return bridge();
    }
  }

  async #acquire(key: ConnectionKey, open: (context: OpeningContext) => Promise<McpBackend>): Promise<McpBackend> {
    const name = this.#nameOf(key);
    const now = this.#deps.clock.monotonicMs();
    const found = this.#entries.get(name);
    if (found && !found.backend?.isClosed) {
      found.usedMs = now;
      found.outbound = key.outbound;
      const backend = found.backend ?? (await found.opening);
      // While it opened, its server asked a client for something.
      if (found.isShared && !this.#isShared(key)) return this.#acquire(key, open);
      return partOf(key, backend);
    }
    if (found) this.#noteDeath(name, found, now);
    this.#restarts.check(name, key.target, now);
    if (!this.#isBridge(key)) this.#makeRoom(key, now);
    let pid: number | undefined;
    const isShared = this.#isShared(key);
    const { outbound, ...kept } = key;
    const { server_id } = key.target;
    const entry: Entry = {
      key: kept,
      isShared,
      opening: open({
        isShared,
        onStarted: (started) => {
          pid = started;
        },
        // Not `key`: the entry keeps what this function refers to, and `key` contains the caller's headers.
        onQuestion: () => this.#asking.add(server_id),
      }),
      backend: undefined,
      outbound,
      get pid() {
        return pid;
      },
      openedMs: now,
      usedMs: now,
    };
    this.#entries.set(name, entry);
    try {
      entry.backend = await entry.opening;
      return partOf(key, entry.backend);
    } catch (thrown) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      if (!wasRefused(thrown)) this.#noteDeath(name, entry, this.#deps.clock.monotonicMs());
      throw thrown;
    }
  }

  /** The connection in the modern era, which all sessions of an identity share. @throws {BackendFailure} */
  #modern(key: ConnectionKey): Promise<McpBackend> {
    const introduction = { ...nobody, isShared: key.target.transport === 'stdio' };
    return this.acquire(key, () => ({ introduction, announces: false }));
  }

  /** How the server describes itself in the modern era; `undefined` if it does not speak that era. */
  async #discover({ target, outbound }: ConnectionKey): Promise<Discovery['about']> {
    const { timers, newId } = this.#deps;
    const key = modernKey(target, outbound);
    const backend = await this.#modern(key);
    const found = await discover(backend, target, newId(), { outbound, signal: timers.deadline(discoverMs) }).catch(
      () => undefined, // it does not speak the modern era
    );
    if (!found?.about) await this.discard(key, backend);
    return found?.about;
  }

  async #bridge(key: ConnectionKey, { introduction }: Opening): Promise<Bridge> {
    const about = await this.#discover(key);
    const { target } = key;
    if (!about) throw garbled(target.name);
    const wanted = introduction.params.protocolVersion;
    const protocolVersion = legacyVersions.find((it) => it === wanted) ?? legacyVersions[0];
    const connect = (outbound: Outbound) => this.#modern(modernKey(target, outbound));
    return new Bridge({ ...this.#deps, target, introduction, hello: { ...about, protocolVersion }, connect });
  }

  /** The connection, if it is open and may be used at once. */
  use(key: ConnectionKey): McpBackend | undefined {
    const entry = this.#entries.get(this.#nameOf(key));
    const backend = entry?.backend && openPartOf(key, entry.backend);
    if (!backend) return undefined;
    entry.usedMs = this.#deps.clock.monotonicMs();
    entry.outbound = key.outbound;
    return backend;
  }

  /** The open connections of a caller's session to one server. */
  ofSession(
    session: string,
    serverId: string,
  ): readonly { readonly backend: McpBackend; readonly outbound: Outbound }[] {
    const found: { readonly backend: McpBackend; readonly outbound: Outbound }[] = [];
    // Nothing is made of the connections of others, of which there may be thousands.
    this.#entries.forEach(({ key, backend: whole, outbound }) => {
      if (key.target.server_id !== serverId || !whole) return;
      const isOwn = whole instanceof SharedProcess || key.session === session;
      const backend = isOwn ? openPartOf({ session }, whole) : undefined;
      if (backend) found.push({ backend, outbound });
    });
    return found;
  }

  /** The connection, if it is open. */
  peek(key: ConnectionKey): McpBackend | undefined {
    const backend = this.#entries.get(this.#nameOf(key))?.backend;
    return backend && openPartOf(key, backend);
  }

  /**
   * Lets one connection go: it was lost, or does not speak this era. Another one under the same key stays: of several
   * callers who lost a connection, the first opens a new one while the others still let the old one go.
   */
  async discard(key: ConnectionKey, backend: McpBackend): Promise<void> {
    const name = this.#nameOf(key);
    const whole = backend instanceof Member ? backend.process : backend;
    // A process that one session leaves keeps running for the others.
    const isGone = whole === backend || whole.isClosed;
    if (isGone && this.#entries.get(name)?.backend === whole) this.#entries.delete(name);
    await backend.close();
  }

  /** A caller's session ended; or goes on, at another replica. */
  async endSession(session: string, isKept = false): Promise<void> {
    this.#entries.forEach(({ backend }) => {
      if (backend instanceof SharedProcess) backend.leave(session);
    });
    await this.#close((it) => !it.isShared && it.key.session === session, isKept);
  }

  /** A registration changed or was removed. */
  async endServer(serverId: string): Promise<void> {
    await this.#close((it) => it.key.target.server_id === serverId);
    this.#deps.apis?.forget(serverId);
    this.#asking.delete(serverId);
    this.#modernOnly.delete(serverId);
    this.#restarts.forget(prefixOf(serverId));
  }

  /** Ends what nobody used for long. Call it about once a minute. */
  async sweep(): Promise<void> {
    const now = this.#deps.clock.monotonicMs();
    for (const it of this.#entries.values()) if (it.backend?.isBusy) it.usedMs = now;
    const childIdleMs = this.#deps.childIdleMs ?? stdioIdleMs;
    await this.#close(
      (it) => now - it.usedMs > (it.key.target.transport === 'stdio' ? childIdleMs : idleMs),
      this.#deps.hasOthers,
    );
  }

  /** Sessions of callers outlive this process, so those of servers that belong to them are not ended. */
  async closeAll(): Promise<void> {
    await this.#close(() => true, true);
  }

  /** Whether a connection to a server is open: for one on this machine, that it runs and shook hands. */
  isOpen(serverId: string): boolean {
    return [...this.#entries.values()].some(
      ({ key, backend }) => key.target.server_id === serverId && backend?.isClosed === false,
    );
  }

  /** The processes of stdio servers that run here, by the id of the server. */
  processes(): ReadonlyMap<string, RunningProcesses> {
    const memory = new Map(this.#deps.children.list().map((it) => [it.pid, it.memoryBytes ?? 0]));
    const found = new Map<string, RunningProcesses>();
    for (const { key, backend, pid } of this.#entries.values()) {
      const { server_id, transport, name } = key.target;
      if (transport !== 'stdio' || pid === undefined || backend?.isClosed) continue;
      const { count, memoryBytes } = found.get(server_id) ?? { count: 0, memoryBytes: 0 };
      found.set(server_id, { name, count: count + 1, memoryBytes: memoryBytes + (memory.get(pid) ?? 0) });
    }
    return found;
  }

  /** Whether clients are asked for the server's input by a {@link Bridge}, not by the server itself. */
  isBridged(serverId: string): boolean {
    return this.#modernOnly.has(serverId);
  }

  get count(): number {
    return this.#entries.size;
  }

  async #close(which: (entry: Entry) => boolean, keepsSessions = false): Promise<void> {
    const chosen: Entry[] = [];
    this.#entries.forEach((it, name) => {
      if (!which(it)) return;
      chosen.push(it);
      this.#entries.delete(name);
    });
    await Promise.allSettled(
      chosen.map(async (it) => (await it.opening).close(keepsSessions && it.key.session !== undefined)),
    );
  }

  #isBridge({ era, target }: ConnectionKey): boolean {
    return era === 'legacy' && this.#modernOnly.has(target.server_id);
  }

  /** A session that shares a process keeps it, even after its server first asks for something. */
  #isShared(key: ConnectionKey): boolean {
    const { share, session, target } = key;
    if (!share || this.#modernOnly.has(target.server_id)) return false;
    if (!share.isDefault || session === undefined || !this.#asking.has(target.server_id)) return true;
    const backend = this.#entries.get(sharedNameOf(target, share))?.backend;
    return backend instanceof SharedProcess && backend.memberOf(session)?.isClosed === false;
  }

  #nameOf(key: ConnectionKey): string {
    return key.share && this.#isShared(key) ? sharedNameOf(key.target, key.share) : nameOf(key);
  }

  #noteDeath(name: string, entry: Entry, now: number): void {
    this.#entries.delete(name);
    if (entry.key.target.transport === 'stdio') this.#restarts.noteDeath(name, entry.openedMs, now);
  }

  /** The stdio server that was idle longest makes room, if no session uses it or it was idle for a minute. */
  #makeRoom({ target }: ConnectionKey, now: number): void {
    if (target.transport !== 'stdio') return;
    const running = [...this.#entries].filter(
      ([, { key, backend }]) => key.target.transport === 'stdio' && !backend?.isClosed && !(backend instanceof Bridge),
    );
    if (running.length < (this.#deps.maxChildren ?? 64)) return;
    const idle = running.filter(([, it]) => it.backend?.isBusy === false).sort(([, a], [, b]) => a.usedMs - b.usedMs);
    const oldest =
      idle.find(([, { backend }]) => backend instanceof SharedProcess && backend.size === 0) ??
      idle.find(([, it]) => now - it.usedMs >= 60_000);
    if (!oldest) {
      throw new BackendFailure(
        'unreachable',
        `Too many MCP servers are running (${running.length}). Try again when one is idle, or ask an administrator to raise stdio.max_processes.`,
        { mayHaveRun: false },
      );
    }
    this.#entries.delete(oldest[0]);
    void oldest[1].backend?.close();
  }
}

const modernKey = (target: McpTarget, outbound: Outbound): ConnectionKey => ({
  target,
  era: 'modern',
  outbound,
  session: undefined,
});

/** Nothing was started, so nothing died: as soon as somebody allows it, it starts. */
const wasRefused = (thrown: unknown) => thrown instanceof BackendFailure && thrown.kind === 'not_allowed';

function openPartOf({ session }: Pick<ConnectionKey, 'session'>, backend: McpBackend): McpBackend | undefined {
  const part = backend instanceof SharedProcess && session !== undefined ? backend.memberOf(session) : backend;
  return part?.isClosed ? undefined : part;
}
