import type { ByteFlow, FlowReader } from '../../platform/httpMessages.ts';
import type { CallContent } from '../auth/callContent.ts';
import type { AnswerReader } from './usage/answerReader.ts';

/** How a response ended: it was complete, it broke, or the caller disconnected. */
export type FlowEnd = 'whole' | 'broken' | 'left';

/** Passes a response on while a reader inspects it, and reports once how it ended. */
export class TappedFlow implements ByteFlow {
  readonly #source: ByteFlow;
  readonly #reader: AnswerReader | undefined;
  readonly #onEnd: (end: FlowEnd) => void;
  readonly #content: Pick<CallContent, 'response'> | undefined;
  #isOver = false;

  /** @param content is left what the caller gets; absent where that is not stored */
  constructor(
    source: ByteFlow,
    reader: AnswerReader | undefined,
    onEnd: (end: FlowEnd) => void,
    content?: Pick<CallContent, 'response'>,
  ) {
    this.#content = content;
    this.#source = source;
    this.#reader = reader;
    this.#onEnd = onEnd;
  }

  flow(to: FlowReader): () => void {
    const reader = this.#reader;
    const content = this.#content;
    return this.#source.flow({
      chunk(bytes) {
        const passed = reader ? reader.chunk(bytes instanceof Buffer ? bytes : Buffer.from(bytes)) : bytes;
        if (passed === undefined) return true;
        content?.response(passed);
        return to.chunk(passed);
      },
      end: () => {
        const held = reader?.end();
        if (held) {
          content?.response(held);
          to.chunk(held);
        }
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
