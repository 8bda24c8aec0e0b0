import { endedEarly } from '../../backends/mcp/failure.ts';
import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';

/**
 * A reply that ends with its answer or fails. A client cannot fetch the answer from another stream, where nobody would judge
 * it, because it gets no event IDs to resume from.
 */
export const wholeOf = (reply: Reply, serverName: string): Reply =>
  reply.kind === 'message' ? reply : { kind: 'stream', events: untilAnswered(reply.events, serverName) };

async function* untilAnswered(events: AsyncIterable<StreamEvent>, serverName: string): AsyncGenerator<StreamEvent> {
  let isAnswered = false;
  for await (const { id: _, ...event } of events) {
    isAnswered ||= event.message?.kind === 'response';
    yield event;
  }
  if (!isAnswered) throw endedEarly(serverName);
}
