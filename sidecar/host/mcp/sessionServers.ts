import type { Children } from '../../platform/children/children.ts';
import { Fault } from '../../platform/faults.ts';
import { InTurn } from '../../platform/inTurn.ts';
import type { Timers } from '../../platform/timers.ts';
import type { McpAuthRequirement } from '../../protocol/channels/chat/toolCalls.ts';
import type {
  Customization,
  McpServerCustomization,
  McpServerState,
} from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { sameJson } from '../../protocol/collections.ts';
import type { ProtectedResourceMetadata } from '../../protocol/shared.ts';
import { RunningServer, type ServerAnswer, type ServerToken } from './runningServer.ts';
import type { ServerDefinition } from './serverConfig.ts';
import { nameTools } from './toolNames.ts';

export interface SessionServersDeps {
  readonly state: (session: string) => SessionState | undefined;
  readonly commit: (session: string, action: SessionAction) => void;
  readonly timers: Pick<Timers, 'deadline'>;
  readonly children: Pick<Children, 'spawn'>;
  /** How a server is started, as its file says now. @throws when that cannot be read */
  readonly definition: (session: string, id: string) => Promise<ServerDefinition | undefined>;
  /** The environment of the window that trusts the session's folders; `undefined` when none does. */
  readonly env: (session: string) => Readonly<Record<string, string>> | undefined;
  /** A token that the window pushed before. */
  readonly token: (session: string, resource: string) => ServerToken | undefined;
  /** From now on clients may push tokens for the resource. @returns takes it back */
  readonly advertise: (resource: ProtectedResourceMetadata) => () => void;
  /** No log and no transcript shows this from now on. */
  readonly hide: (secret: string) => void;
  readonly report: (thrown: unknown) => void;
}

type Servers = Map<string, RunningServer>;

/** The MCP servers of sessions: what is enabled runs, and the session's state says how that goes. */
export class SessionServers {
  readonly #deps: SessionServersDeps;
  readonly #sessions = new Map<string, Servers>();
  /** One after the other for each session: files are read meanwhile. */
  readonly #working = new InTurn();

  constructor(deps: SessionServersDeps) {
    this.#deps = deps;
  }

  /** Something changed: starts what is enabled, starts again what is defined otherwise now, stops the rest. */
  reconcile(session: string): void {
    this.#working.run(session, () => this.#reconcile(session)).catch(this.#deps.report);
  }

  /** Settles when no server of the session is on its way up, or `signal` aborts. */
  async settled(session: string, signal: AbortSignal): Promise<void> {
    await this.#working.whenFree(session);
    const starts = [...(this.#sessions.get(session)?.values() ?? [])].map((it) => it.settled);
    let onAbort = () => {};
    const aborted = new Promise<void>((resolve) => {
      onAbort = resolve;
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    await Promise.race([Promise.all(starts), aborted]);
    signal.removeEventListener('abort', onAbort);
  }

  /** A person wants it to run, or to run anew. The state says `starting` already. */
  startRequested(session: string, id: string): void {
    const server = this.#sessions.get(session)?.get(id);
    if (server) server.start();
    else this.#deps.commit(session, { type: 'session/mcpServerStateChanged', id, state: { kind: 'stopped' } });
  }
  /** A person wants it to stop. The state says `stopped` already. */
  stopRequested(session: string, id: string): void {
    this.#sessions.get(session)?.get(id)?.hold();
  }

  /** Nobody needs the servers of the session any more. Settles when they have ended. */
  end(session: string): Promise<void> {
    return this.#working.run(session, async () => {
      const servers = this.#sessions.get(session);
      this.#sessions.delete(session);
      await Promise.all([...(servers?.values() ?? [])].map((it) => it.stop()));
      this.#publishTools(session);
    });
  }
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((it) => this.end(it)));
  }

  /** The entry with the states in which its servers are. */
  withStates<C extends Customization>(session: string, entry: C): C {
    const servers = this.#sessions.get(session);
    const shown = <S extends McpServerCustomization>(it: S): S => ({
      ...it,
      state: servers?.get(it.id)?.state ?? { kind: 'stopped' },
    });
    if (isServer(entry)) return shown(entry);
    if (!('children' in entry) || !entry.children?.some(isServer)) return entry;
    return { ...entry, children: entry.children.map((it) => (isServer(it) ? shown(it) : it)) };
  }

  /**
   * Calls a tool under its name in the session.
   * @throws {Fault} `not_found` when no server has it; what went wrong with the server
   */
  async call(
    session: string,
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ServerAnswer> {
    const tool = this.#tools(session).find((it) => it.definition.name === name);
    if (!tool) throw new Fault('not_found', `the tool ${name} was not found in this session`);
    return tool.server.call(tool.own, input, signal);
  }

  /** Settles when a client pushed such a token for the server. Rejects when the server stops, or `signal` aborts. */
  async tokenFor(session: string, id: string, auth: McpAuthRequirement, signal: AbortSignal): Promise<void> {
    const server = this.#sessions.get(session)?.get(id);
    if (!server) throw new Fault('unavailable', 'The server that provides this tool is no longer running.');
    await server.nextToken(auth, signal);
  }

  /** A client pushed a token; it counts for the servers of sessions that it looks at. */
  authenticated(resource: string, tokenFor: (session: string) => ServerToken | undefined): void {
    for (const [session, server] of this.#all()) {
      const token = server.asksFor(resource) ? tokenFor(session) : undefined;
      if (token) server.take(token);
    }
  }

  #all(): [session: string, server: RunningServer][] {
    return [...this.#sessions].flatMap(([session, servers]) =>
      [...servers.values()].map((it): [string, RunningServer] => [session, it]),
    );
  }

  async #reconcile(session: string): Promise<void> {
    const env = this.#deps.env(session);
    const state = this.#deps.state(session);
    const enabled = state && env ? enabledIn(state) : [];
    if (enabled.length === 0 && !this.#sessions.has(session)) return;
    const servers: Servers = this.#sessions.get(session) ?? new Map<string, RunningServer>();
    this.#sessions.set(session, servers);
    for (const [id, server] of servers) {
      if (enabled.some((it) => it.id === id)) continue;
      servers.delete(id);
      await server.stop();
    }
    for (const { id, name } of enabled) {
      const definition = await this.#deps.definition(session, id).catch((thrown: unknown) => {
        this.#deps.report(thrown);
        return undefined;
      });
      const server = servers.get(id) ?? this.#add(session, servers, id, name);
      if (server.define(definition, env ?? {})) server.start();
    }
  }

  #add(session: string, servers: Servers, id: string, name: string): RunningServer {
    const { commit, timers, children, token, advertise, hide, report } = this.#deps;
    const server = new RunningServer({
      name,
      session,
      timers,
      children,
      token: (resource) => token(session, resource),
      advertise,
      hide,
      report,
      moved: (state: McpServerState) => commit(session, { type: 'session/mcpServerStateChanged', id, state }),
      toolsChanged: () => this.#publishTools(session),
    });
    servers.set(id, server);
    return server;
  }

  #tools(session: string) {
    return nameTools([...(this.#sessions.get(session) ?? [])].map(([id, server]) => ({ id, server })));
  }
  #publishTools(session: string): void {
    const tools = this.#tools(session).map((it) => it.definition);
    const known = this.#deps.state(session)?.serverTools ?? [];
    if (!sameJson(known, tools)) this.#deps.commit(session, { type: 'session/serverToolsChanged', tools });
  }
}

function isServer(entry: { readonly type: string }): entry is McpServerCustomization {
  return entry.type === 'mcpServer';
}

/** The servers that are on, and whose container is. */
function enabledIn({ customizations = [] }: SessionState): McpServerCustomization[] {
  return customizations
    .filter((it) => it.enabled !== false)
    .flatMap((it) => (isServer(it) ? [it] : 'children' in it ? (it.children ?? []).filter(isServer) : []))
    .filter((it) => it.enabled);
}
