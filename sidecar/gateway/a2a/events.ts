import type { A2aAnswer } from '../../protocol/gateway/a2aWire.ts';
import { EventReader, type NamedEvent } from '../backends/mcp/eventStream.ts';
import { BackendFailure } from '../backends/mcp/failure.ts';
import { NoAnswer } from './answers.ts';
import type { Binding } from './bindings.ts';
import type { Call } from './call.ts';

/** One answer of a stream, with the event that brings it to the caller. */
export interface AnswerEvent {
  readonly answer: A2aAnswer;
  readonly text: string;
}

/**
 * Reads the answers in an event stream, each once, and writes each anew, so that nothing passes that was not judged. Comments
 * and events without data are dropped.
 */
export class AnswerReader {
  readonly #events: EventReader;
  readonly #readEvent: Binding['readEvent'];
  readonly #maxBytes: number;

  constructor({ binding, found, deps }: Pick<Call, 'binding' | 'found' | 'deps'>) {
    this.#readEvent = binding.readEvent;
    this.#maxBytes = deps.options.maxResponseBytes;
    this.#events = new EventReader({ name: found.agent.agent_name, maxResponseBytes: this.#maxBytes });
  }

  /**
   * The answers that end in the next piece of the stream.
   * @throws {NoAnswer} `garbage` at an event that is no answer; `too_large` at one beyond the limit
   */
  *read(piece: Uint8Array): Generator<AnswerEvent, void> {
    try {
      for (const event of this.#events.read(piece)) {
        if (event.data === '') continue;
        const answer = this.#readEvent(event);
        if (!answer) throw new NoAnswer('garbage', 'an event that is not a response or whose JSON is ambiguous');
        yield { answer, text: written(event) };
      }
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
      throw new NoAnswer('too_large', `an event larger than ${this.#maxBytes} bytes`, thrown);
    }
  }
}

/** No member of an event holds the end of a line; data has one line for each of its own. */
function written({ id, event, data }: NamedEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}
