import type { CustomAgent } from '../../agents/provider.ts';
import { Fault } from '../../platform/faults.ts';
import { customAgentsOf } from '../../protocol/channels/session/customAgents.ts';
import type { CustomAgentInfo } from '../../protocol/channels/session/customizations.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { ROOT } from '../../protocol/uris.ts';
import { commitSession } from '../context/chatAccess.ts';
import { type EffectDeps, plainWindow, type Requester } from '../context/effectDeps.ts';
import type { TokenHolder } from '../context/tokens.ts';
import type { SessionCustomizations } from '../customizations/sessionCustomizations.ts';
import { isUnread } from '../customizations/unread.ts';
import type { ServerToken } from '../mcp/runningServer.ts';
import type { SessionServers } from '../mcp/sessionServers.ts';

interface Loaded {
  readonly found: SessionCustomizations;
  readonly servers: SessionServers;
}

/** How long a turn waits for what is being read, and for servers that are on their way up. They may come later, too. */
const LIMIT_MS = 10_000;

const NO_AGENT = 'This custom agent was not found in the session. Choose another one, or send the message without one.';
const NOT_READ =
  "This session's custom agents could not be read in time. Send the message again, or send it without a custom agent.";
const UNREADABLE =
  "This custom agent could not be read. The session's customizations show the reason. Fix the problem, or send the message without this agent.";

/** What customizes sessions. Loaded with the first session that a trusted window looks at. */
export class Customizations {
  readonly #deps: EffectDeps;
  /** Whether turns of the session run. */
  readonly #isInUse: (session: string) => boolean;
  /** The trusted window that looked at a session last. */
  readonly #requesters = new Map<string, Requester>();
  #loaded: Promise<Loaded> | undefined;
  #found: SessionCustomizations | undefined;
  #isClosed = false;

  constructor(deps: EffectDeps, isInUse: (session: string) => boolean) {
    this.#deps = deps;
    this.#isInUse = isInUse;
  }

  /** A client looks at a session. Of a folder that its window does not trust nothing is read, and nothing is started. */
  look(session: string, requester: Requester): void {
    if ((requester.window ?? plainWindow).trusted) {
      this.#requesters.set(session, requester);
      this.#withLoaded(({ found }) => found.look(session));
    } else if (this.#requesters.get(session)?.clientId === requester.clientId) {
      this.#requesters.delete(session); // the window took its trust back
      if (this.#loaded) this.#withLoaded(({ found }) => found.end(session));
    }
  }
  /** A client looks at one channel less, or a turn is over. */
  releaseUnwatched(): void {
    if (this.#loaded) this.#withLoaded(({ found }) => found.sweep());
  }
  /** The session is gone. Settles when its servers have ended. */
  async disposed(session: string): Promise<void> {
    this.#requesters.delete(session);
    if (!this.#loaded) return;
    const { found, servers } = await this.#loaded;
    found.end(session);
    await servers.end(session);
  }
  /** Something was committed to a session. */
  onCommitted(session: string, action: SessionAction, isOfClient: boolean): void {
    if (!this.#loaded) return;
    switch (action.type) {
      case 'session/customizationToggled':
        return this.#withLoaded(({ found }) => found.toggled(session, action.id, action.enabled, action.enablement));
      case 'session/activeClientSet':
        return this.#withLoaded(({ found }) => found.plugins.published(session, action.activeClient.clientId));
      case 'session/activeClientRemoved':
        return this.#withLoaded(({ servers }) => servers.reconcile(session));
      case 'session/mcpServerStartRequested':
        return isOfClient ? this.#withLoaded(({ servers }) => servers.startRequested(session, action.id)) : undefined;
      case 'session/mcpServerStopRequested':
        return isOfClient ? this.#withLoaded(({ servers }) => servers.stopRequested(session, action.id)) : undefined;
      case 'session/workingDirectorySet':
      case 'session/workingDirectoryRemoved':
        return this.#withLoaded(({ found }) => found.directoriesChanged(session));
      default:
    }
  }

  /**
   * Why a message may not choose this custom agent, or `undefined`: also while nobody has read which there are, because its
   * turn waits for that (host.message.first-agent).
   */
  refuseAgent(session: string, uri: string): string | undefined {
    const reason = refuseAgent(this.#deps.store.state('session', session), uri);
    return this.#found?.isRead(session) ? reason : undefined;
  }

  /**
   * The text of the custom agent of a message, once everything was read that may have it.
   * @param requester whose turn it is
   * @throws {Fault} `not_found` when it is not there, or went away since it was chosen; `unavailable`
   */
  async agent(
    session: string,
    uri: string,
    requester: Requester | undefined,
    signal: AbortSignal,
  ): Promise<CustomAgent> {
    const { found } = await this.#open();
    if (requester && (requester.window ?? plainWindow).trusted && !found.isFollowed(session)) {
      this.#requesters.set(session, requester);
      found.look(session);
    }
    await this.#limited(signal, (limit) => settledOr(found.settled(session), limit));
    const state = this.#deps.store.state('session', session);
    if (refuseAgent(state, uri) !== undefined) {
      if (isUnread(state?.customizations, uri)) throw new Fault('unavailable', UNREADABLE);
      if (found.isFollowed(session) && !found.isRead(session)) throw new Fault('unavailable', NOT_READ);
      throw new Fault('not_found', NO_AGENT);
    }
    const agent = await found.holders.agent(session, uri).catch((cause: unknown) => {
      throw new Fault('unavailable', UNREADABLE, { cause });
    });
    if (!agent) throw new Fault('not_found', 'The custom agent for this message no longer exists.');
    return agent;
  }

  /** The custom agents of a folder, for a session that is not there yet. */
  async agentsIn(folder: string, requester: Requester): Promise<readonly CustomAgentInfo[]> {
    if (!(requester.window ?? plainWindow).trusted) return [];
    return (await this.#open()).found.agentsIn(folder);
  }

  /** Settles when the servers of a session that is followed are up, or have reported why not. */
  async ready(session: string, signal: AbortSignal): Promise<void> {
    if (!this.#loaded) return;
    const { found, servers } = await this.#loaded;
    if (!found.isFollowed(session)) return;
    await this.#limited(signal, async (limit) => {
      await settledOr(found.settled(session), limit);
      await servers.settled(session, limit);
    });
  }
  /** The servers of sessions, for calls of their tools. */
  async servers(): Promise<SessionServers> {
    return (await this.#open()).servers;
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    const loaded = await this.#loaded;
    loaded?.found.close();
    await loaded?.servers.close();
  }

  /** @param work gets a signal that ends also when the limit is reached */
  async #limited(signal: AbortSignal, work: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const limit = new AbortController();
    const stop = this.#deps.timers.after(LIMIT_MS, () => limit.abort());
    try {
      await work(AbortSignal.any([signal, limit.signal]));
    } finally {
      stop();
    }
  }

  #open(): Promise<Loaded> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
  async #load(): Promise<Loaded> {
    const [{ SessionCustomizations }, { SessionServers }] = await Promise.all([
      import('../customizations/sessionCustomizations.ts'),
      import('../mcp/sessionServers.ts'),
    ]);
    const { store, timers, isWatched, isLooking, newId, askClient, children, tokens, hide } = this.#deps;
    const tokenOf = (holder: TokenHolder | undefined, session: string, resource: string): ServerToken | undefined => {
      const pushed = holder?.tokens.get(resource);
      if (!holder || !pushed) return undefined;
      const { value } = pushed;
      return { ...pushed, refused: () => tokens.demand(holder, resource, { channel: session, refused: value }) };
    };
    const report = (thrown: unknown) => this.#deps.report(newId(), thrown);
    const servers: SessionServers = new SessionServers({
      state: (session) => store.state('session', session),
      commit: (session, action) => void (store.has(session) && commitSession(store, session, action)),
      timers,
      children,
      definition: (session, id) => found.holders.server(session, id),
      env: (session) => (found.isFollowed(session) ? (this.#requesters.get(session)?.window?.env ?? {}) : undefined),
      token: (session, resource) => tokenOf(this.#requesters.get(session), session, resource),
      advertise: (resource) => tokens.advertise(resource),
      hide,
      report,
    });
    const found: SessionCustomizations = new SessionCustomizations({
      store,
      timers,
      isWatched: (session) => isWatched(session) || this.#isInUse(session),
      askClient: (clientId) => (method, params) => askClient(clientId, method, { channel: ROOT, ...params }),
      withServers: (session, entry) => servers.withStates(session, entry),
      changed: (session) => servers.reconcile(session),
      ended: (session) => void servers.end(session).catch(report),
      report,
    });
    tokens.onAccepted((holder, resource) =>
      servers.authenticated(resource, (session) =>
        isLooking(holder.clientId, session) ? tokenOf(holder, session, resource) : undefined,
      ),
    );
    this.#found = found;
    return { found, servers };
  }

  #withLoaded(work: (it: Loaded) => void): void {
    this.#open()
      .then((it) => (this.#isClosed ? undefined : work(it)))
      .catch((thrown: unknown) => this.#deps.report(this.#deps.newId(), thrown));
  }
}

/** Settles with `work`, which never rejects, or when nobody waits for it any more. */
async function settledOr(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const ended = new Promise<void>((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([work, ended]);
}

function refuseAgent(session: SessionState | undefined, uri: string): string | undefined {
  return customAgentsOf(session?.customizations).some((it) => it.uri === uri)
    ? undefined
    : 'message.agent.uri: agent not found in this session';
}

/** Why a client may not start this MCP server, or `undefined`. */
export function refuseStart(session: SessionState | undefined, id: string, isTrusted: boolean): string | undefined {
  if (!isTrusted) return 'Trust this folder to start servers.';
  for (const holder of session?.customizations ?? []) {
    const all = holder.type === 'mcpServer' ? [holder] : 'children' in holder ? (holder.children ?? []) : [];
    const server = all.find((it) => it.type === 'mcpServer' && it.id === id);
    if (server) return holder.enabled && server.enabled ? undefined : 'This server is turned off.';
  }
  return 'id: server not found in this session';
}
