import type { RpcNotification, RpcResponse } from '../../protocol/gateway/mcpWire.ts';
import type { VisibleServer } from './deps.ts';
import { type Exchange, targetOf } from './exchange.ts';
import type { Session } from './sessions.ts';
import { readOwnedId } from './several.ts';

/** A client's answer to a question, brought to the server that asked. One that nobody asked for goes nowhere. */
export async function deliverAnswer(x: Exchange, session: Session, answer: RpcResponse): Promise<void> {
  const [only] = x.scope.servers;
  if (x.scope.kind === 'single' && only) {
    await tell(x, session, only, answer);
    return;
  }
  const owned = readOwnedId(answer.id);
  const server = x.scope.servers.find((it) => it.server.server_id === owned?.serverId);
  if (owned && server) await tell(x, session, server, { ...answer, id: owned.id });
}

/** A client's notification, for the servers that its session is connected to. */
export async function deliverNotification(x: Exchange, session: Session, note: RpcNotification): Promise<void> {
  if (note.method === 'notifications/cancelled') {
    session.inflight.get(JSON.stringify(note.params?.['requestId']))?.abort();
    return;
  }
  // Behind an address of several servers the gateway ends each handshake itself.
  if (note.method === 'notifications/initialized' && x.scope.kind === 'several') return;
  await Promise.allSettled(x.scope.servers.map((it) => tell(x, session, it, note)));
}

async function tell(
  x: Exchange,
  session: Session,
  { server }: VisibleServer,
  message: RpcResponse | RpcNotification,
): Promise<void> {
  const method = 'method' in message ? message.method : 'response';
  const outbound = await x.deps.outbound(server, x.context, { method });
  const target = targetOf(server, x.deps);
  const backend = x.deps.connections.peek({ target, era: 'legacy', outbound, session: session.id });
  await backend?.tell(message, { outbound, signal: x.signal });
}
