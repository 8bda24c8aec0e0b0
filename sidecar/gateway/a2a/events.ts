import { createParser, type EventSourceParser } from 'eventsource-parser';
import { isRecord } from './deps.ts';
import type { Tally } from './tally.ts';

/** Looks into a stream that passes by, a line at a time; what is longer than the limit passes unread. */
export class EventReader {
  readonly #parser: EventSourceParser;
  readonly #decoder = new TextDecoder();
  #isFull = false;
  #errorCode: string | undefined;

  /** @param onResult sees what each answer of the stream holds */
  constructor(tally: Tally, maxBytes: number, onResult: (result: unknown) => void) {
    this.#parser = createParser({
      maxBufferSize: maxBytes,
      onEvent: ({ data }) => {
        const answer = parse(data);
        if (!isRecord(answer)) return;
        if (isRecord(answer['error'])) this.#errorCode = String(answer['error']['code']);
        tally.see(answer['result']);
        onResult(answer['result']);
      },
      onError: ({ type }) => {
        this.#isFull = type === 'max-buffer-size-exceeded';
      },
    });
  }

  /** The number of the error that the stream said, if it said one. */
  get errorCode(): string | undefined {
    return this.#errorCode;
  }

  read(bytes: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#parser.reset();
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // the caller's to complain about: it is relayed as it came
  }
}
