import type { SessionAction } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { HostPort } from '../../client/port.ts';
import type { CustomizationNode } from './nodes.ts';

/** The host does it, and the row shows what comes of it. */
export function moveServer(row: unknown, moves: readonly ('start' | 'stop')[], port: Pick<HostPort, 'dispatch'>): void {
  const { server, session } = row as CustomizationNode;
  if (!server) return;
  const types = { start: 'session/mcpServerStartRequested', stop: 'session/mcpServerStopRequested' } as const;
  for (const it of moves) {
    const action: SessionAction = { type: types[it], id: server.id };
    port.dispatch(session, action);
  }
}
