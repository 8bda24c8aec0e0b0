import type { LimitReset } from '../../../../agents/usageLimits.ts';
import type { Runtime } from '../../../../platform/runtime.ts';
import type { ActiveTurn, ChatState } from '../../../../protocol/channels/chat/schema.ts';
import {
  PARKED,
  type Parked,
  ParkedList,
  parkedChats,
  parkedOf,
  USAGE_LIMITED,
} from '../../../../protocol/channels/session/parked.ts';
import type { Message } from '../../../../protocol/shared.ts';
import { commitChat, commitMeta } from '../../../context/chatAccess.ts';
import type { ParkedChats } from '../../../context/effectDeps.ts';
import type { Store } from '../../../state/store.ts';
import type { HostStorage } from '../../../storage/hostStorage.ts';
import { resetMs } from './resetTime.ts';

export interface ParkingDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly store: Store;
  readonly storage: Pick<HostStorage, 'small'>;
}

/** Where the URIs of parked chats are stored, so that a host that starts does not look at all chats. */
const KEY = 'limit.parked';
/** The host notices within this time that the computer was asleep. */
const LOOK_MS = 60_000;
const CONTINUE = 'The usage limit has ended. Continue where you stopped.';

/**
 * Chats whose agents reached a usage limit. The message waits at the head of the chat's queue, which starts each message exactly
 * once, and `_meta.parked` of the session says until when. Both are committed with the end of the turn, in one tick.
 */
export class Parking implements ParkedChats {
  readonly #deps: ParkingDeps;
  #known: Set<string> | undefined;
  #resume: (chat: string) => void = () => undefined;
  #stop: () => void = () => undefined;

  constructor(deps: ParkingDeps) {
    this.#deps = deps;
  }

  begin(resume: (chat: string) => void): void {
    this.#resume = resume;
    // A host that was killed may have taken the message out of the queue and not said that the chat is no longer parked.
    for (const chat of [...this.#all]) if (!this.#isQueued(chat)) this.leave(chat);
    this.look();
  }

  end(): void {
    this.#stop();
    this.#resume = () => undefined;
  }

  park(chat: string, turnId: string, reset: LimitReset | undefined): void {
    const { store, clock, newId } = this.#deps;
    const state = store.state('chat', chat);
    const turn = state?.activeTurn;
    const session = store.metadata(chat)?.session;
    if (!state || turn?.id !== turnId || session === undefined) return;
    if (state.origin?.kind === 'tool') return; // the agent that delegated is told, and reaches the limit itself
    const id = newId();
    const until = new Date(resetMs(reset, attemptsIn(state), clock.nowMs())).toISOString();
    const waiting = (state.queuedMessages ?? []).map((it) => it.id);
    commitChat(store, chat, { type: 'chat/pendingMessageSet', kind: 'queued', id, message: messageFor(turn) });
    if (waiting.length > 0) commitChat(store, chat, { type: 'chat/queuedMessagesReordered', order: [id, ...waiting] });
    this.#commit(session, chat, { until, message: id });
    this.#write((known) => known.add(chat));
    this.look();
  }

  leave(chat: string): void {
    const { store } = this.#deps;
    const session = store.metadata(chat)?.session;
    if (session !== undefined && this.#parkedOf(chat)) this.#commit(session, chat, undefined);
    if (this.#all.has(chat)) this.#write((known) => known.delete(chat));
  }

  withdrawn(chat: string, message: string): boolean {
    if (this.#parkedOf(chat)?.message !== message) return false;
    this.leave(chat);
    return true;
  }

  holds(chat: string): boolean {
    const parked = this.#parkedOf(chat);
    return parked !== undefined && Date.parse(parked.until) > this.#deps.clock.nowMs();
  }

  isParked(chat: string): boolean {
    return this.#parkedOf(chat) !== undefined;
  }

  /** Resumes the chats that are due, and looks again when the next one is. */
  look(): void {
    this.#stop();
    const nowMs = this.#deps.clock.nowMs();
    let nextMs: number | undefined;
    for (const chat of [...this.#all]) {
      const parked = this.#parkedOf(chat);
      if (!parked) {
        this.#write((known) => known.delete(chat)); // the chat is gone
        continue;
      }
      const leftMs = Date.parse(parked.until) - nowMs;
      if (leftMs <= 0) this.#resume(chat);
      nextMs = Math.min(nextMs ?? LOOK_MS, leftMs <= 0 ? LOOK_MS : leftMs);
    }
    this.#stop = nextMs === undefined ? () => undefined : this.#deps.timers.after(nextMs, () => this.look());
  }

  #parkedOf(chat: string) {
    const { store } = this.#deps;
    return parkedOf(store.state('session', store.metadata(chat)?.session ?? '')?._meta, chat);
  }

  #isQueued(chat: string): boolean {
    const message = this.#parkedOf(chat)?.message;
    return this.#deps.store.state('chat', chat)?.queuedMessages?.some((it) => it.id === message) === true;
  }

  #commit(session: string, chat: string, parked: Parked | undefined): void {
    const { store } = this.#deps;
    const { [chat]: _before, ...others } = parkedChats(store.state('session', session)?._meta);
    const chats = parked ? { ...others, [chat]: parked } : others;
    commitMeta(store, session, PARKED, Object.keys(chats).length > 0 ? chats : undefined);
  }

  #write(change: (known: Set<string>) => unknown): void {
    const { store, storage } = this.#deps;
    change(this.#all);
    const text = JSON.stringify([...this.#all]);
    store.writeRows(() => storage.small.putText(KEY, text));
  }

  get #all(): Set<string> {
    return (this.#known ??= new Set(ParkedList.parse(JSON.parse(this.#deps.storage.small.text(KEY) ?? '[]'))));
  }
}

/** How many turns in a row, up to the running one, reached a limit before it. */
function attemptsIn({ turns }: ChatState): number {
  const last = turns.findLastIndex((it) => it.error?.errorType !== USAGE_LIMITED);
  return turns.length - 1 - last;
}

/** The message as it was sent. If tools already ran, the agent is asked to continue instead, so that nothing is done twice. */
function messageFor({ message, responseParts }: ActiveTurn): Message {
  if (!responseParts.some((it) => it.kind === 'toolCall')) return message;
  const { model, agent } = message;
  return {
    text: CONTINUE,
    origin: { kind: 'systemNotification' },
    ...(model && { model }),
    ...(agent && { agent }),
  };
}
