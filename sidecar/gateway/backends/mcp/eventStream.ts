import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { tooLarge } from './failure.ts';
import type { HttpResponse, McpTarget } from './types.ts';

/** An event as it came, which nobody read yet. */
export interface NamedEvent {
  readonly id?: string;
  readonly retryMs?: number;
  /** What it is, as the older transport names its POST address. */
  readonly event?: string;
  readonly data: string;
}

type EventLimits = Pick<McpTarget, 'name' | 'maxResponseBytes'>;

/** Reads the events in the bytes of a `text/event-stream` body. */
export class EventReader {
  readonly #limits: EventLimits;
  readonly #decoder = new StringDecoder();
  readonly #parser: EventSourceParser;
  #ready: NamedEvent[] = [];
  #retryMs: number | undefined;
  #isTooLarge = false;

  constructor(limits: EventLimits) {
    this.#limits = limits;
    this.#parser = createParser({
      maxBufferSize: limits.maxResponseBytes,
      onRetry: (ms) => {
        this.#retryMs = ms;
      },
      onEvent: ({ id, event, data }) => {
        // The parser counts only what it holds between two pieces.
        this.#isTooLarge ||= data.length > limits.maxResponseBytes;
        if (this.#isTooLarge) return;
        this.#ready.push({
          data,
          ...(id !== undefined && { id }),
          ...(event !== undefined && { event }),
          ...(this.#retryMs !== undefined && { retryMs: this.#retryMs }),
        });
        this.#retryMs = undefined;
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#isTooLarge = true;
      },
    });
  }

  /** The events that end in the next piece of the body. @throws {BackendFailure} `too_large` for one beyond the limit */
  *read(piece: Uint8Array): Generator<NamedEvent, void> {
    this.#parser.feed(this.#decoder.write(piece));
    const ready = this.#ready;
    this.#ready = [];
    yield* ready;
    if (this.#isTooLarge) throw tooLarge(this.#limits.name, this.#limits.maxResponseBytes);
  }
}

/** The events of a `text/event-stream` body as they come. @throws {BackendFailure} `too_large` for one beyond the limit */
export async function* readEvents(body: AsyncIterable<Uint8Array>, limits: EventLimits): AsyncGenerator<NamedEvent> {
  const reader = new EventReader(limits);
  for await (const piece of body) yield* reader.read(piece);
}

/** Reads a body that nobody wants, so that its socket can be used again; at most 64 KB of it. */
export async function discard(response: HttpResponse): Promise<void> {
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > 65_536) return;
  }
}

export function headerOf(response: HttpResponse, name: string): string | undefined {
  const value = response.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
