import type { Store, Written } from '../../sidecar/host/state/store.ts';
import type { ChatState, Turn } from '../../sidecar/protocol/channels/chat/schema.ts';
import { channelOf } from '../../sidecar/protocol/channels/index.ts';
import { sameJson } from '../../sidecar/protocol/collections.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';

interface Moment {
  readonly seq: number;
  readonly state: unknown;
}

/** So many states of a channel are remembered, for clients that are behind. */
const MOST_MOMENTS = 300;
const CLOSING: ReadonlySet<string> = new Set(['chat/turnComplete', 'chat/turnCancelled', 'chat/error']);

/** What hosts said to anyone, over all their lives: what a client has, and what the next host has, is compared with it. */
export class Reference {
  readonly #violation: (what: string) => void;
  readonly #moments = new Map<string, Moment[]>();
  /** Dispatches that were accepted, each once, over all lives. */
  readonly #accepted = new Set<string>();
  /** Turns that were closed, with the action that did it. */
  readonly #closed = new Map<string, string>();
  #last = 0;
  #isFirst = true;
  #isOpening = false;
  /** Queued messages and channels that somebody wants gone. */
  readonly taken = new Set<string>();
  readonly disposed = new Set<string>();
  /** A write failed, and nothing was written since: what could not be written is numbered anew. */
  mayLeaveOut = false;

  constructor(violation: (what: string) => void) {
    this.#violation = violation;
  }

  /** How many turns came to their end. */
  get turns(): number {
    return this.#closed.size;
  }

  /** Everything that a host lets go, in its order. */
  heard({ envelope, after, only }: Written): void {
    const { serverSeq, channel, action, origin, rejectionReason } = envelope;
    if (serverSeq <= this.#last) this.#violation(`number ${serverSeq} came after ${this.#last}`);
    else if (serverSeq !== this.#last + 1 && !this.#isFirst && !this.mayLeaveOut)
      this.#violation(`number ${serverSeq} came after ${this.#last}: there is a gap`);
    this.#isFirst = false;
    this.#last = serverSeq;
    if (rejectionReason !== undefined || only !== undefined) return;
    this.mayLeaveOut = false;
    if (origin && origin.clientSeq > 0) {
      const id = `${origin.clientId} ${origin.clientSeq}`;
      if (this.#accepted.has(id)) this.#violation(`dispatch ${id} (${action.type}) took effect twice`);
      this.#accepted.add(id);
    }
    this.#checkTurn(channel, action);
    this.#checkReduced(channel, action, after, envelope._meta.at);
    const moments = this.#moments.get(channel) ?? [];
    this.#moments.set(channel, moments);
    moments.push({ seq: serverSeq, state: after });
    if (moments.length > MOST_MOMENTS) moments.splice(0, MOST_MOMENTS / 2);
  }

  /** A host is gone, and another one begins. What it says while it opens puts right what the first one left. */
  open(): ReadonlyMap<string, unknown> {
    this.#isFirst = true;
    this.#isOpening = true;
    return new Map([...this.#moments].map(([channel, moments]) => [channel, moments.at(-1)!.state]));
  }
  /** It is open: what was said before has to be there. @param planned titles that may have been written unsaid */
  begin(said: ReadonlyMap<string, unknown>, store: Store, planned: ReadonlySet<string>): void {
    this.#isOpening = false;
    for (const [channel, state] of said) {
      const now = store.written(channel)?.state;
      if (now === undefined && this.disposed.has(channel)) {
        this.forget(channel);
        continue;
      }
      const kind = channelOf(channel)?.kind;
      if (kind === 'chat') this.#checkChat(channel, state as ChatState, now as ChatState | undefined);
      if (kind === 'session') this.#checkTitle(channel, state, now, planned);
    }
    this.adopt(store);
  }
  /** What a host that has begun made of the states without saying so. */
  adopt(store: Store): void {
    for (const [channel, moments] of this.#moments) {
      const now = store.written(channel);
      if (now) moments.push({ seq: Math.max(now.fromSeq, moments.at(-1)!.seq), state: now.state });
    }
  }
  forget(channel: string): void {
    this.#moments.delete(channel);
  }

  /** What a client has to have that heard everything up to `seq`; undefined where that is not known. */
  at(channel: string, seq: number): unknown {
    return this.#moments.get(channel)?.findLast((it) => it.seq <= seq)?.state;
  }
  latest(channel: string): unknown {
    return this.#moments.get(channel)?.at(-1)?.state;
  }
  get channels(): readonly string[] {
    return [...this.#moments.keys()];
  }

  #checkTurn(channel: string, action: AnyAction): void {
    const { turnId } = action as { turnId?: string };
    if (turnId === undefined || !channel.startsWith('host-chat:') || action.type === 'chat/truncated') return;
    const id = `${channel} ${turnId}`;
    const by = this.#closed.get(id);
    if (by !== undefined) this.#violation(`${action.type} of turn ${turnId} came after its ${by}`);
    if (CLOSING.has(action.type)) this.#closed.set(id, action.type);
  }

  /** The state of the host is what its reducer makes of the one before: so clients can have the same. */
  #checkReduced(channel: string, action: AnyAction, after: unknown, at: string): void {
    const definition = channelOf(channel);
    const before = this.latest(channel);
    if (!definition || before === undefined || definition.kind === 'root' || this.#isOpening) return;
    const reduced: unknown = definition.reduce(before, action, { now: at });
    const settled: unknown = definition.settle ? definition.settle(reduced) : reduced;
    if (!sameJson(settled, after)) this.#violation(`${action.type} of ${channel} left another state than it makes`);
  }

  #checkChat(channel: string, said: ChatState, now: ChatState | undefined): void {
    if (!now) return this.#violation(`${channel} was said to be there, and is lost`);
    const turns = new Map(now.turns.map((it) => [it.id, it]));
    if (turns.size < now.turns.length) this.#violation(`a turn of ${channel} is there twice`);
    for (const turn of said.turns) {
      const found = turns.get(turn.id);
      if (!found) this.#violation(`turn ${turn.id} of ${channel} was said to have ended, and is lost`);
      else if (!sameJson(found, turn)) this.#violation(`turn ${turn.id} of ${channel} is not as it was said`);
    }
    if (said.activeTurn) this.#checkActive(said.activeTurn as Turn, turns, now);
    for (const { id } of said.queuedMessages ?? []) {
      const isThere = now.queuedMessages?.some((it) => it.id === id) || this.#wasSent(id, now);
      if (!isThere) this.#violation(`queued message ${id} was acknowledged and is lost`);
    }
  }
  /** Where it became a turn that nobody was told of, or was taken away, that was the last that was written. */
  #wasSent(id: string, now: ChatState): boolean {
    return [...now.turns, now.activeTurn].some((it) => it?.id.endsWith(id)) || this.taken.has(id);
  }

  #checkActive(said: Pick<Turn, 'id' | 'responseParts'>, turns: ReadonlyMap<string, Turn>, now: ChatState): void {
    const found = now.activeTurn?.id === said.id ? now.activeTurn : turns.get(said.id);
    if (!found) return this.#violation(`turn ${said.id} was said to run, and is lost`);
    for (const [n, part] of said.responseParts.entries()) {
      const kept = found.responseParts[n];
      if (kept?.kind !== part.kind) return this.#violation(`a part of turn ${said.id} was said, and is lost`);
      const [was, is] = [(part as { content?: unknown }).content, (kept as { content?: unknown }).content];
      if (typeof was === 'string' && !String(is).startsWith(was))
        return this.#violation(`text of turn ${said.id} was said, and is lost`);
    }
  }

  #checkTitle(channel: string, said: unknown, now: unknown, planned: ReadonlySet<string>): void {
    if (now === undefined) return this.#violation(`${channel} was said to be there, and is lost`);
    const [was, is] = [(said as { title: string }).title, (now as { title: string }).title];
    if (was !== is && !planned.has(is)) this.#violation(`title “${was}” of ${channel} was said, and is lost`);
  }
}
