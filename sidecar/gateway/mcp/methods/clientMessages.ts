import { RpcId, type RpcNotification, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import type { McpBackend } from '../../backends/mcp/types.ts';
import { readNamespacedId } from '../aggregation/aggregation.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import { connectionKey, idPlace, link, type McpRequest, protocolHeaders } from '../mcpRequest.ts';
import { cancelAtOthers, deliverAt, deliverToOthers } from '../session/peers.ts';
import type { Session } from '../session/sessions.ts';
import { metaProblem } from './metaLimits.ts';

/**
 * Brings a client's answer to the server that asked, through the replica that holds its connection. An answer to no known
 * question is dropped.
 *
 * @throws {Fault} `conflict` if that replica no longer waits for it, `unavailable` if it cannot be asked
 */
export async function deliverAnswer(mcp: McpRequest, session: Session, answer: RpcResponse): Promise<void> {
  const to = addresseeOf(mcp, answer.id);
  if (to) await sendToAddressee(mcp, session, to, { ...answer, id: to.id });
}

/** A client's notification, for the servers that its session is connected to. @throws {Fault} as {@link deliverAnswer} */
export async function deliverNotification(mcp: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  if (metaProblem(note.params) !== undefined) return; // nobody waits for an answer that could name the problem
  if (note.method === 'notifications/cancelled') await cancel(mcp, session, note);
  else if (note.method === 'notifications/progress') await deliverProgress(mcp, session, note);
  // The gateway ends each handshake with several servers itself.
  else if (mcp.scope.kind === 'single' || note.method === 'notifications/roots/list_changed')
    await deliverToAll(mcp, session, note);
}

/** The call runs at exactly one replica, which may be another one. */
async function cancel({ deps }: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  const requestId = note.params?.['requestId'];
  const running = session.inflight.get(requestId);
  if (running) running.abort();
  else if (deps.peers && RpcId.safeParse(requestId).success)
    await cancelAtOthers(deps.peers, session.id, requestId as RpcId);
}

/** Progress on a question goes to the server that asked. */
async function deliverProgress(mcp: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  const to = addresseeOf(mcp, note.params?.['progressToken']);
  if (to) await sendToAddressee(mcp, session, to, { ...note, params: { ...note.params, progressToken: to.id } });
}

async function deliverToAll(mcp: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  const { scope, deps } = mcp;
  const sent = await Promise.allSettled(scope.servers.map((it) => sendToServer(mcp, session, it, note)));
  // Its session got the message. Connections of other replicas have sessions of their own.
  const isTold = sent.some((it) => it.status === 'fulfilled' && it.value);
  const servers = scope.servers.filter((it) => idPlace(mcp, it.server) !== undefined).map((it) => it.server.server_id);
  if (!deps.peers || servers.length === 0 || (isTold && note.method === 'notifications/initialized')) return;
  await deliverToOthers(deps.peers, { session: session.id, servers, message: note, headers: protocolHeaders(mcp) });
}

interface Addressee {
  readonly server: VisibleServer;
  /** The replica that asked; `undefined` if IDs do not name it. */
  readonly replica: string | undefined;
  /** As the server knows it. */
  readonly id: RpcId;
}

/** The question that an ID or progress token belongs to. */
function addresseeOf(mcp: McpRequest, id: unknown): Addressee | undefined {
  const { scope, deps } = mcp;
  const [only] = scope.servers;
  const namespaced = readNamespacedId(id);
  // A replica that has no connection to the server does not know yet that the gateway asks for it.
  const isOfReplica = deps.peers !== undefined && namespaced?.replica !== undefined;
  if (scope.kind === 'single' && only && idPlace(mcp, only.server) === undefined && !isOfReplica) {
    return { server: only, replica: undefined, id: id as RpcId };
  }
  const server = scope.servers.find((it) => it.server.server_id === namespaced?.serverId);
  return namespaced && server && { server, replica: namespaced.replica, id: namespaced.rest };
}

async function sendToAddressee(
  mcp: McpRequest,
  session: Session,
  { server, replica }: Addressee,
  message: RpcResponse | RpcNotification,
): Promise<void> {
  const { peers } = mcp.deps;
  if (!peers || replica === undefined || replica === peers.id) {
    await sendToServer(mcp, session, server, message);
    return;
  }
  const servers = [server.server.server_id];
  await deliverAt(peers, replica, { session: session.id, servers, message, headers: protocolHeaders(mcp) });
}

/** @returns whether it is connected */
async function sendToServer(
  mcp: McpRequest,
  session: Session,
  visible: VisibleServer,
  message: RpcResponse | RpcNotification,
): Promise<boolean> {
  const { deps, signal } = mcp;
  const { server } = visible;
  const method = 'method' in message ? message.method : 'response';
  const outbound = await deps.outbound(server, mcp.context, { method });
  const connected = deps.connections.peek(connectionKey({ ...mcp, session }, server, outbound));
  const backend = connected ?? (await joined(mcp, session, visible, method));
  await backend?.send(message, { outbound, signal, headers: protocolHeaders(mcp) });
  return backend !== undefined;
}

/** Continues a server's session that began at another replica. */
async function joined(
  mcp: McpRequest,
  { upstream, isUpstreamLost }: Session,
  visible: VisibleServer,
  method: string,
): Promise<McpBackend | undefined> {
  const isThere = upstream?.server_id === visible.server.server_id && upstream.sessionId !== undefined;
  if (!mcp.deps.peers || mcp.scope.kind !== 'single' || !isThere || isUpstreamLost) return undefined;
  return (await link(mcp, visible, { method })).backend;
}
