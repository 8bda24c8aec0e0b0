import type { Timers } from '../../../platform/timers.ts';
import { EventQueue } from '../../backends/mcp/eventQueue.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import { namespacedEvent, readNamespaced } from '../aggregation/aggregation.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import { connectionKey, idPlace, link, type McpRequest } from '../mcpRequest.ts';
import { mayReach } from '../methods/wholeOnly.ts';
import type { Session, SessionListener } from '../session/sessions.ts';

/** How long a server whose stream ended is left alone. */
const againMs = 1_000;
/** How long a request that was written needs until its server read it: over a new socket later than over a warm one. */
const arrivesMs = 20;
/** How long requests wait for a stream that does not come to be. */
const openingMs = 500;

/**
 * What the servers of a session send unasked, as one stream, until the client leaves. Servers that the session
 * connects later join it.
 *
 * @param lastEventId where the client was, on the stream of one of them
 */
export function listenTo(mcp: McpRequest, session: Session, lastEventId: string | undefined): EventQueue {
  const { maxResponseBytes } = mcp.deps.options;
  const queue = new EventQueue(maxResponseBytes, () => new Error('the client is reading too slowly'));
  const stop = new AbortController();
  const signal = AbortSignal.any([mcp.signal, stop.signal]);
  const joined = new Set<string>();
  let resumed = readNamespaced(lastEventId);
  // Another replica has a session of its own with the server, which knows nothing of this one's events.
  if (resumed?.replica !== mcp.deps.peers?.id) resumed = undefined;

  const join = (server: VisibleServer) => {
    const { server_id } = server.server;
    if (joined.has(server_id)) return;
    joined.add(server_id);
    const last = mcp.scope.kind === 'single' ? lastEventId : resumed?.serverId === server_id ? resumed.rest : undefined;
    if (last !== undefined) resumed = undefined; // where the client was: a later session of the server knows nothing of it
    const settle = openingOf(session, mcp.deps.timers);
    const ended = (thrown: unknown) => {
      if (!signal.aborted) mcp.deps.log.warn({ server: nameOf(server.server), thrown }, 'A server stream ended.');
      if (mcp.scope.kind === 'single') queue.end();
    };
    void follow({ ...mcp, signal }, server, last, queue, settle)
      .catch(ended)
      .finally(() => {
        joined.delete(server_id);
        settle();
      });
  };
  const listener: SessionListener = {
    onConnected: (serverId) => {
      const server = mcp.scope.servers.find((it) => it.server.server_id === serverId);
      if (server) join(server);
    },
    send: (event) => queue.push(event),
    end: () => leave(),
  };
  const leave = () => {
    session.listeners.delete(listener);
    stop.abort();
    queue.end();
  };
  queue.onLeft = leave;
  mcp.signal.addEventListener('abort', leave, { once: true });
  session.listeners.add(listener);
  if (mcp.scope.kind === 'single') mcp.scope.servers.forEach(join);
  else void joinConnected(mcp, join, resumed?.serverId);
  return queue;
}

/**
 * A client opens its stream and calls at once. Servers that ask their questions on that stream would ask nobody, had the
 * call overtaken it on its way through us: requests of the session wait until what this answers is called, each stream at
 * most {@link openingMs}.
 */
function openingOf({ opening }: Session, timers: Timers): () => void {
  let resolve: (() => void) | undefined;
  const opened = new Promise<void>((done) => {
    resolve = done;
  });
  opening.add(opened);
  const settle = () => {
    stopLimit();
    opening.delete(opened);
    resolve?.();
  };
  const stopLimit = timers.after(openingMs, settle);
  return settle;
}

async function joinConnected(
  mcp: McpRequest,
  join: (server: VisibleServer) => void,
  resumedId: string | undefined,
): Promise<void> {
  for (const server of mcp.scope.servers) {
    try {
      if (server.server.server_id === resumedId || (await isConnected(mcp, server))) join(server);
    } catch (thrown) {
      // A sign-in that is missing, or a database that is away: it is joined when it is connected.
      mcp.deps.log.info({ server: nameOf(server.server), thrown }, 'A server stream could not be opened.');
    }
  }
}

async function isConnected(mcp: McpRequest, { server }: VisibleServer): Promise<boolean> {
  const outbound = await mcp.deps.outbound(server, mcp.context, { method: 'listen' });
  return mcp.deps.connections.peek(connectionKey(mcp, server, outbound)) !== undefined;
}

async function follow(
  mcp: McpRequest,
  server: VisibleServer,
  lastEventId: string | undefined,
  queue: EventQueue,
  opened: () => void,
): Promise<void> {
  const { timers } = mcp.deps;
  const place = idPlace(mcp, server.server);
  let last = lastEventId;
  while (!mcp.signal.aborted) {
    const { backend, key, options } = await link(mcp, server, { method: 'listen' });
    const events = await backend.listen(last, { ...options, onSent: () => void timers.after(arrivesMs, opened) });
    opened();
    if (!events) return;
    for await (const event of events) {
      last = event.id ?? last;
      if (!mayReach(server, event)) continue;
      queue.push(place === undefined ? event : namespacedEvent(place, event));
    }
    // The one that took the place of a connection that was lost, while its stream went on, is listened to from its begin.
    const isReplaced = backend.isClosed && mcp.deps.connections.peek(key) !== undefined;
    if (isReplaced) last = undefined;
    if (mcp.scope.kind === 'single' || (backend.isClosed && !isReplaced)) {
      throw new BackendFailure('ended', 'The stream ended.', { mayHaveRun: false });
    }
    await new Promise<void>((resolve) => void timers.after(againMs, resolve));
  }
}
