import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import { type LastHead, type ResponseParts, ResponseReader } from './responseReader.ts';

/** A request whose head and body are ready to be written. */
interface LaneRequest {
  /** The request line and all headers except `content-length`, in Latin-1. */
  readonly head: string;
  readonly body: string | Uint8Array;
}

/** One request and its response. */
export class LaneExchange implements Dispatcher.DispatchController, ResponseParts {
  readonly request: LaneRequest;
  readonly #handler: Dispatcher.DispatchHandler;
  #lane: Lane | undefined;
  #reason: Error | null = null;
  #isPaused = false;
  #isOver = false;

  constructor(request: LaneRequest, handler: Dispatcher.DispatchHandler) {
    this.request = request;
    this.#handler = handler;
  }

  get aborted(): boolean {
    return this.#reason !== null;
  }
  get reason(): Error | null {
    return this.#reason;
  }
  get paused(): boolean {
    return this.#isPaused;
  }
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Called before the request is written. @returns false if the request was aborted while it waited */
  begin(lane: Lane): boolean {
    this.#handler.onRequestStart?.(this, undefined);
    if (this.#isOver) return false;
    this.#lane = lane;
    return true;
  }
  head(status: number, headers: Readonly<Record<string, string | string[]>>): void {
    if (!this.#isOver) this.#handler.onResponseStart?.(this, status, headers);
  }
  data(bytes: Buffer): void {
    if (!this.#isOver) this.#handler.onResponseData?.(this, bytes);
  }
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseEnd?.(this, {});
  }
  fail(thrown: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.onResponseError?.(this, thrown);
  }

  abort(reason: Error): void {
    if (this.#isOver) return;
    this.#reason = reason;
    this.fail(reason);
    this.#lane?.destroy();
  }
  pause(): void {
    if (this.#isOver) return;
    this.#isPaused = true;
    this.#lane?.pause();
  }
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (!this.#isOver) this.#lane?.resume();
  }
}

export interface LaneListener {
  /** The connection can carry another exchange. */
  freed(lane: Lane): void;
  closed(lane: Lane): void;
}

/** A network socket, or a stream that simulates one. */
type LaneSocket = Duplex & Partial<Pick<Socket, 'ref' | 'unref'>>;

/** A connection that carries one exchange at a time. */
export class Lane {
  readonly #socket: LaneSocket;
  readonly #listener: LaneListener;
  readonly #lastHead: LastHead;
  #exchange: LaneExchange | undefined;
  #reader: ResponseReader | undefined;
  #isClosed = false;
  #keepAliveMs: number | undefined;

  /** @param lastHead of all connections to the origin */
  constructor(socket: LaneSocket, listener: LaneListener, lastHead: LastHead) {
    this.#socket = socket;
    this.#listener = listener;
    this.#lastHead = lastHead;
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('end', () => this.#ended());
    socket.on('error', (thrown) => this.#broken(thrown));
    socket.on('close', () => this.#broken(new errors.SocketError('other side closed')));
  }

  /** How long the server keeps an idle connection open; `undefined` if its last response did not state that. */
  get keepAliveMs(): number | undefined {
    return this.#keepAliveMs;
  }

  send(exchange: LaneExchange): void {
    if (!exchange.begin(this)) return this.#listener.freed(this);
    this.#exchange = exchange;
    this.#reader = new ResponseReader(exchange, this.#lastHead);
    this.#write(exchange.request);
  }

  destroy(): void {
    this.#broken(new errors.SocketError('the connection was closed'));
  }
  pause(): void {
    this.#socket.pause();
  }
  resume(): void {
    this.#socket.resume();
  }
  /** An idle connection does not keep the process alive. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref?.();
    else this.#socket.unref?.();
  }

  #write({ head, body }: LaneRequest): void {
    const socket = this.#socket;
    const length = Buffer.byteLength(body);
    const whole = `${head}content-length: ${length}\r\n\r\n`;
    // An ASCII body is sent with its head in a single write.
    if (typeof body === 'string' && length === body.length) {
      socket.write(whole + body, 'latin1');
      return;
    }
    socket.cork();
    socket.write(whole, 'latin1');
    socket.write(body);
    socket.uncork();
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange;
    const reader = this.#reader;
    // No request is in progress. These bytes must not become the response to the next one.
    if (!exchange || !reader) return this.destroy();
    try {
      reader.read(bytes);
    } catch (thrown) {
      return this.#broken(thrown as Error);
    }
    // The caller may have aborted the exchange while its last bytes were read. A closed connection must not be used again.
    if (reader.isOver && !this.#isClosed) this.#over(exchange, reader);
  }

  #over(exchange: LaneExchange, reader: ResponseReader): void {
    this.#exchange = undefined;
    this.#reader = undefined;
    // If a part of the request is unsent, the server responded before it had read the request.
    const isSent = this.#socket.writableLength === 0;
    if (!isSent || !reader.isReusable) return this.destroy();
    if (exchange.paused) this.#socket.resume();
    this.#keepAliveMs = reader.keepAliveMs;
    this.#listener.freed(this);
  }

  #ended(): void {
    const reader = this.#reader;
    if (reader) reader.closed();
    this.#broken(new errors.SocketError('other side closed'));
  }

  #broken(thrown: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
    this.#exchange?.fail(thrown);
    this.#listener.closed(this);
  }
}
