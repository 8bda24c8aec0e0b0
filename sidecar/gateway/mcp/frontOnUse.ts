import type { OnUse } from '../../platform/onUse.ts';
import type { RunningProcesses } from '../backends/mcp/connections.ts';
import type { McpFront } from './front.ts';
import type { Peers } from './session/peers.ts';

/** The MCP surface, and the connections behind it. */
export interface OpenedMcp {
  readonly front: McpFront;
  readonly connections: { readonly count: number; processes(): ReadonlyMap<string, RunningProcesses> };
}

/** The MCP surface before it is loaded, too: until then it has neither sessions nor connections. */
export interface LazyMcp extends Omit<McpFront, 'answerPeer' | 'definitions'> {
  readonly connections: OpenedMcp['connections'];
}

const noProcesses: ReadonlyMap<string, RunningProcesses> = new Map();

/** @param peers absent if there is only this replica */
export function mcpOnUse(mcp: OnUse<OpenedMcp>, peers: Pick<Peers, 'listen'> | undefined): LazyMcp {
  peers?.listen(async (body) => (await mcp.open()).front.answerPeer(body));
  return {
    room: {
      streamable: (call) => mcp.use(({ front }) => front.room.streamable(call)),
      sse: (call) => mcp.use(({ front }) => front.room.sse(call)),
      listTools: (call) => mcp.use(({ front }) => front.room.listTools(call)),
      listForKey: (call) => mcp.use(({ front }) => front.room.listForKey(call)),
      callTool: (call) => mcp.use(({ front }) => front.room.callTool(call)),
      testConnection: (call) => mcp.use(({ front }) => front.room.testConnection(call)),
      testTools: (call) => mcp.use(({ front }) => front.room.testTools(call)),
    },
    connections: {
      get count() {
        return mcp.opened?.connections.count ?? 0;
      },
      processes: () => mcp.opened?.connections.processes() ?? noProcesses,
    },
    listsChanged: () => mcp.opened?.front.listsChanged(),
    serverChanged: async (serverId) => mcp.opened?.front.serverChanged(serverId),
    sweep: async () => mcp.opened?.front.sweep(),
    endStreams: () => mcp.opened?.front.endStreams(),
    get sessionCount() {
      return mcp.opened?.front.sessionCount ?? 0;
    },
    async close() {
      const opened = await mcp.opening?.catch(() => undefined); // what cannot be loaded has nothing open
      await opened?.front.close();
    },
  };
}
