import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { ChatState, Turn } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { SessionState } from '../../sidecar/protocol/channels/session/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import { HostPeer } from '../support/host/hostPeer.ts';
import { testWindow } from '../support/host/hostPlace.ts';
import { textOf } from './plan.ts';

interface Sent {
  readonly clientSeq: number;
  readonly channel: string;
  readonly action: AnyAction;
}

/**
 * A client that outlives its hosts: sends again what was not echoed, remembers what was, and counts what is missing or
 * there twice.
 */
export class StubbornClient {
  readonly clientId = `stubborn-${randomUUID()}`;
  readonly problems: string[] = [];
  session = '';
  chat = '';
  #peer: HostPeer | undefined;
  #socket = '';
  #clientSeq = 0;
  #unanswered: Sent[] = [];
  /** Ids of turns and queued messages that the host acknowledged. */
  readonly #acknowledged = new Map<string, string>();
  #title = '';
  /** By turn: the longest text that was seen. */
  readonly #seen = new Map<string, number>();

  get peer(): HostPeer {
    if (!this.#peer) throw new Error('not connected');
    return this.#peer;
  }

  /** Connects, checks what should be there, and sends again what was not answered. */
  async connect(socket: string): Promise<void> {
    this.#socket = socket;
    const stream = connect(socket);
    const peer = new HostPeer(stream);
    await peer.initialize(this.clientId, testWindow);
    this.#peer = peer;
    if (this.chat === '') return;
    await peer.subscribe(this.session);
    await peer.subscribe(this.chat);
    this.check();
    for (const it of this.#unanswered) peer.dispatch(it.channel, it.action, it.clientSeq);
    await this.answered();
  }

  /** Forgets a session that was checked to the end, and begins another one. */
  async renew(): Promise<void> {
    const { session, chat } = await this.peer.newSession();
    this.session = session;
    this.chat = chat;
    this.#acknowledged.clear();
    this.#seen.clear();
    this.#title = '';
  }

  send(channel: string, action: AnyAction): void {
    this.#clientSeq += 1;
    this.#unanswered.push({ clientSeq: this.#clientSeq, channel, action });
    this.peer.dispatch(channel, action, this.#clientSeq);
  }

  /** Settles when everything that was sent got its echo. */
  async answered(): Promise<void> {
    await this.peer.until(() => {
      this.note();
      return this.#unanswered.length === 0;
    });
  }

  /** Takes in what came until now: also what a host said just before it died. */
  note(): void {
    const peer = this.#peer;
    if (!peer) return;
    for (const { origin, action, rejectionReason } of peer.envelopes.splice(0)) {
      if (origin?.clientId !== this.clientId) continue;
      const known = this.#unanswered.some((it) => it.clientSeq === origin.clientSeq);
      this.#unanswered = this.#unanswered.filter((it) => it.clientSeq !== origin.clientSeq);
      if (known && rejectionReason === undefined) this.#acknowledge(action as AnyAction & Record<string, string>);
    }
    const turn = peer.chat(this.chat)?.activeTurn;
    if (turn) this.#seen.set(turn.id, Math.max(this.#seen.get(turn.id) ?? 0, textIn(turn.responseParts).length));
  }

  /** Everything acknowledged is there, once, and what was seen of a text is still its beginning. */
  check(): void {
    const chat = this.peer.chat(this.chat);
    const session = this.peer.session(this.session);
    const turns = [...chat.turns, ...(chat.activeTurn ? [chat.activeTurn] : [])];
    for (const [id, what] of this.#acknowledged) {
      const asTurn = turns.filter((it) => it.id === id || it.id === `from-${id}`).length;
      const times = asTurn + (chat.queuedMessages?.filter((it) => it.id === id).length ?? 0);
      if (times === 0) this.problems.push(`lost: ${what} ${id}`);
      if (times > 1) this.problems.push(`twice: ${what} ${id}`);
    }
    if (this.#title !== '' && Number(session.title.slice(1)) < Number(this.#title.slice(1)))
      this.problems.push(`lost: title ${this.#title}`);
    for (const turn of turns) this.#checkText(turn);
    if (new Set(turns.map((it) => it.id)).size < turns.length) this.problems.push('twice: a turn');
  }

  /** The state that was made of actions is the one that the host answers. */
  async compare(): Promise<void> {
    const mirrors = [this.peer.chat(this.chat), this.peer.session(this.session)];
    const second = new HostPeer(connect(this.#socket));
    await second.initialize(`${this.clientId}-second`, testWindow);
    const states = [await second.subscribe<ChatState>(this.chat), await second.subscribe<SessionState>(this.session)];
    if (JSON.stringify(sorted(mirrors)) !== JSON.stringify(sorted(states)))
      this.problems.push(`mirror differs: ${this.chat}`);
    second.close();
  }

  #acknowledge(action: AnyAction & Record<string, string>): void {
    if (action.type === 'chat/turnStarted') this.#acknowledged.set(action['turnId']!, 'turn');
    if (action.type === 'chat/pendingMessageSet') this.#acknowledged.set(action['id']!, 'queued message');
    if (action.type === 'session/titleChanged') this.#title = action['title']!;
  }

  #checkText(turn: Pick<Turn, 'id' | 'responseParts'>): void {
    const text = textIn(turn.responseParts);
    const pieces = text.match(/<\d+>/g) ?? [];
    if (pieces.join('') !== text || pieces.some((it, n) => it !== textOf(n)))
      this.problems.push(`twice or lost: text of ${turn.id}`);
    if (text.length < (this.#seen.get(turn.id) ?? 0)) this.problems.push(`lost: text of ${turn.id} that was seen`);
  }
}

function textIn(parts: Turn['responseParts']): string {
  return parts.map((it) => (it.kind === 'markdown' ? it.content : '')).join('');
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, it]) => [key, sorted(it)]),
  );
}
