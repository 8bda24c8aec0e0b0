import type { Dispatcher } from 'undici';
import type { ByteFlow, FlowReader } from '../../../platform/httpMessages.ts';

/** Bytes of an answer. Read to its end or destroyed; one that is left alone keeps its socket. */
export interface BackendBody extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/** How much of an answer waits here while nobody reads it. */
const MAX_WAITING_BYTES = 65_536;

/** The bytes of one answer as they come from the socket: for one reader, either as a whole text or piece by piece. */
export class AnswerBody implements BackendBody, ByteFlow {
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
  /** Gets pieces as they arrive, while it has room. */
  #reader: FlowReader | undefined;

  constructor(controller: Dispatcher.DispatchController, onRead?: () => void) {
    this.#controller = controller;
    this.#onRead = onRead;
  }

  push(chunk: Uint8Array): void {
    if (this.#isRead) return;
    if (this.#reader && this.#waiting.length === 0) {
      if (!this.#reader.chunk(chunk)) this.#reader = undefined;
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#controller.pause();
    this.#changed?.();
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
   * Passes on the pieces that wait, then others as they arrive, and then the end or the failure.
   *
   * @returns a function to call when the reader has room again
   */
  flow(reader: FlowReader): () => void {
    const pass = () => {
      const taken = this.#take();
      let hasRoom = true;
      for (const it of taken) hasRoom = reader.chunk(it);
      this.#reader = hasRoom ? reader : undefined;
      if (!hasRoom) return;
      if (this.#failure) {
        this.#changed = undefined;
        reader.fail(this.#failure.thrown);
      } else if (this.#isWhole) {
        this.#changed = undefined;
        this.#read();
        reader.end();
      }
    };
    this.#changed = () => {
      if (this.#reader) pass();
    };
    pass();
    return pass;
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
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return textOf(chunks);
}

const textOf = (chunks: readonly Uint8Array[]): string =>
  (chunks.length === 1
    ? Buffer.from(chunks[0]!.buffer, chunks[0]!.byteOffset, chunks[0]!.byteLength)
    : Buffer.concat(chunks)
  ).toString('utf8');
