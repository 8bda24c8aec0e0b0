import type { MessageText, StreamEvent } from '../../backends/mcp/streamEvent.ts';
import { endOfIds, startOfIds, withBehind } from './eventPlace.ts';
import type { Session } from './sessions.ts';

/** An event as clients get it, with the gateway's own ID. */
export interface KeptEvent {
  readonly seq: number;
  readonly id: string;
  readonly retryMs?: number;
  readonly data: MessageText;
}

/** Counted for each event besides its text, so that many small events count too. */
const eventBytes = 128;

/** Somebody who reads a stream, until it ends or they leave. */
export interface Reading {
  readonly events: AsyncIterable<KeptEvent>;
  /** The connection is gone. */
  leave(): void;
}

export interface KeptStreamDeps {
  readonly replica: string;
  readonly id: string;
  readonly session: Session;
  readonly controller: AbortController;
  readonly requestId: string | number;
  readonly source: AsyncIterable<StreamEvent>;
  /** What all streams of the session keep. */
  readonly kept: { bytes: number };
  readonly maxBytes: number;
  /** Nobody reads it any more. */
  readonly onLeft: (stream: KeptStream) => void;
  /** Somebody reads it again. */
  readonly onJoined: (stream: KeptStream) => void;
  /** It was read to its end, or let go. */
  readonly onReleased: (stream: KeptStream) => void;
  /** Nobody reads it, and it has more than may be kept. */
  readonly onTooMuch: (stream: KeptStream) => void;
}

/**
 * The events of one call's answer. A connected client pulls them from the backend as fast as it reads. Without a
 * connection, they are taken as they come, so that the call continues. If there is more than may be kept, events that
 * were already sent are dropped first.
 */
export class KeptStream {
  readonly #deps: KeptStreamDeps;
  readonly #source: AsyncIterator<StreamEvent>;
  readonly #start: string;
  readonly #end: string;
  #events: KeptEvent[] = [];
  /** The number of the first event that is kept. */
  #firstSeq = 1;
  /** Events up to this one were sent. */
  #sentSeq = 0;
  #behind: string | undefined;
  #taking: Promise<void> | undefined;
  #ending: { readonly failure?: unknown } | undefined;
  #reader: object | undefined;
  #isReleased = false;

  constructor(deps: KeptStreamDeps) {
    this.#deps = deps;
    this.#source = deps.source[Symbol.asyncIterator]();
    this.#start = startOfIds(deps.replica, deps.id);
    this.#end = endOfIds(deps.requestId);
  }

  get id(): string {
    return this.#deps.id;
  }
  get session(): Session {
    return this.#deps.session;
  }
  get controller(): AbortController {
    return this.#deps.controller;
  }

  /** The number of its newest event. */
  get lastSeq(): number {
    return this.#firstSeq + this.#events.length - 1;
  }

  /** The ID of the place before its first event, so that a client that got nothing else can resume. */
  get firstId(): string {
    return `${this.#start}0${this.#end}`;
  }

  /** Reads what follows an event. An earlier reader is a connection that the client gave up. */
  read(after: number): Reading {
    const reader = {};
    const isRead = this.#reader !== undefined;
    this.#reader = reader;
    if (!isRead) this.#deps.onJoined(this);
    return {
      events: this.#eventsFor(reader, after),
      leave: () => {
        if (this.#reader !== reader) return;
        this.#reader = undefined;
        this.#deps.onLeft(this);
        void this.#takeAll();
      },
    };
  }

  /** Keeps nothing from here on. The call itself goes on until it ends or is cancelled. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#deps.kept.bytes -= this.#events.reduce((sum, it) => sum + sizeOf(it), 0);
    this.#events = [];
    this.#deps.onReleased(this);
  }

  async *#eventsFor(reader: object, after: number): AsyncGenerator<KeptEvent> {
    let seq = after + 1;
    while (this.#reader === reader) {
      seq = Math.max(seq, this.#firstSeq);
      const event = this.#events[seq - this.#firstSeq];
      if (event) {
        this.#sentSeq = Math.max(this.#sentSeq, seq);
        seq += 1;
        yield event;
      } else if (this.#ending) {
        this.release();
        if ('failure' in this.#ending) throw this.#ending.failure;
        return;
      } else {
        await this.#take();
      }
    }
  }

  async #takeAll(): Promise<void> {
    while (this.#reader === undefined && !this.#ending) await this.#take();
  }

  #take(): Promise<void> {
    this.#taking ??= this.#takeOne().finally(() => {
      this.#taking = undefined;
    });
    return this.#taking;
  }

  async #takeOne(): Promise<void> {
    try {
      const next = await this.#source.next();
      if (next.done) this.#ending = {};
      else this.#push(next.value);
    } catch (failure) {
      this.#ending = { failure };
    }
  }

  #push({ id, retryMs, data }: StreamEvent): void {
    if (this.#isReleased) return;
    if (id !== undefined) this.#behind = id;
    const seq = this.#firstSeq + this.#events.length;
    const own = withBehind(`${this.#start}${seq}${this.#end}`, this.#behind);
    const event = { seq, id: own, data, ...(retryMs !== undefined && { retryMs }) };
    this.#events.push(event);
    this.#deps.kept.bytes += sizeOf(event);
    if (this.#deps.kept.bytes > this.#deps.maxBytes) this.#makeRoom();
  }

  #makeRoom(): void {
    const { kept, maxBytes } = this.#deps;
    while (kept.bytes > maxBytes && this.#firstSeq <= this.#sentSeq && this.#events.length > 0) {
      kept.bytes -= sizeOf(this.#events.shift() as KeptEvent);
      this.#firstSeq += 1;
    }
    if (kept.bytes > maxBytes && this.#reader === undefined) this.#deps.onTooMuch(this);
  }
}

const sizeOf = ({ data }: KeptEvent): number => data.length + eventBytes;
