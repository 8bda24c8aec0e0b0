import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { isRecord } from '../../platform/isRecord.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { judgeMessage, readJson } from '../judge.ts';
import type { LinkEvents, MessageLink } from '../link.ts';
import { type SharedNotification, WireText } from '../wireText.ts';
import { afterThisTick } from '../writer.ts';
import type { ProtocolAdapter } from './adapter.ts';
import { closeCodes, goodbye } from './goodbye.ts';
import { Pace } from './pace.ts';

/** A client that leaves more than this unread has {@link STALL_MS} to read half of it. */
const HIGH_BYTES = 1024 * 1024;
const STALL_MS = 30_000;

export interface WebSocketLinkOptions extends Pick<Runtime, 'clock' | 'timers'> {
  /** What a client may send; it is read no faster. */
  readonly messagesPerSecond: number;
  /** Deepest nesting of a message. */
  readonly maxDepth: number;
  /** Most bytes that may wait for a client; beyond, the link closes with reason `overflow`. */
  readonly maxQueueBytes: number;
  /** Asked about each message of a client until it is known; `undefined`: not by this one. Absent: none is needed. */
  readonly adapterFor?: (message: unknown) => ProtocolAdapter | undefined;
}

/** Messages in the text frames of a WebSocket (RFC 6455), one in each. */
export class WebSocketLink implements MessageLink {
  readonly #socket: WebSocket;
  /** What the WebSocket is written to: all messages of one tick leave together. */
  readonly #stream: Duplex;
  readonly #options: WebSocketLinkOptions;
  readonly #pace: Pace;
  #adapter: ProtocolAdapter | undefined;
  #came: Buffer[] = [];
  #isClosed = false;
  #isCorked = false;
  /** Stops the wait for a client that does not read. */
  #stalled: (() => void) | undefined;
  /** Stops the wait of a client that is too fast. */
  #waited: (() => void) | undefined;
  #events: LinkEvents | undefined;

  constructor(socket: WebSocket, stream: Duplex, options: WebSocketLinkOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#options = options;
    this.#pace = new Pace(options.messagesPerSecond, options.clock.monotonicMs);
  }

  get queuedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  listen(events: LinkEvents): void {
    this.#events = events;
    this.#socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return this.#goodbye(closeCodes.notText, 'messages must be text');
      // Those of one chunk come in one tick, and are handled together.
      if (this.#came.push(data) === 1) queueMicrotask(() => this.#readAll(events));
    });
    this.#socket.once('close', () => this.#end('the peer closed the connection'));
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.resume();
    else this.#end('the peer closed the connection');
  }

  write(message: object): boolean {
    const shown = this.#adapter ? this.#adapter.toClient(message as Record<string, unknown>) : message;
    return shown === undefined ? !this.#isClosed : this.#send(new WireText(JSON.stringify(shown)));
  }

  writeShared(notification: SharedNotification): boolean {
    const wire = this.#adapter ? this.#adapter.shared(notification) : notification.wire;
    return wire === undefined ? !this.#isClosed : this.#send(wire);
  }

  close(): void {
    this.#goodbye(closeCodes.goingAway, 'the host closed the connection');
  }

  #readAll(events: LinkEvents): void {
    const came = this.#came;
    this.#came = [];
    this.#together(() =>
      events.around(() => {
        for (const it of came) if (!this.#isClosed) this.#read(it, events);
      }),
    );
    this.#keepPace(came.length);
  }

  #read(data: Buffer, { message, refused }: LinkEvents): void {
    const read = readJson(data, this.#options.maxDepth);
    if ('refusal' in read) return refused({ ...read.refusal, fatal: false });
    const adapted = this.#adapt(read.value);
    if (adapted === undefined) return;
    const verdict = judgeMessage(adapted.value);
    if (verdict.ok) message(verdict.message);
    else refused({ ...verdict.refusal, fatal: false });
  }

  /** @returns what is for the host, where something is */
  #adapt(value: unknown): { readonly value: unknown } | undefined {
    this.#adapter ??= this.#options.adapterFor?.(value);
    if (!this.#adapter || !isRecord(value)) return { value };
    const { toHost, toClient, close } = this.#adapter.fromClient(value);
    if (toClient) this.#send(new WireText(JSON.stringify(toClient)));
    if (close !== undefined) this.#goodbye(closeCodes.normal, close);
    return toHost && { value: toHost };
  }

  #keepPace(count: number): void {
    const delayMs = this.#pace.spend(count);
    if (delayMs === 0 || this.#isClosed) return;
    this.#socket.pause();
    this.#waited?.();
    this.#waited = this.#options.timers.after(delayMs, () => this.#socket.resume());
  }

  #send(wire: WireText): boolean {
    if (this.#isClosed) return false;
    this.#cork();
    const { bytes } = wire;
    const isMuch = this.#socket.bufferedAmount + bytes.length > HIGH_BYTES;
    this.#socket.send(bytes, { binary: false }, isMuch ? () => this.#taken() : undefined);
    if (this.#socket.bufferedAmount > this.#options.maxQueueBytes) {
      this.#goodbye(closeCodes.goingAway, 'the host closed the connection', 'overflow');
      return false;
    }
    if (isMuch) this.#stalled ??= this.#options.timers.after(STALL_MS, () => this.#stall());
    return true;
  }

  /** The client has read some of what waited. */
  #taken(): void {
    if (!this.#stalled || this.#socket.bufferedAmount > HIGH_BYTES / 2) return;
    this.#stalled();
    this.#stalled = undefined;
  }
  #stall(): void {
    this.#goodbye(closeCodes.tryAgain, 'the client stopped reading');
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    afterThisTick(() => this.#uncork());
  }
  #uncork(): void {
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#stream.uncork();
  }
  /** What `work` writes leaves with its end, without waiting for the end of the tick. */
  #together(work: () => void): void {
    if (this.#isCorked) return work();
    this.#isCorked = true;
    this.#stream.cork();
    try {
      work();
    } finally {
      this.#uncork();
    }
  }

  #goodbye(code: number, words: string, reason = words): void {
    if (this.#isClosed) return;
    this.#end(reason);
    goodbye(this.#socket, code, words, this.#options.timers);
    this.#uncork();
  }
  #end(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stalled?.();
    this.#waited?.();
    this.#events?.closed(reason);
  }
}
