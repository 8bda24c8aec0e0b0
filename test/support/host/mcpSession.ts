import { fileURLToPath } from 'node:url';
import type {
  Customization,
  McpServerCustomization,
  McpServerState,
} from '../../../sidecar/protocol/channels/session/customizations.ts';
import type { AnyAction } from '../../../sidecar/protocol/envelope.ts';
import type { HostPeer } from './hostPeer.ts';

/** A server that runs as a program, as `.vscode/mcp.json` names it. */
export function stdioEntry(name = 'fixture', more: object = {}): object {
  const script = fileURLToPath(new URL('../mcp/stdioFixture.child.ts', import.meta.url));
  return { type: 'stdio', command: process.execPath, args: [script, name], ...more };
}
export const mcpJson = (servers: object): string => JSON.stringify({ servers }, undefined, 2);

export function servers(peer: HostPeer, session: string): McpServerCustomization[] {
  const all = (peer.session(session).customizations ?? []) as Customization[];
  return all
    .flatMap((it) => ('children' in it ? (it.children ?? []) : []))
    .filter((it): it is McpServerCustomization => it.type === 'mcpServer');
}
export const server = (peer: HostPeer, session: string, name: string): McpServerCustomization | undefined =>
  servers(peer, session).find((it) => it.name === name);

/** Settles with the server once it is in that state. */
export async function whenServer(
  peer: HostPeer,
  session: string,
  name: string,
  kind: McpServerState['kind'],
): Promise<McpServerCustomization> {
  await peer.until(() => server(peer, session, name)?.state.kind === kind);
  return server(peer, session, name)!;
}

/** The states through which a server went, without those that repeat. */
export function moves(peer: HostPeer, session: string, id: string): string[] {
  const said = peer.envelopes
    .filter((it) => it.channel === session && it.action.type === 'session/mcpServerStateChanged')
    .map((it) => it.action as unknown as { id: string; state: McpServerState });
  const kinds = said.filter((it) => it.id === id).map((it) => it.state.kind);
  return kinds.filter((it, at) => it !== kinds[at - 1]);
}

export const startRequest = (id: string) => ({ type: 'session/mcpServerStartRequested', id }) as AnyAction;
export const stopRequest = (id: string) => ({ type: 'session/mcpServerStopRequested', id }) as AnyAction;
export const toggle = (id: string, enabled: boolean) =>
  ({ type: 'session/customizationToggled', id, enabled }) as AnyAction;
export const toolNames = (peer: HostPeer, session: string): string[] =>
  (peer.session(session).serverTools ?? []).map((it) => it.name);
