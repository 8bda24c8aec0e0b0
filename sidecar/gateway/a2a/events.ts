import type { A2aAnswer } from '../../protocol/gateway/a2aWire.ts';
import { type NamedEvent, readEvents } from '../backends/mcp/eventStream.ts';
import { BackendFailure } from '../backends/mcp/failure.ts';
import { NoAnswer } from './answers.ts';
import type { Binding } from './bindings.ts';

/** One answer of a stream, with the event that brings it to the caller. */
export interface AnswerEvent {
  readonly answer: A2aAnswer;
  readonly text: string;
}

/**
 * The answers in an event stream, each read once and written anew, so that nothing passes that was not judged. Comments and
 * events without data say nothing and stay here.
 *
 * @throws {NoAnswer} `garbage` at an event that is no answer; `too_large` at one beyond the limit
 */
export async function* readAnswers(
  body: AsyncIterable<Uint8Array>,
  read: Binding['readEvent'],
  agentName: string,
  maxBytes: number,
): AsyncGenerator<AnswerEvent> {
  try {
    for await (const event of readEvents(body, { name: agentName, maxResponseBytes: maxBytes })) {
      if (event.data === '') continue;
      const answer = read(event);
      if (!answer) throw new NoAnswer('garbage', 'an event that is not a response or whose JSON is ambiguous');
      yield { answer, text: written(event) };
    }
  } catch (thrown) {
    if (!(thrown instanceof BackendFailure)) throw thrown;
    throw new NoAnswer('too_large', `an event larger than ${maxBytes} bytes`, thrown);
  }
}

/** No member of an event holds the end of a line; data has one line for each of its own. */
function written({ id, event, data }: NamedEvent): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}
