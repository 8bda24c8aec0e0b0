import { sealerFor } from '../../platform/seal.ts';
import { type ConnectionsDeps, McpConnections } from '../backends/mcp/connections.ts';
import { Eras } from '../backends/mcp/eras.ts';
import type { ApiDocumentsDeps } from '../backends/openapi/documents.ts';
import { lazyApis } from '../backends/openapi/lazyApis.ts';
import { ListCache } from './aggregation/listCache.ts';
import { type McpFront, openMcpFront } from './front.ts';
import type { McpDeps, McpOptions } from './mcpDeps.ts';
import { type ServerAccessDeps, serverAccess } from './serverAccess.ts';
import type { Peers } from './session/peers.ts';
import type { EndedSessions } from './session/sessions.ts';

type MadeHere =
  | keyof ReturnType<typeof serverAccess>
  | 'connections'
  | 'eras'
  | 'lists'
  | 'options'
  | 'peers'
  | 'sealer'
  | 'signInDocument';

export interface OpenMcpDeps
  extends ServerAccessDeps,
    Omit<McpDeps, MadeHere>,
    Pick<ApiDocumentsDeps, 'checkArguments'>,
    Pick<ConnectionsDeps, 'stdio'> {
  readonly mcpOptions: McpOptions;
  /** The options of the gateway. */
  readonly gateway: Pick<ConnectionsDeps, 'children'> & {
    readonly secret: Uint8Array;
    readonly stdio: { readonly maxProcesses?: number | undefined; readonly idleMs?: number | undefined };
  };
  /** `endedSessions` remembers sessions that clients ended. */
  readonly store: { readonly endedSessions: EndedSessions & { readonly hasOthers: boolean } };
  /** The other replicas; `undefined` if there is only this one. */
  readonly replicas: Peers | undefined;
  readonly delegated: { address: McpDeps['signInDocument'] };
}

/** The MCP surface, with the connections to servers that it calls through. */
export function openMcp(deps: OpenMcpDeps) {
  const { gateway, clock, timers, checkArguments, delegated, replicas } = deps;
  const { endedSessions } = deps.store;
  const { maxProcesses, idleMs } = gateway.stdio;
  const lists = new ListCache(clock);
  const onListChanged = (serverId: string) => lists.forget(serverId);
  const onChanged = (serverId: string) => {
    onListChanged(serverId);
    front.listsChanged();
  };
  const apis = lazyApis({ clock, timers, pool: deps.backends.pool, checkArguments, onChanged });
  const opening = { children: gateway.children, stdio: deps.stdio, apis };
  const connections = new McpConnections({
    ...deps,
    ...opening,
    onListChanged,
    hasOthers: endedSessions.hasOthers,
    ...(maxProcesses !== undefined && { maxChildren: maxProcesses }),
    ...(idleMs !== undefined && { childIdleMs: idleMs }),
  });
  const front: McpFront = openMcpFront(
    {
      ...deps,
      ...serverAccess(deps),
      connections,
      lists,
      ...(replicas && { peers: replicas }),
      eras: new Eras(connections, deps),
      signInDocument: (...asked) => delegated.address(...asked),
      sealer: sealerFor(gateway.secret, 'mcp sessions'),
      options: deps.mcpOptions,
    },
    endedSessions,
  );
  return { front, connections, opening };
}
