import type { ByteFlow, FlowReader } from '../../platform/httpMessages.ts';
import type { Timers } from '../../platform/timers.ts';
import type { AnswerEvent } from './events.ts';

const keepAlive = Buffer.from(': keepalive\n\n');

/** How a stream ended: the agent ended it, it broke, or the caller disconnected. */
export type StreamEnd = 'whole' | 'broken' | 'left';

export interface RelayedStreamOptions {
  /** Of the agent. */
  readonly source: ByteFlow;
  /** The answers that end in the next piece of the stream. @throws what breaks the stream */
  readonly read: (piece: Uint8Array) => Iterator<AnswerEvent, void>;
  /** Called with each answer before it is written. @returns a promise to await before the answer is written */
  readonly onAnswer: (answer: AnswerEvent['answer']) => Promise<unknown> | undefined;
  /** Called with the text that is written. */
  readonly onWritten: (text: string) => void;
  /** Called once. */
  readonly onEnd: (end: StreamEnd, cause?: unknown) => void;
  /** The last event if the stream broke. */
  readonly brokenEvent: (cause: unknown) => string;
  readonly keepAliveMs: number;
  readonly timers: Pick<Timers, 'every'>;
}

/**
 * Relays an event stream. Events that arrive together are written together, no faster than the caller reads them, and comments fill
 * the pauses. A stream that breaks ends with an event that says so.
 */
export class RelayedStream implements ByteFlow {
  readonly #options: RelayedStreamOptions;
  #hasRoom = true;
  /** The answers of a piece are on their way to the reader. */
  #isPassing = false;
  #isQuiet = false;
  #isOver = false;
  #resume = (): void => undefined;
  #stopKeepAlive = (): void => undefined;

  constructor(options: RelayedStreamOptions) {
    this.#options = options;
  }

  flow(to: FlowReader): () => void {
    const { source, read, timers, keepAliveMs } = this.#options;
    this.#stopKeepAlive = timers.every(keepAliveMs, () => {
      if (this.#isQuiet && this.#hasRoom) this.#hasRoom = to.chunk(keepAlive);
      this.#isQuiet = true;
    });
    this.#resume = source.flow({
      chunk: (bytes) => !this.#isOver && this.#pass(to, read(bytes)),
      end: () => {
        if (this.#isOver) return;
        this.#over('whole');
        to.end();
      },
      fail: (thrown) => this.#break(to, thrown),
    });
    return () => {
      this.#hasRoom = true;
      if (!this.#isPassing) this.#resume();
    };
  }

  destroy(): void {
    this.#over('left');
    this.#options.source.destroy();
  }

  /** @returns false if the source has to wait */
  #pass(to: FlowReader, answers: Iterator<AnswerEvent, void>): boolean {
    this.#isPassing = true;
    let text = '';
    try {
      for (let next = answers.next(); !next.done; next = answers.next()) {
        const kept = this.#options.onAnswer(next.value.answer);
        if (kept) {
          this.#write(to, text);
          this.#passAfter(kept, to, next.value.text, answers);
          return false;
        }
        text += next.value.text;
      }
    } catch (thrown) {
      this.#write(to, text);
      this.#break(to, thrown);
      return false;
    }
    this.#write(to, text);
    this.#isPassing = false;
    return this.#hasRoom;
  }

  #passAfter(kept: Promise<unknown>, to: FlowReader, text: string, answers: Iterator<AnswerEvent, void>): void {
    kept.then(
      () => {
        if (this.#isOver) return;
        this.#write(to, text);
        if (this.#pass(to, answers)) this.#resume();
      },
      (thrown: unknown) => this.#break(to, thrown),
    );
  }

  #write(to: FlowReader, text: string): void {
    if (text === '') return;
    this.#isQuiet = false;
    this.#options.onWritten(text);
    this.#hasRoom = to.chunk(Buffer.from(text));
  }

  #break(to: FlowReader, thrown: unknown): void {
    if (this.#isOver) return;
    this.#over('broken', thrown);
    this.#options.source.destroy();
    to.chunk(Buffer.from(this.#options.brokenEvent(thrown)));
    to.end();
  }

  #over(end: StreamEnd, cause?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopKeepAlive();
    this.#options.onEnd(end, cause);
  }
}
