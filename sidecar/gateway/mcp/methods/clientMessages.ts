import type { RpcNotification, RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { readOwnedId } from '../aggregation/aggregation.ts';
import { type McpRequest, protocolHeaders, targetOf } from '../mcpRequest.ts';
import type { VisibleServer } from '../services.ts';
import type { Session } from '../session/sessions.ts';
import { metaProblem } from './metaLimits.ts';

/** A client's answer to a question, brought to the server that asked. One that nobody asked for goes nowhere. */
export async function deliverAnswer(x: McpRequest, session: Session, answer: RpcResponse): Promise<void> {
  const [only] = x.scope.servers;
  if (x.scope.kind === 'single' && only) {
    await sendToServer(x, session, only, answer);
    return;
  }
  const owned = readOwnedId(answer.id);
  const server = x.scope.servers.find((it) => it.server.server_id === owned?.serverId);
  if (owned && server) await sendToServer(x, session, server, { ...answer, id: owned.id });
}

/** A client's notification, for the servers that its session is connected to. */
export async function deliverNotification(x: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  if (metaProblem(note.params) !== undefined) return; // nobody waits for an answer that could name the problem
  if (note.method === 'notifications/cancelled') {
    session.inflight.get(JSON.stringify(note.params?.['requestId']))?.abort();
    return;
  }
  if (x.scope.kind === 'several' && note.method !== 'notifications/roots/list_changed') {
    await deliverProgress(x, session, note);
    return;
  }
  await Promise.allSettled(x.scope.servers.map((it) => sendToServer(x, session, it, note)));
}

/**
 * How far a client is with a question goes to the server that asked. Nothing else is for one of several: the gateway ends
 * each handshake itself.
 */
async function deliverProgress(x: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  const owned = note.method === 'notifications/progress' ? readOwnedId(note.params?.['progressToken']) : undefined;
  const server = x.scope.servers.find((it) => it.server.server_id === owned?.serverId);
  if (!owned || !server) return;
  await sendToServer(x, session, server, { ...note, params: { ...note.params, progressToken: owned.id } });
}

async function sendToServer(
  x: McpRequest,
  session: Session,
  { server }: VisibleServer,
  message: RpcResponse | RpcNotification,
): Promise<void> {
  const method = 'method' in message ? message.method : 'response';
  const outbound = await x.deps.outbound(server, x.context, { method });
  const target = targetOf(server, x.deps);
  const backend = x.deps.connections.peek({ target, era: 'legacy', outbound, session: session.id });
  await backend?.send(message, { outbound, signal: x.signal, headers: protocolHeaders(x) });
}
