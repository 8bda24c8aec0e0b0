import type { OfferedResult } from '../../agents/provider.ts';
import type { Children } from '../../platform/children/children.ts';
import { keysIn } from '../../platform/children/environment.ts';
import { Fault } from '../../platform/faults.ts';
import type { Timers } from '../../platform/timers.ts';
import type { McpAuthRequirement } from '../../protocol/channels/chat/toolCalls.ts';
import type { McpServerState } from '../../protocol/channels/session/customizations.ts';
import type { ProtectedResourceMetadata, ToolDefinition } from '../../protocol/shared.ts';
import { type Challenge, challengeIn, requirementOf } from './challenge.ts';
import { type OpenServer, openServer, START_LIMIT_MS } from './openServer.ts';
import { readServerConfig, type ServerConfig, type ServerDefinition } from './serverConfig.ts';

/** A token of a client. */
export interface ServerToken {
  readonly value: string;
  /** What it really grants, where its client said so. */
  readonly scopes?: readonly string[];
  /** The server did not take it. */
  readonly refused: () => void;
}

export interface RunningServerDeps {
  readonly timers: Pick<Timers, 'deadline'>;
  readonly name: string;
  readonly session: string;
  readonly children: Pick<Children, 'spawn'>;
  readonly token: (resource: string) => ServerToken | undefined;
  readonly advertise: (resource: ProtectedResourceMetadata) => () => void;
  readonly hide: (secret: string) => void;
  readonly report: (thrown: unknown) => void;
  /** Called for every change of the state, in order. */
  readonly moved: (state: McpServerState) => void;
  readonly toolsChanged: () => void;
}

/** What a call brought: its result, or what a token must fulfil before it can be made. */
export type ServerAnswer =
  | { readonly kind: 'result'; readonly result: OfferedResult }
  | { readonly kind: 'auth'; readonly auth: McpAuthRequirement };

/** One server of one session, from when it is known until it goes. */
export class RunningServer {
  readonly #deps: RunningServerDeps;
  #definition: { readonly key: string; readonly value: ServerDefinition | undefined } | undefined;
  #env: Readonly<Record<string, string>> = {};
  #config: ServerConfig | undefined;
  #open: OpenServer | undefined;
  #attempt = new AbortController();
  #isHeld = false;
  #token: ServerToken | undefined;
  /** Resources for which it wanted a token, and what takes that back. */
  readonly #resources = new Map<string, () => void>();
  /** By what a call was answered: the token that the server did not take. */
  readonly #tried = new WeakMap<McpAuthRequirement, string | undefined>();
  #waiting: { readonly isGood: (token: ServerToken) => boolean; readonly wake: () => void }[] = [];
  state: McpServerState = { kind: 'stopped' };
  /** Settles when the last start came to an end. */
  settled: Promise<void> = Promise.resolve();

  constructor(deps: RunningServerDeps) {
    this.#deps = deps;
  }

  get name(): string {
    return this.#deps.name;
  }
  get tools(): readonly ToolDefinition[] {
    return this.state.kind === 'ready' ? (this.#open?.tools ?? []) : [];
  }

  /** @returns whether it has to be started: it is defined otherwise than before, and nobody stopped it */
  define(definition: ServerDefinition | undefined, env: Readonly<Record<string, string>>): boolean {
    const key = JSON.stringify(definition) ?? '';
    this.#env = env;
    if (this.#definition?.key === key) return false;
    this.#definition = { key, value: definition };
    return !this.#isHeld;
  }

  /** Starts it, or starts it anew. Its state shows the outcome. */
  start(): void {
    this.#isHeld = false;
    const ended = this.#letGo();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#move({ kind: 'starting' });
    let token: ServerToken | undefined;
    this.settled = ended
      .then(() => {
        token = this.#token;
        return this.#start(attempt.signal);
      })
      .catch((thrown: unknown) => this.#failed(thrown, attempt.signal, token))
      .catch(this.#deps.report);
  }
  /** A person stopped it: it stays so until a person starts it. */
  hold(): void {
    this.#isHeld = true;
    this.stop().catch(this.#deps.report);
  }
  async stop(): Promise<void> {
    const ended = this.#letGo();
    for (const takeBack of this.#resources.values()) takeBack();
    this.#resources.clear();
    this.#move({ kind: 'stopped' });
    this.#deps.toolsChanged();
    await ended;
  }

  async call(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ServerAnswer> {
    const open = this.#open;
    if (!open) throw new Fault('unavailable', `The MCP server "${this.name}" is not running.`);
    const before = this.#token;
    const attempt = this.#attempt.signal;
    try {
      return { kind: 'result', result: await open.call(name, input, AbortSignal.any([signal, attempt])) };
    } catch (thrown) {
      signal.throwIfAborted();
      const challenge = challengeIn(thrown);
      if (!challenge) throw thrown instanceof Fault ? thrown : new Fault('unavailable', messageOf(thrown));
      const auth = await this.#require(challenge, before, attempt);
      // Without a good token it is of no use for anything; a call that needs more than others is a matter of the call.
      const isWanting = auth.reason === 'expired' && this.#token?.value === challenge.sent;
      if (isWanting) this.#move({ kind: 'authRequired', ...auth });
      return { kind: 'auth', auth };
    }
  }

  asksFor(resource: string): boolean {
    return this.#resources.has(resource);
  }
  take(token: ServerToken): void {
    this.#token = token;
    const woken = this.#waiting.filter((it) => it.isGood(token));
    this.#waiting = this.#waiting.filter((it) => !woken.includes(it));
    for (const { wake } of woken) wake();
    if (this.state.kind !== 'authRequired') return;
    if (this.#open) this.#move({ kind: 'ready' });
    else this.start();
    this.#deps.toolsChanged();
  }
  /**
   * Settles with a token that can do what the one that was sent could not, which may have come meanwhile: another one, which
   * grants what is asked for as far as that is known. Rejects when it stops, or `signal` aborts.
   */
  async nextToken(auth: McpAuthRequirement, signal: AbortSignal): Promise<void> {
    const { requiredScopes = [] } = auth;
    const tried = this.#tried.has(auth) ? this.#tried.get(auth) : this.#token?.value;
    const isGood = ({ value, scopes }: ServerToken) =>
      value !== tried && (scopes === undefined || requiredScopes.every((it) => scopes.includes(it)));
    const over = AbortSignal.any([signal, this.#attempt.signal]);
    over.throwIfAborted();
    if (this.#token && isGood(this.#token)) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(over.reason);
      over.addEventListener('abort', onAbort, { once: true });
      const wake = () => {
        over.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiting.push({ isGood, wake });
    });
  }

  /** @throws a `Challenge` somewhere among its causes, or what went wrong */
  async #start(signal: AbortSignal): Promise<void> {
    const { name, session, children, timers } = this.#deps;
    const definition = this.#definition?.value;
    if (!definition) throw new Fault('not_found', 'The server is no longer defined in its configuration file.');
    const config = readServerConfig(definition, this.#env);
    this.#config = config;
    for (const it of secretsIn(config)) this.#deps.hide(it);
    const limit = AbortSignal.any([signal, timers.deadline(START_LIMIT_MS)]);
    const open = await openServer(
      config,
      { children, name, session, env: this.#env, token: () => this.#token?.value },
      limit,
    );
    if (signal.aborted) return open.close();
    this.#open = open;
    open.onTools(this.#deps.toolsChanged);
    void open.ended.then((why) => {
      if (this.#open !== open) return;
      this.#open = undefined;
      this.#attempt.abort(new Fault('unavailable', why));
      this.#move(failure(why));
      this.#deps.toolsChanged();
    });
    this.#move({ kind: 'ready' });
    this.#deps.toolsChanged();
  }

  /** @param before the token that there was when it was started */
  async #failed(thrown: unknown, signal: AbortSignal, before: ServerToken | undefined): Promise<void> {
    if (signal.aborted) return;
    const challenge = challengeIn(thrown);
    if (!challenge) return this.#move(failure(messageOf(thrown)));
    try {
      const auth = await this.#require(challenge, before, signal);
      const pushed = this.#deps.token(auth.resource.resource);
      if (pushed === undefined || pushed.value === challenge.sent) return this.#move({ kind: 'authRequired', ...auth });
      this.#token = pushed; // for another server of the same resource, in an earlier life of this one, or meanwhile
      await this.#start(signal).catch((again: unknown) => this.#failed(again, signal, pushed));
    } catch (refused) {
      if (!signal.aborted) this.#move(failure(messageOf(refused)));
    }
  }

  /**
   * @param before the token that there was before the request; the one of now may not be the one that was sent
   * @throws the reason of `attempt`: a server that was stopped meanwhile asks clients for nothing
   */
  async #require(
    challenge: Challenge,
    before: ServerToken | undefined,
    attempt: AbortSignal,
  ): Promise<McpAuthRequirement> {
    const config = this.#config;
    if (!config || config.kind === 'stdio')
      throw new Fault('unavailable', 'The MCP server requires a token that is not available.');
    const mcp = await import('@modelcontextprotocol/client');
    const auth = await requirementOf(challenge, config, mcp);
    attempt.throwIfAborted();
    const { resource } = auth.resource;
    if (!this.#resources.has(resource)) this.#resources.set(resource, this.#deps.advertise(auth.resource));
    this.#tried.set(auth, challenge.sent);
    if (auth.reason === 'expired') [before, this.#token].find((it) => it?.value === challenge.sent)?.refused();
    return auth;
  }

  async #letGo(): Promise<void> {
    this.#attempt.abort(new Fault('unavailable', `The server "${this.name}" was stopped.`));
    const open = this.#open;
    this.#open = undefined;
    await open?.close().catch(this.#deps.report);
  }

  #move(state: McpServerState): void {
    if (state.kind === 'stopped' && this.state.kind === 'stopped') return;
    this.state = state;
    this.#deps.moved(state);
  }
}

const failure = (message: string): McpServerState => ({ kind: 'error', error: { errorType: 'mcpServer', message } });

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What looks like a key in its environment, and its headers. */
function secretsIn(config: ServerConfig): readonly string[] {
  if (config.kind === 'stdio') return keysIn(config.env);
  const values = Object.values(config.headers).flatMap((it) => [it, it.replace(/^\w+ /, '')]);
  return [...values, config.oauthClient?.clientSecret ?? ''].filter((it) => it.length >= 12);
}
