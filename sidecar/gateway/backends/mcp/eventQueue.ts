import { AsyncQueue } from '../../../platform/asyncQueue.ts';
import type { StreamEvent } from './streamEvent.ts';

/** Messages on their way to one reader. A reader that is too slow for `maxBytes` loses the stream, not the memory. */
export class EventQueue implements AsyncIterable<StreamEvent> {
  readonly #maxBytes: number;
  readonly #tooMuch: () => Error;
  readonly #events = new AsyncQueue<StreamEvent>();
  #bytes = 0;
  /** Called when the reader leaves before the end. */
  onLeft: () => void = () => undefined;

  constructor(maxBytes: number, tooMuch: () => Error) {
    this.#maxBytes = maxBytes;
    this.#tooMuch = tooMuch;
  }

  get isEnded(): boolean {
    return this.#events.isEnded;
  }

  push(event: StreamEvent): void {
    if (this.isEnded) return;
    this.#bytes += event.data.length;
    if (this.#bytes > this.#maxBytes) this.end(this.#tooMuch());
    else this.#events.push(event);
  }

  /** What is queued is still read, then the reader sees the end, or the error. */
  end(error?: Error): void {
    if (error) this.#events.fail(error);
    else this.#events.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    let isRead = false;
    try {
      for await (const next of this.#events) {
        this.#bytes -= next.data.length;
        yield next;
      }
      isRead = true;
    } catch (failure) {
      isRead = true;
      throw failure;
    } finally {
      if (!isRead) this.onLeft();
    }
  }
}
