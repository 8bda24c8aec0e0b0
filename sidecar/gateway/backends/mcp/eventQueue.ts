import type { StreamEvent } from './types.ts';

/** Messages on their way to one reader. A reader that is too slow for `maxBytes` loses the stream, not the memory. */
export class EventQueue implements AsyncIterable<StreamEvent> {
  readonly #maxBytes: number;
  readonly #tooMuch: () => Error;
  readonly #waiting: StreamEvent[] = [];
  #bytes = 0;
  #wake: (() => void) | undefined;
  #end: { readonly error?: Error } | undefined;
  /** Called when the reader leaves before the end. */
  onLeft: () => void = () => undefined;

  constructor(maxBytes: number, tooMuch: () => Error) {
    this.#maxBytes = maxBytes;
    this.#tooMuch = tooMuch;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  push(event: StreamEvent): void {
    if (this.#end) return;
    this.#bytes += event.data.length;
    if (this.#bytes > this.#maxBytes) {
      this.end(this.#tooMuch());
      return;
    }
    this.#waiting.push(event);
    this.#wake?.();
  }

  /** What is queued is still read, then the reader sees the end, or the error. */
  end(error?: Error): void {
    this.#end ??= error ? { error } : {};
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent> {
    let isRead = false;
    try {
      while (true) {
        const next = this.#waiting.shift();
        if (next) {
          this.#bytes -= next.data.length;
          yield next;
        } else if (this.#end) {
          isRead = true;
          if (this.#end.error) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = undefined;
        }
      }
    } finally {
      if (!isRead) this.onLeft();
    }
  }
}
