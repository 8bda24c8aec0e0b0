import type { Dispatcher } from 'undici';
import type { ByteFlow, FlowReader } from '../../../platform/httpMessages.ts';
import { wholeBytes } from '../../../platform/requestBody.ts';

/** Bytes of an answer. Read to its end or destroyed; one that is left alone keeps its socket. */
export type BackendBody = AsyncIterable<Uint8Array> & ByteFlow;

/** How much of an answer waits here while nobody reads it. */
const MAX_WAITING_BYTES = 65_536;

/** The bytes of one answer as they come from the socket: for one reader, either as a whole text or piece by piece. */
export class AnswerBody implements BackendBody {
  readonly #controller: Dispatcher.DispatchController;
  /** Called once, when nobody needs the socket any more. */
  readonly #onRead: (() => void) | undefined;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isWhole = false;
  #isRead = false;
  #failure: { readonly thrown: unknown } | undefined;
  /** Called with each change, while a reader waits for one. */
  #changed: (() => void) | undefined;
  /** The reader of the flow has room, so pieces are passed on as they arrive. */
  #hasRoom = false;
  #isPassing = false;

  constructor(controller: Dispatcher.DispatchController, onRead?: () => void) {
    this.#controller = controller;
    this.#onRead = onRead;
  }

  push(chunk: Uint8Array): void {
    if (this.#isRead) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#controller.pause();
    if (this.#hasRoom) this.#passSoon();
    else this.#changed?.();
  }
  end(): void {
    this.#isWhole = true;
    this.#changed?.();
  }
  fail(thrown: unknown): void {
    if (this.#isWhole) return;
    this.#failure ??= { thrown };
    this.#read();
    this.#changed?.();
  }

  destroy(): void {
    if (this.#isRead) return;
    this.#waiting = [];
    this.#failure ??= { thrown: new Error('The response was discarded before it was complete.') };
    this.#read();
    if (!this.#isWhole) this.#controller.abort(this.#failure.thrown as Error);
    this.#changed?.();
  }

  /** All that is left; `undefined` beyond the limit, where the rest is not read. @throws what broke the answer */
  text(maxBytes: number): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    return new Promise((resolve, reject) => {
      const read = () => {
        for (const it of this.#take()) {
          size += it.byteLength;
          chunks.push(it);
        }
        if (size > maxBytes) {
          this.#changed = undefined;
          this.destroy();
          resolve(undefined);
        } else if (this.#failure) {
          reject(this.#failure.thrown as Error);
        } else if (this.#isWhole) {
          this.#read();
          resolve(textOf(chunks));
        }
      };
      this.#changed = read;
      read();
    });
  }

  /**
   * Passes on the pieces that wait, then others as they arrive, and then the end or the failure. Pieces that arrive together are
   * passed on together, because a stream of many small pieces costs several times as much piece by piece.
   *
   * @returns a function to call when the reader has room again
   */
  flow(reader: FlowReader): () => void {
    const pass = () => {
      const taken = this.#take();
      this.#hasRoom = taken.length === 0 || reader.chunk(joined(taken));
      if (!this.#hasRoom || !this.#changed || !(this.#failure || this.#isWhole)) return;
      this.#changed = undefined;
      this.#hasRoom = false;
      if (this.#failure) {
        reader.fail(this.#failure.thrown);
      } else {
        this.#read();
        reader.end();
      }
    };
    this.#changed = () => {
      if (this.#hasRoom) pass();
    };
    pass();
    return pass;
  }

  /** Passes pieces on after the socket has delivered everything that it has now. */
  #passSoon(): void {
    if (this.#isPassing) return;
    this.#isPassing = true;
    queueMicrotask(() => {
      this.#isPassing = false;
      this.#changed?.();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    try {
      while (true) {
        yield* this.#take();
        if (this.#waiting.length > 0) continue;
        if (this.#failure) throw this.#failure.thrown;
        if (this.#isWhole) return;
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
        this.#changed = undefined;
      }
    } finally {
      if (this.#isWhole) this.#read();
      else this.destroy();
    }
  }

  #take(): readonly Uint8Array[] {
    const taken = this.#waiting;
    if (taken.length === 0) return taken;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (this.#controller.paused) this.#controller.resume();
    return taken;
  }

  #read(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    this.#onRead?.();
  }
}

/** All of a body; `undefined` beyond the limit, where the rest is not read. @throws what broke it */
export async function wholeText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  if (body instanceof AnswerBody) return body.text(maxBytes);
  const whole = await wholeBytes(body, maxBytes);
  return whole && textOf([whole]);
}

const joined = (chunks: readonly Uint8Array[]): Buffer =>
  chunks.length === 1
    ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, chunks[0]!.byteLength)
    : Buffer.concat(chunks);
const textOf = (chunks: readonly Uint8Array[]): string => joined(chunks).toString('utf8');
