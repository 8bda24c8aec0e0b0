import { Fault } from '../../platform/faults.ts';
import type { TerminalAction, TerminalState } from '../../protocol/channels/terminal/schema.ts';
import type { AnyAction } from '../../protocol/envelope.ts';
import type { Params } from '../../protocol/methods.ts';
import { ROOT, schemes } from '../../protocol/uris.ts';
import { activeTurn, toolCallOf } from '../context/chatAccess.ts';
import type { CommandRequest, CommandTerminal, CommandTerminals } from '../context/commandTerminals.ts';
import type { ResourceRequester } from '../resources/access.ts';
import type { Written } from '../state/store.ts';
import type { TerminalContext } from './checkTerminal.ts';
import type { OpenTerminals, OpenTerminalsDeps } from './openTerminals.ts';

/** How long the terminals of a client that broke off go on. */
const CLIENT_GRACE_MS = 30_000;

export interface TerminalsDeps extends Omit<OpenTerminalsDeps, 'onChanged'> {
  readonly isConnected: (clientId: string) => boolean;
}

/** Terminals of clients and sessions. The code that starts programs is loaded with the first terminal. */
export class Terminals implements CommandTerminals {
  readonly #deps: TerminalsDeps;
  readonly #stop: () => void;
  #open: OpenTerminals | undefined;
  /** Claims of those that are being made. */
  readonly #making = new Set<{ readonly claim: TerminalState['claim']; isGone: boolean }>();
  /** By client that broke off: what stops its grace. */
  readonly #leaving = new Map<string, () => void>();

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
    this.#stop = deps.effects.store.onWritten((written) => this.#onWritten(written));
  }

  /** @throws {Fault} what {@link OpenTerminals.create} says, `session_not_found` when its session went meanwhile */
  async create(params: Params<'createTerminal'>, requester: ResourceRequester): Promise<void> {
    await this.#make(params.claim, async (open) => {
      await open.create(params, requester, this.#contextOf(requester));
      return params;
    });
    if (!this.#deps.isConnected(requester.clientId)) this.clientGone(requester.clientId);
  }

  run(request: CommandRequest): Promise<CommandTerminal> {
    return this.#make({ kind: 'session', session: request.session }, (open) => open.run(request));
  }

  /** @throws {Fault} `session_not_found`, `forbidden` for whoever does not hold it */
  async dispose(channel: string, requester: ResourceRequester): Promise<void> {
    const state = this.#state(channel);
    if (!state || !this.#open?.get(channel)) throw new Fault('session_not_found', 'terminal not found');
    await this.#open.dispose(channel, state, this.#contextOf(requester));
  }

  check(channel: string, action: TerminalAction, requester: ResourceRequester): string | undefined {
    const state = this.#state(channel);
    return state && this.#open?.check(action, state, this.#contextOf(requester));
  }

  /** The session goes, and with it what runs for it. */
  async sessionGone(session: string): Promise<void> {
    const isOfIt = ({ claim }: Pick<TerminalState, 'claim'>) => claim.kind === 'session' && claim.session === session;
    for (const it of this.#making) it.isGone ||= isOfIt(it);
    await this.#removeWhere(isOfIt);
  }

  /** Its connection broke: unless it comes back in time, its terminals end. */
  clientGone(clientId: string): void {
    const isTheirs = ({ claim }: TerminalState) => claim.kind === 'client' && claim.clientId === clientId;
    if (!this.#channels().some((it) => isTheirs(this.#state(it)!))) return;
    const { timers, report, newId } = this.#deps.effects;
    this.#leaving.get(clientId)?.();
    const stop = timers.after(CLIENT_GRACE_MS, () => {
      this.#leaving.delete(clientId);
      if (this.#deps.isConnected(clientId)) return;
      this.#removeWhere(isTheirs).catch((thrown: unknown) => report(newId(), thrown));
    });
    this.#leaving.set(clientId, stop);
  }

  async close(): Promise<void> {
    this.#stop();
    await Promise.all(this.#channels().map(async (it) => this.#open?.get(it)?.stop()));
  }

  /** @throws {Fault} `session_not_found` if its session was disposed meanwhile */
  async #make<T extends { readonly channel: string }>(
    claim: TerminalState['claim'],
    work: (open: OpenTerminals) => Promise<T>,
  ): Promise<T> {
    const making = { claim, isGone: false };
    this.#making.add(making);
    let made: T;
    try {
      const { OpenTerminals } = await import('./openTerminals.ts');
      this.#open ??= new OpenTerminals({ ...this.#deps, onChanged: () => this.#announce() });
      made = await work(this.#open);
    } finally {
      this.#making.delete(making);
    }
    if (making.isGone || this.#isOfNone(making)) {
      await this.#open.remove(made.channel);
      throw new Fault('session_not_found', 'the session no longer exists');
    }
    return made;
  }

  #onWritten({ envelope, only }: Written): void {
    const { channel, rejectionReason } = envelope;
    if (rejectionReason !== undefined || only || !channel.startsWith(`${schemes.terminal}:`)) return;
    const action = envelope.action as TerminalAction;
    const child = this.#open?.get(channel)?.child;
    if (action.type === 'terminal/input') child?.write(action.data);
    if (action.type === 'terminal/resized') child?.resize(action.cols, action.rows);
    if (action.type === 'terminal/claimed') this.#open?.claimed(channel);
    if (action.type === 'terminal/claimed' || action.type === 'terminal/titleChanged') this.#announce();
  }

  #isOfNone({ claim }: Pick<TerminalState, 'claim'>): boolean {
    return claim.kind === 'session' && this.#deps.effects.store.state('session', claim.session) === undefined;
  }

  async #removeWhere(isMeant: (state: TerminalState) => boolean): Promise<void> {
    const meant = this.#channels().filter((it) => isMeant(this.#state(it)!));
    await Promise.all(meant.map(async (it) => this.#open?.remove(it)));
  }

  #channels(): readonly string[] {
    return (this.#open?.channels ?? []).filter((it) => this.#state(it));
  }
  #state(channel: string): TerminalState | undefined {
    return this.#deps.effects.store.state('terminal', channel);
  }

  #announce(): void {
    const terminals = this.#channels().map((resource) => {
      const { title, claim, exitCode } = this.#state(resource)!;
      return { resource, title, claim, ...(exitCode !== undefined && { exitCode }) };
    });
    this.#deps.effects.store.commit(ROOT, { type: 'root/terminalsChanged', terminals } as AnyAction);
  }

  #contextOf(requester: ResourceRequester): TerminalContext {
    const { store } = this.#deps.effects;
    return {
      clientId: requester.clientId,
      trusted: requester.window?.trusted !== false,
      isConnected: this.#deps.isConnected,
      isIn: (session) => requester.baselines.has(session) && store.state('session', session) !== undefined,
      isRunning: (session, turnId, toolCallId) =>
        (store.state('session', session)?.chats ?? []).some(
          (it) => toolCallOf(activeTurn(store, it.resource, turnId), toolCallId)?.status === 'running',
        ),
    };
  }
}
