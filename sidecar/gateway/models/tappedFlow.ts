import type { ByteFlow, FlowReader } from '../../platform/httpMessages.ts';
import type { AnswerReader } from './usage/answerReader.ts';

/** How a response ended: it was complete, it broke, or the caller disconnected. */
export type FlowEnd = 'whole' | 'broken' | 'left';

/** Passes a response on while a reader inspects it, and reports once how it ended. */
export class TappedFlow implements ByteFlow {
  readonly #source: ByteFlow;
  readonly #reader: AnswerReader | undefined;
  readonly #onEnd: (end: FlowEnd) => void;
  #isOver = false;

  constructor(source: ByteFlow, reader: AnswerReader | undefined, onEnd: (end: FlowEnd) => void) {
    this.#source = source;
    this.#reader = reader;
    this.#onEnd = onEnd;
  }

  flow(to: FlowReader): () => void {
    const reader = this.#reader;
    return this.#source.flow({
      chunk(bytes) {
        if (!reader) return to.chunk(bytes);
        const passed = reader.chunk(bytes instanceof Buffer ? bytes : Buffer.from(bytes));
        return passed === undefined || to.chunk(passed);
      },
      end: () => {
        const held = reader?.end();
        if (held) to.chunk(held);
        to.end(); // the last bytes leave before the call is counted
        this.#over('whole');
      },
      fail: (thrown) => {
        this.#over('broken');
        to.fail(thrown);
      },
    });
  }

  destroy(): void {
    this.#over('left');
    this.#source.destroy();
  }

  #over(end: FlowEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(end);
  }
}
