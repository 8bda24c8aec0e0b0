import { mcpErrors } from '../../../protocol/gateway/mcpWire.ts';
import { eventOf, MessageText, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import { readNamespaced } from '../aggregation/aggregation.ts';
import { errorMessage } from '../answers.ts';
import type { McpRequest } from '../mcpRequest.ts';
import type { RequestContext } from '../requestContext.ts';
import type { EventPlace } from '../session/eventPlace.ts';
import { eventsAt, type Peers, type SomeEvents } from '../session/peers.ts';
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
 * What followed on an event of a stream of ours, and on that stream alone, whichever replica has it. Where nobody knows the
 * stream any more, its backend may: then that is asked.
 *
 * @throws {Fault} `unavailable` where the replica that has the stream cannot be asked: clients come again
 */
export async function resume(
  requestContext: RequestContext,
  session: Session,
  place: EventPlace,
): Promise<Response | undefined> {
  const { deps, kept } = requestContext;
  const { peers } = deps;
  const beat = keepAliveOf(deps);
  const stream = place.replica === kept.replica ? kept.find(session, place.stream) : undefined;
  if (stream) {
    const reading = stream.read(place.seq);
    return openStream(reading.events, beat, () => reading.leave());
  }
  if (peers && place.replica !== kept.replica) {
    const reading = await readElsewhere(peers, session, place);
    if (reading) return openStream(reading.events, beat, () => reading.leave());
  }
  return isKnownBehind(requestContext, place) ? undefined : openStream(lost(place), beat, () => undefined);
}

/** Whether the backend can be asked for what followed on its own event. */
function isKnownBehind({ deps, scope }: RequestContext, { behind }: EventPlace): boolean {
  if (behind === undefined) return false;
  // Of several servers, each replica has sessions of its own.
  return scope.kind === 'single' || readNamespaced(behind)?.replica === deps.peers?.id;
}

interface ReadElsewhere {
  readonly events: AsyncIterable<WrittenEvent>;
  leave(): void;
}

/** @returns `undefined` where nobody has the stream any more @throws {Fault} `unavailable` */
async function readElsewhere(peers: Peers, session: Session, place: EventPlace): Promise<ReadElsewhere | undefined> {
  const after = (seq: number) =>
    eventsAt(peers, place.replica, { session: session.id, stream: place.stream, after: seq });
  const first = await after(place.seq);
  if (!first) return undefined;
  let isLeft = false;
  async function* events(): AsyncGenerator<WrittenEvent> {
    let some: SomeEvents = first;
    let seq = place.seq;
    while (some) {
      for (const { id, retryMs, data, ...at } of some.events) {
        seq = at.seq;
        yield { id, data, ...(retryMs !== undefined && { retryMs }) };
      }
      if (some.isOver || isLeft) return;
      some = await after(seq);
    }
    throw new Error('The replica that has the messages of a call has stopped.');
  }
  return { events: events(), leave: () => void (isLeft = true) };
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
