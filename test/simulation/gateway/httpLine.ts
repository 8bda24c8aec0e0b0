import { Buffer } from 'node:buffer';
import type { SimWire } from '../wire.ts';

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
export interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}
export interface ServerEvent {
  readonly id: string | undefined;
  readonly data: string;
}
/** Receives a response as it arrives. Either `onEnd` or `onBroken` is called once, as the last call. */
export interface Listener {
  readonly onHead?: (head: Head) => void;
  /** Called for each event of a stream. */
  readonly onEvent?: (event: ServerEvent) => void;
  /** @param body empty for a stream of events */
  readonly onEnd: (head: Head, body: string) => void;
  /** The connection broke before the end. @param head if it had arrived */
  readonly onBroken: (head: Head | undefined) => void;
}

/** A connection of an HTTP client, which can be reused for later requests. */
export class HttpLine {
  readonly wire: SimWire;
  #listener: Listener | undefined;
  #head: Head | undefined;
  #bytes = Buffer.alloc(0);
  #body = '';
  #events = '';
  #isClosed = false;

  constructor(wire: SimWire) {
    this.wire = wire;
    wire.left.on('data', (chunk: Buffer) => this.#take(chunk));
    const closed = () => {
      this.#isClosed = true;
      const listener = this.#listener;
      this.#listener = undefined;
      listener?.onBroken(this.#head);
      wire.left.destroy();
    };
    wire.left.on('end', closed).on('close', closed);
  }

  get isFree(): boolean {
    return !this.#isClosed && this.#listener === undefined;
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }

  send({ method, path, headers, body }: Ask, listener: Listener): void {
    this.#listener = listener;
    this.#head = undefined;
    const text = body === undefined ? '' : JSON.stringify(body);
    const all = {
      host: 'gateway.test',
      ...headers,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.wire.left.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  }

  #take(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#listener && this.#takeSome());
  }

  /** @returns whether there may be more */
  #takeSome(): boolean {
    if (!this.#head) return this.#takeHead();
    const { headers } = this.#head;
    if (headers.get('transfer-encoding') === 'chunked') return this.#takeChunk();
    const length = Number(headers.get('content-length') ?? 0);
    if (this.#bytes.length < length) return false;
    this.#add(this.#bytes.subarray(0, length).toString());
    this.#bytes = this.#bytes.subarray(length);
    this.#end();
    return true;
  }

  #takeHead(): boolean {
    const end = this.#bytes.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [first = '', ...lines] = this.#bytes.subarray(0, end).toString('latin1').split('\r\n');
    this.#bytes = this.#bytes.subarray(end + 4);
    const pair = (line: string): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    };
    this.#head = { status: Number(first.split(' ')[1]), headers: new Map(lines.map(pair)) };
    this.#body = '';
    this.#events = '';
    this.#listener?.onHead?.(this.#head);
    return true;
  }

  #takeChunk(): boolean {
    const line = this.#bytes.indexOf('\r\n');
    if (line < 0) return false;
    const size = Number.parseInt(this.#bytes.subarray(0, line).toString(), 16);
    if (this.#bytes.length < line + 2 + size + 2) return false;
    const piece = this.#bytes.subarray(line + 2, line + 2 + size).toString();
    this.#bytes = this.#bytes.subarray(line + 2 + size + 2);
    if (size === 0) this.#end();
    else this.#add(piece);
    return true;
  }

  #add(text: string): void {
    if (!this.#head?.headers.get('content-type')?.startsWith('text/event-stream')) {
      this.#body += text;
      return;
    }
    this.#events += text;
    for (let end = this.#events.indexOf('\n\n'); end >= 0; end = this.#events.indexOf('\n\n')) {
      const event = readEvent(this.#events.slice(0, end));
      this.#events = this.#events.slice(end + 2);
      if (event) this.#listener?.onEvent?.(event);
    }
  }

  #end(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onEnd(this.#head!, this.#body);
  }
}

/** @returns `undefined` for a comment */
function readEvent(text: string): ServerEvent | undefined {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  return id === undefined && data.length === 0 ? undefined : { id, data: data.join('\n') };
}
