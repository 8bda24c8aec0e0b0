import { Fault } from '../../platform/faults.ts';
import { shownText } from '../../platform/shownText.ts';
import type { ModelsThrough } from '../models.ts';
import type { OptionQuery, OptionSuggestion, SessionOptions } from '../options.ts';
import type { AgentSession, SessionContext } from '../provider.ts';
import type { ToolProgram, ToolServer } from '../toolServers.ts';
import { type AcpDeps, type AcpLimits, acpLimits } from './acpDeps.ts';
import { type AgentConnection, connect, introduction } from './connection.ts';
import type { Elicitation, Elicited } from './elicitation.ts';
import { isAuthRequired, signInNeeded, toAgentFault } from './faults.ts';
import {
  type Offer,
  offerOf,
  requestToSet,
  requestToSetModel,
  type SetRequest,
  toOptions,
  withSet,
} from './options.ts';
import { Completed, SetConfig } from './ownOffer.ts';
import type { PromptAbilities } from './prompt.ts';
import { readForAgent } from './readForAgent.ts';
import { AcpTerminals } from './terminals.ts';
import { LiveTurn } from './turn.ts';
import type { AcpAgent } from './wellKnown.ts';
import { ConfigOptions, InitializeResult, OpenedSession, SessionUpdate } from './wire.ts';

/** Characters. */
const MAX_TITLE = 200;

/**
 * Starts the agent, does the handshake, and opens or resumes the conversation. Leaves no process behind when it fails. An
 * agent that exits during this is started once more, because some agents fail if two of them start at the same moment.
 */
export async function openAcpSession(
  agent: AcpAgent,
  deps: AcpDeps,
  context: SessionContext,
  signal: AbortSignal,
): Promise<AgentSession> {
  const first = await tryToOpen(agent, deps, context, signal);
  const opened = 'exited' in first ? await tryToOpen(agent, deps, context, signal) : first;
  if ('exited' in opened) throw opened.exited;
  return opened.session;
}

/** @returns why not, if the agent's process exited */
async function tryToOpen(
  agent: AcpAgent,
  deps: AcpDeps,
  context: SessionContext,
  signal: AbortSignal,
): Promise<{ readonly session: AgentSession } | { readonly exited: unknown }> {
  const limits = acpLimits(deps);
  const session = new AcpSession(agent, context, deps.timers, limits);
  const connection = await connect(agent, context, deps, session.handlers);
  const stop = () => void connection.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) throw new Fault('unavailable', 'The session was closed before the agent was ready.');
    await session.start(connection);
    return { session: Object.assign(session, { needless: connection.needless }) };
  } catch (thrown) {
    const { hasExited } = session;
    await connection.close();
    if (signal.aborted)
      throw new Fault('unavailable', 'The session was closed before the agent was ready.', { cause: thrown });
    const fault = toAgentFault(agent, thrown, connection.clean);
    if (hasExited) return { exited: fault };
    throw fault;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class AcpSession implements AgentSession {
  readonly #agent: AcpAgent;
  readonly #context: SessionContext;
  readonly #timers: AcpDeps['timers'];
  readonly #limits: AcpLimits;
  readonly #optionListeners = new Set<() => void>();
  readonly #goneListeners = new Set<(reason: string) => void>();
  #connection: AgentConnection | undefined;
  #hello: InitializeResult | undefined;
  #offer: Offer = { modes: null, models: null, configOptions: [], commands: [] };
  #sessionId = '';
  #turn: LiveTurn | undefined;
  #isClosing = false;
  #goneReason: string | undefined;
  #title: string | undefined;
  forgotEarlierTurns = false;
  isFork = false;
  began?: SessionOptions;

  constructor(agent: AcpAgent, context: SessionContext, timers: AcpDeps['timers'], limits: AcpLimits) {
    this.#agent = agent;
    this.#context = context;
    this.#timers = timers;
    this.#limits = limits;
  }

  readonly handlers = {
    update: (raw: unknown) => this.#update(raw),
    permission: (request: Parameters<LiveTurn['permission']>[0]) =>
      this.#turn ? this.#turn.permission(request) : Promise.resolve({ outcome: { outcome: 'cancelled' } }),
    elicit: (request: Elicitation): Promise<Elicited> =>
      this.#turn ? this.#turn.elicit(request) : Promise.resolve({ action: 'cancel' }),
    readText: async (request: Parameters<typeof readForAgent>[0]) => {
      await this.#turn?.reached();
      return readForAgent(request, this.#context.files);
    },
    writeText: async ({ path, content }: { path: string; content: string }) => {
      await this.#turn?.reached();
      await this.#context.files.writeText(path, content);
    },
    terminals: new AcpTerminals(
      (command) => this.#context.terminals.run(command),
      () => this.#turn,
    ),
  };

  get options(): SessionOptions {
    const keeps = this.#hello?.agentCapabilities?.sessionCapabilities;
    const severalFolders = keeps?.additionalDirectories != null;
    const { image: images, embeddedContext: files } = this.#abilities;
    return {
      ...toOptions(this.#offer),
      ...(severalFolders && { severalFolders }),
      ...(keeps?.list != null && { conversations: { deletes: keeps.delete != null } }),
      ...(this.#hello && { prompts: { images, files } }),
    };
  }
  get #abilities(): PromptAbilities {
    const { image, embeddedContext } = this.#hello?.agentCapabilities?.promptCapabilities ?? {};
    return { image: image ?? false, embeddedContext: embeddedContext ?? false };
  }
  get hasExited(): boolean {
    return this.#goneReason !== undefined;
  }
  modelsThrough(): ModelsThrough {
    return this.#connection?.modelsThrough ?? 'own';
  }
  get version(): string | undefined {
    return this.#hello?.agentInfo?.version;
  }
  get resumeId(): string {
    return this.#sessionId;
  }
  get title(): string | undefined {
    return this.#title;
  }

  async start(connection: AgentConnection): Promise<void> {
    this.#connection = connection;
    void connection.ended.then((reason) => {
      this.#goneReason = reason;
      if (this.#isClosing) return;
      for (const listener of this.#goneListeners) listener(reason);
    });
    const hello = await connection.request('initialize', introduction(), this.#limits.openMs);
    this.#hello = InitializeResult.parse(hello);
    const opened = await this.#openConversation(connection, this.#hello).catch((thrown: unknown) => {
      throw isAuthRequired(thrown) ? signInNeeded(this.#agent, this.#hello?.authMethods ?? [], thrown) : thrown;
    });
    this.#offer = { ...offerOf(opened), commands: this.#offer.commands };
    await this.configure(this.#context.config);
  }

  async *run(
    request: Parameters<AgentSession['run']>[0],
    host: Parameters<AgentSession['run']>[1],
    signal: AbortSignal,
  ) {
    const connection = this.#connected();
    if (signal.aborted) return;
    if (request.model !== undefined) await this.#set(requestToSetModel(this.#offer, this.#sessionId, request.model));
    const turn = new LiveTurn({
      agent: this.#agent,
      connection,
      sessionId: this.#sessionId,
      cwd: this.#cwd,
      files: this.#context.files,
      abilities: this.#abilities,
      authMethods: this.#hello?.authMethods ?? [],
      canSteer: this.#canSteer,
      timers: this.#timers,
      cancelMs: this.#limits.cancelMs,
      request,
      host,
      signal,
    });
    this.#turn = turn;
    try {
      yield* turn.events();
    } finally {
      if (this.#turn === turn) this.#turn = undefined;
    }
  }

  async configure(values: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [id, value] of Object.entries(values)) {
      await this.#set(requestToSet(this.#offer, this.#sessionId, id, value));
    }
    await this.#setForm(values);
  }

  async completeOption(query: OptionQuery): Promise<readonly OptionSuggestion[]> {
    const params = { sessionId: this.#sessionId, ...query };
    return Completed.parse(await this.#ask('_switchboard/config_completions', params)).items;
  }

  async steer(text: string): Promise<boolean> {
    return this.#canSteer && this.#turn ? this.#turn.steer(text) : false;
  }

  lastWords(): string | undefined {
    return this.#connection?.lastWords();
  }

  onOptions(listener: () => void): () => void {
    this.#optionListeners.add(listener);
    return () => this.#optionListeners.delete(listener);
  }

  onGone(listener: (reason: string) => void): () => void {
    if (this.#goneReason !== undefined && !this.#isClosing) listener(this.#goneReason);
    this.#goneListeners.add(listener);
    return () => this.#goneListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const connection = this.#connection;
    const canClose = this.#hello?.agentCapabilities?.sessionCapabilities?.close != null && this.#sessionId !== '';
    if (connection && canClose && this.#goneReason === undefined) {
      const closed = connection.request('session/close', { sessionId: this.#sessionId }, this.#limits.closeMs);
      await closed.catch(() => undefined); // its process ends in any case
    }
    await connection?.close();
  }

  /** @throws {Fault} `folder_needed`: no agent works where nobody sent it */
  get #cwd(): string {
    const [first] = this.#context.folders;
    if (first === undefined) throw new Fault('folder_needed', `${this.#agent.displayName} requires a working folder.`);
    return first;
  }
  get #canSteer(): boolean {
    return this.#hello?._meta?.steering?.supported ?? false;
  }

  #connected(): AgentConnection {
    if (this.#connection && this.#goneReason === undefined) return this.#connection;
    throw new Fault('unavailable', this.#goneReason ?? `${this.#agent.displayName} is not running.`);
  }

  async #openConversation(connection: AgentConnection, hello: InitializeResult): Promise<OpenedSession> {
    const { folders, resumeId, toolServers = [] } = this.#context;
    const abilities = hello.agentCapabilities;
    const { asProgram } = this.#context;
    const toMcp = abilities?.mcpCapabilities?.http ? toHttpServer : asProgram && toStdioServer(asProgram);
    const offered = toMcp ? await this.#context.offeredServer?.() : undefined;
    const place = {
      cwd: this.#cwd,
      mcpServers: toMcp ? [...toolServers, ...(offered ? [offered] : [])].map(toMcp) : [],
      ...(folders.length > 1 && abilities?.sessionCapabilities?.additionalDirectories
        ? { additionalDirectories: folders.slice(1) }
        : {}),
      ...(connection.meta && { _meta: connection.meta }),
    };
    const resume = abilities?.sessionCapabilities?.resume
      ? 'session/resume'
      : abilities?.loadSession
        ? 'session/load'
        : undefined;
    if (resumeId !== undefined && resume) {
      try {
        const answer = await connection.request(resume, { ...place, sessionId: resumeId }, this.#limits.openMs);
        this.#sessionId = resumeId;
        return OpenedSession.parse(answer ?? {});
      } catch (thrown) {
        // An answer with an error means that it does not know the conversation; silence or its end is reported as such.
        if (thrown instanceof Fault || isAuthRequired(thrown)) throw thrown;
      }
    }
    this.forgotEarlierTurns = resumeId !== undefined;
    const forked = resumeId === undefined ? await this.#fork(connection, abilities, place) : undefined;
    if (forked?.sessionId !== undefined) {
      this.#sessionId = forked.sessionId;
      this.isFork = true;
      return forked;
    }
    const opened = OpenedSession.parse(await connection.request('session/new', place, this.#limits.openMs));
    if (opened.sessionId === undefined)
      throw new Fault('unavailable', `${this.#agent.displayName} returned a session without an ID.`);
    this.#sessionId = opened.sessionId;
    this.began = toOptions(offerOf(opened));
    return opened;
  }

  /** @returns `undefined` where it cannot: its conversation begins anew, and the transcript goes with the first message */
  async #fork(
    connection: AgentConnection,
    abilities: InitializeResult['agentCapabilities'],
    place: object,
  ): Promise<OpenedSession | undefined> {
    const { forkOf } = this.#context;
    if (forkOf === undefined || abilities?.sessionCapabilities?.fork == null) return undefined;
    try {
      const answer = await connection.request('session/fork', { ...place, sessionId: forkOf }, this.#limits.openMs);
      return OpenedSession.parse(answer);
    } catch (thrown) {
      if (thrown instanceof Fault || isAuthRequired(thrown)) throw thrown;
      return undefined; // it does not know the conversation any more
    }
  }

  /** What differs of the agent's own form; it answers with all values as they are then. */
  async #setForm(values: Readonly<Record<string, unknown>>): Promise<void> {
    const { own } = this.#offer;
    if (!own?.config) return;
    const { schema, values: now } = own.config;
    const isOther = ([id, value]: [string, unknown]) =>
      Object.hasOwn(schema.properties, id) && JSON.stringify(value) !== JSON.stringify(now[id]);
    const changed = Object.fromEntries(Object.entries(values).filter(isOther));
    if (Object.keys(changed).length === 0) return;
    const params = { sessionId: this.#sessionId, values: changed };
    const set = SetConfig.parse(await this.#ask('_switchboard/set_config', params));
    this.#offer = { ...this.#offer, own: { ...own, config: { schema, values: set.values } } };
    this.#notifyOptions();
  }

  /** @throws {Fault} with the agent's reason */
  #ask(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const connection = this.#connected();
    return connection.request(method, params, this.#limits.configureMs).catch((thrown: unknown) => {
      throw toAgentFault(this.#agent, thrown, connection.clean);
    });
  }

  async #set(request: SetRequest | undefined): Promise<void> {
    if (!request) return;
    const answer = await this.#ask(request.method, request.params);
    const { configOptions } = ConfigOptions.safeParse(answer ?? {}).data ?? {};
    this.#offer = configOptions ? { ...this.#offer, configOptions } : withSet(this.#offer, request);
    this.#notifyOptions();
  }

  #update(raw: unknown): void {
    const { data: update } = SessionUpdate.safeParse(raw);
    if (!update) return; // of a kind that we do not know, or half of one: it only informs
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        this.#offer = { ...this.#offer, commands: update.availableCommands };
        this.#notifyOptions();
        return;
      case 'current_mode_update':
        if (!this.#offer.modes) return;
        this.#offer = { ...this.#offer, modes: { ...this.#offer.modes, currentModeId: update.currentModeId } };
        this.#notifyOptions();
        return;
      case 'config_option_update':
        this.#offer = { ...this.#offer, configOptions: update.configOptions ?? [] };
        this.#notifyOptions();
        return;
      case 'session_info_update': {
        const title = shownText(update.title ?? '', MAX_TITLE);
        if (title === '' || title === this.#title) return;
        this.#title = title;
        this.#notifyOptions();
        return;
      }
      default:
        // Between turns it plays an earlier conversation back to us: the host has it already.
        this.#turn?.update(update);
    }
  }

  #notifyOptions(): void {
    for (const listener of this.#optionListeners) listener();
  }
}

const pairs = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

const toHttpServer = ({ name, url, headers }: ToolServer): object => ({
  type: 'http',
  name,
  url,
  headers: pairs(headers),
});

/** What every agent takes, so it has no `type`. */
const toStdioServer =
  (asProgram: (server: ToolServer) => ToolProgram) =>
  (server: ToolServer): object => {
    const { command, args, env } = asProgram(server);
    return { name: server.name, command, args: [...args], env: pairs(env) };
  };
