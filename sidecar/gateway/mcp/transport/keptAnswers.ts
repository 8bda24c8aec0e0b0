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

/** The first MCP version whose clients accept an event without data, which marks the beginning of the stream. */
const primedSince = '2025-11-25';
const nothing = new MessageText('');
/** By the time this connection is known to be broken, the client may have reconnected. */
const toldByItsReader = () => undefined;

/** The answer to a call of a session as a stream that the client can resume. */
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
 * The events that followed in one of the gateway's streams, whichever replica has it. If no replica knows the stream,
 * the backend is asked.
 *
 * @throws {Fault} `unavailable` if the replica that has the stream cannot be asked; clients retry
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

/** Whether the backend can be asked for the events that followed its own. */
function isKnownBehind({ deps, scope }: RequestContext, { behind }: EventPlace): boolean {
  if (behind === undefined) return false;
  // With several servers, each replica has its own sessions.
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

/** Answers a client at once if the answer that it waits for no longer exists. */
async function* lost({ requestId }: EventPlace): AsyncGenerator<WrittenEvent> {
  if (requestId === undefined) return;
  const words = 'The gateway no longer has the messages of this call. The call may have run.';
  yield await Promise.resolve(
    eventOf({ kind: 'response', message: errorMessage(requestId, mcpErrors.internal, words, { reason: 'ended' }) }),
  );
}

/** For its connection, a batch is one call: it continues and is canceled as a whole. */
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
