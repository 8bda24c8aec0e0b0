import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Fault } from '../../platform/faults.ts';
import type { HttpRequest } from '../../platform/httpMessages.ts';
import type { HeaderList } from '../auth/headerList.ts';
import type { EarlierHeaders } from './earlierHeaders.ts';

/** A request of the listener. What few handlers ask for is made when they do. */
export class IncomingRequest implements HttpRequest {
  readonly method: string;
  /** As it stood on the wire. */
  readonly pathname: string;
  /** With its question mark; `''` where there is none. */
  readonly search: string;
  readonly headers: HeaderList;
  readonly incoming: IncomingMessage;
  onCut: ((canceller: AbortController) => void) | undefined = undefined;
  readonly #outgoing: ServerResponse;
  #disconnected: AbortController | undefined;
  #text: Promise<string> | undefined;
  #bytes: Promise<Buffer> | undefined;

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, earlier: EarlierHeaders) {
    const { method = 'GET', url = '' } = incoming;
    const query = url.indexOf('?');
    this.method = method;
    this.pathname = query < 0 ? url : url.slice(0, query);
    this.search = query < 0 ? '' : url.slice(query);
    this.headers = earlier.read(incoming);
    this.incoming = incoming;
    this.#outgoing = outgoing;
  }

  get url(): string {
    return `http://${this.headers.first('host') ?? ''}${this.pathname}${this.search}`;
  }

  get signal(): AbortSignal {
    return this.canceller.signal;
  }
  get canceller(): AbortController {
    if (!this.#disconnected) {
      const controller = new AbortController();
      this.#disconnected = controller;
      const left = () => {
        if (this.#outgoing.writableFinished) return;
        if (this.onCut) this.onCut(controller);
        else controller.abort(new Error('The caller closed the connection.'));
      };
      if (this.#outgoing.destroyed) left();
      else this.#outgoing.once('close', left);
    }
    return this.#disconnected;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.method === 'GET' || this.method === 'HEAD') return null;
    return Readable.toWeb(this.incoming) as ReadableStream<Uint8Array>;
  }

  /** The same again for whoever reads after the first. */
  text(): Promise<string> {
    this.#text ??= this.bytes().then(decoded);
    return this.#text;
  }

  bytes(): Promise<Buffer> {
    this.#bytes ??= bytesOf(this.incoming);
    return this.#bytes;
  }

  /** The body was read: it is the same for whoever reads it from now on. */
  wasRead(text: string): void {
    this.#text = Promise.resolve(text);
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/** @throws {Fault} `invalid_params` if the caller disconnects before the end */
function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const broken = (cause?: Error) =>
      reject(new Fault('invalid_params', 'The caller disconnected before the request was complete.', { cause }));
    const left = () => {
      if (!incoming.readableEnded) broken();
    };
    if (incoming.destroyed) {
      left();
      return;
    }
    incoming.on('data', (chunk: Buffer) => void chunks.push(chunk));
    incoming.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    incoming.on('error', broken);
    incoming.on('close', left);
  });
}

/** A mark of the byte order is none of the text (WHATWG Encoding, "UTF-8 decode"). */
const decoded = (bytes: Buffer): string =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.toString('utf8', 3) : bytes.toString();
