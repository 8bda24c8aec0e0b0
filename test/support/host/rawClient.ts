import type { Duplex } from 'node:stream';
import { FrameDecoder } from '../../../sidecar/transport/frames.ts';
import { Waits } from '../waits.ts';
import { toFrame } from './toFrame.ts';

/** A message as it came over the wire. */
export interface Heard {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The bare other end of a connection: it writes whatever bytes a test wants and keeps whatever comes. */
export class RawClient {
  readonly heard: Heard[] = [];
  isClosed = false;
  readonly #stream: Duplex;
  readonly #decoder = new FrameDecoder();
  readonly #waits = new Waits(() => ({ heard: this.heard.slice(-8), isClosed: this.isClosed }));

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      for (const body of this.#decoder.push(chunk).bodies) this.heard.push(JSON.parse(body.toString()) as Heard);
      this.#waits.look();
    });
    for (const event of ['end', 'close', 'error'] as const) stream.on(event, () => this.#closed());
  }

  write(bytes: string | Uint8Array): void {
    this.#stream.write(bytes);
  }
  /** A message in a good frame; text goes as it is. */
  send(message: string | object): void {
    this.write(toFrame(typeof message === 'string' ? message : JSON.stringify(message)));
  }
  /** @returns the answer, error or not */
  async ask(id: number | string, method: string, params: object): Promise<Heard> {
    this.send({ jsonrpc: '2.0', id, method, params });
    return this.answerTo(id);
  }
  async answerTo(id: unknown): Promise<Heard> {
    await this.until(() => this.heard.some((it) => it.id === id), `request ${String(id)} is answered`);
    return this.heard.find((it) => it.id === id)!;
  }
  /** Settles after a message, or the end, with which it is true. @param what a sentence that is true then */
  until(isTrue: () => boolean, what?: string): Promise<void> {
    return this.#waits.until(isTrue, what);
  }
  destroy(): void {
    this.#stream.destroy();
  }

  #closed(): void {
    this.isClosed = true;
    this.#waits.end('the connection ended');
  }
}
