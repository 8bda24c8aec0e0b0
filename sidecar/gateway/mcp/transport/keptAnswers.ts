import { Fault } from '../../../platform/faults.ts';
import { mcpErrors } from '../../../protocol/gateway/mcpWire.ts';
import { eventOf, MessageText, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import { errorMessage } from '../answers.ts';
import type { McpRequest } from '../mcpRequest.ts';
import type { RequestContext } from '../requestContext.ts';
import type { EventPlace } from '../session/eventPlace.ts';
import type { Session } from '../session/sessions.ts';
import { debugHeaders } from './debugHeaders.ts';
import { keepAliveOf, openStream, toStream, type WrittenEvent } from './responses.ts';

/** The version of MCP since which clients know an event without data: it only says where the stream begins. */
const primedSince = '2025-11-25';
const nothing = new MessageText('');
/** The client may have come back on another connection by the time at which this one is known to be gone. */
const toldByItsReader = () => undefined;

/** The answer to a call of a session as a stream that its client can come back to. */
export function streamKept(
  mcp: McpRequest,
  { deps, kept, request }: RequestContext,
  session: Session,
  controller: AbortController,
  events: AsyncIterable<StreamEvent>,
): Response {
  request.onCut = toldByItsReader;
  const stream = kept.keep(session, mcp.request.id, controller, events);
  const reading = stream.read(0);
  const isPrimed = (request.headers.get('mcp-protocol-version') ?? '') >= primedSince;
  return toStream(
    reading.events,
    keepAliveOf(deps),
    debugHeaders(mcp, request.headers),
    () => reading.leave(),
    isPrimed ? { id: stream.firstId, data: nothing } : undefined,
  );
}

/**
 * What followed on an event of a stream of ours, and on that stream alone. Where nobody knows the stream any more, its backend
 * may: then that is asked.
 *
 * @throws {Fault} `unavailable` at another replica than that which has the stream: clients come again
 */
export function resume({ deps, kept }: RequestContext, session: Session, place: EventPlace): Response | undefined {
  const stream = place.replica === kept.replica ? kept.find(session, place.stream) : undefined;
  if (stream) {
    const reading = stream.read(place.seq);
    return openStream(reading.events, keepAliveOf(deps), () => reading.leave());
  }
  if (place.replica !== kept.replica && kept.hasOthers) {
    throw new Fault('unavailable', 'Another replica of the gateway has the messages of this call. Retry.', {
      data: { retry_after_s: 1 },
    });
  }
  return place.behind === undefined ? openStream(lost(place), keepAliveOf(deps), () => undefined) : undefined;
}

/** A client that waits for an answer that nobody has must not wait for its time limit. */
async function* lost({ requestId }: EventPlace): AsyncGenerator<WrittenEvent> {
  if (requestId === undefined) return;
  const words = 'The gateway no longer has the messages of this call. The call may have run.';
  yield await Promise.resolve(
    eventOf({ kind: 'response', message: errorMessage(requestId, mcpErrors.internal, words, { reason: 'ended' }) }),
  );
}

/** A batch is one call to its connection: it goes on as a whole, and is cancelled as one. */
export async function outlivingConnection<T>(
  { request }: RequestContext,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  if (!request.canceller) return work();
  const id = Symbol('batch');
  session.inflight.set(id, request.canceller);
  request.onCut = session.onCut;
  try {
    return await work();
  } finally {
    session.inflight.delete(id);
  }
}
