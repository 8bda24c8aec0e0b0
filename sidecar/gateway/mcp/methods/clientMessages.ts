import type { RpcNotification, RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { readNamespacedId } from '../aggregation/aggregation.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import { type McpRequest, protocolHeaders, targetOf } from '../mcpRequest.ts';
import type { Session } from '../session/sessions.ts';
import { metaProblem } from './metaLimits.ts';

/** A client's answer to a question, brought to the server that asked. One that nobody asked for goes nowhere. */
export async function deliverAnswer(mcp: McpRequest, session: Session, answer: RpcResponse): Promise<void> {
  const [only] = mcp.scope.servers;
  if (mcp.scope.kind === 'single' && only) {
    await sendToServer(mcp, session, only, answer);
    return;
  }
  const namespaced = readNamespacedId(answer.id);
  const server = mcp.scope.servers.find((it) => it.server.server_id === namespaced?.serverId);
  if (namespaced && server) await sendToServer(mcp, session, server, { ...answer, id: namespaced.id });
}

/** A client's notification, for the servers that its session is connected to. */
export async function deliverNotification(mcp: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  if (metaProblem(note.params) !== undefined) return; // nobody waits for an answer that could name the problem
  if (note.method === 'notifications/cancelled') {
    session.inflight.get(note.params?.['requestId'])?.abort();
    return;
  }
  if (mcp.scope.kind === 'several' && note.method !== 'notifications/roots/list_changed') {
    await deliverProgress(mcp, session, note);
    return;
  }
  await Promise.allSettled(mcp.scope.servers.map((it) => sendToServer(mcp, session, it, note)));
}

/**
 * How far a client is with a question goes to the server that asked. Nothing else is for one of several: the gateway ends
 * each handshake itself.
 */
async function deliverProgress(mcp: McpRequest, session: Session, note: RpcNotification): Promise<void> {
  const namespaced =
    note.method === 'notifications/progress' ? readNamespacedId(note.params?.['progressToken']) : undefined;
  const server = mcp.scope.servers.find((it) => it.server.server_id === namespaced?.serverId);
  if (!namespaced || !server) return;
  await sendToServer(mcp, session, server, { ...note, params: { ...note.params, progressToken: namespaced.id } });
}

async function sendToServer(
  mcp: McpRequest,
  session: Session,
  { server }: VisibleServer,
  message: RpcResponse | RpcNotification,
): Promise<void> {
  const method = 'method' in message ? message.method : 'response';
  const outbound = await mcp.deps.outbound(server, mcp.context, { method });
  const target = targetOf(server, mcp.deps);
  const backend = mcp.deps.connections.peek({ target, era: 'legacy', outbound, session: session.id });
  await backend?.send(message, { outbound, signal: mcp.signal, headers: protocolHeaders(mcp) });
}
