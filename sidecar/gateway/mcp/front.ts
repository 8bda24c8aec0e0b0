import type { Item } from '../backends/mcp/listAll.ts';
import { eventOf } from '../backends/mcp/streamEvent.ts';
import { MergedLists } from './aggregation/mergedLists.ts';
import { ResourceRouting } from './aggregation/resourceRouting.ts';
import type { McpContext, McpDeps, McpServer } from './mcpDeps.ts';
import { definitionsOf } from './methods/definitions.ts';
import { ToolNames } from './methods/toolNames.ts';
import type { McpRoom } from './routes.ts';
import { answerPeer } from './session/answerPeer.ts';
import { KeptCalls } from './session/keptCalls.ts';
import { changingLists, type McpState } from './session/mcpState.ts';
import { type EndedSessions, Sessions } from './session/sessions.ts';
import { ToolSearchOnUse } from './toolSearch/toolSearchOnUse.ts';
import { LegacySse } from './transport/legacySse.ts';
import { callByRest, listForKey, listTools } from './transport/rest.ts';
import { serveStreamable } from './transport/streamableHttp.ts';
import { testServer } from './transport/testServer.ts';

/** The MCP surface of the gateway. */
export interface McpFront {
  /**
   * What its routes are served by. Handlers throw {Fault} `not_found` for an address that means nothing to this caller; faults
   * of access, limits and credentials go through.
   */
  readonly room: McpRoom;
  /** To what another replica asks for its client. */
  answerPeer(body: unknown): Promise<unknown>;
  /** All tools of a server as it lists them to this caller: nothing hidden, nothing renamed, no record of it. */
  definitions(context: McpContext, server: McpServer): Promise<readonly Item[]>;
  /** What callers may use changed: clients are notified to list anew. */
  listsChanged(): void;
  /** A registration changed or was removed: its connections are let go. */
  serverChanged(serverId: string): Promise<void>;
  /** Ends idle sessions and connections. Call it about once a minute. */
  sweep(): Promise<void>;
  /** Ends streams on which clients only listen, so that they listen elsewhere. Calls go on. */
  endStreams(): void;
  /** Open sessions, for metrics. */
  readonly sessionCount: number;
  close(): Promise<void>;
}

const listNotices = changingLists.map((it) =>
  eventOf({ kind: 'notification', message: { jsonrpc: '2.0', method: `notifications/${it}/list_changed` } }),
);

/** @param ended remembers sessions that clients ended; absent: this process does */
export function openMcpFront(deps: McpDeps, ended?: EndedSessions): McpFront {
  const { connections, eras, sealer, clock, newId, options } = deps;
  const state: McpState = {
    mergedLists: new MergedLists(deps.lists, clock),
    resourceRouting: new ResourceRouting(),
    toolNames: new ToolNames(),
    toolSearch: new ToolSearchOnUse(),
    subscribers: new Set(),
  };
  const kept = new KeptCalls(deps, options, deps.peers?.id ?? newId());
  const sessions = new Sessions({
    sealer,
    clock,
    newId,
    idleMs: options.sessionIdleMs,
    maxPerCaller: options.maxSessionsPerCaller,
    onEnd(session, isKept) {
      kept.endSession(session);
      void connections.endSession(session.id, isKept);
    },
    onCut: (session, controller) => kept.leave(session, controller),
    ...(ended && { ended }),
  });
  const front = { deps, sessions, state, kept };
  const sse = new LegacySse(front);

  const listsChanged = () => {
    state.resourceRouting.forget();
    state.toolNames.forget();
    state.toolSearch.forget();
    for (const it of state.subscribers) changingLists.forEach(it.notify);
    for (const session of sessions.all()) {
      for (const listener of session.listeners) for (const it of listNotices) listener.send(it);
    }
  };

  const endStreams = () => {
    sse.close();
    for (const it of sessions.all()) for (const listener of it.listeners) listener.end();
    for (const it of [...state.subscribers]) it.end();
  };

  return {
    room: {
      streamable: (call) => serveStreamable(call, front),
      sse: (call) => sse.handle(call),
      listTools: (call) => listTools(call, front),
      listForKey: (call) => listForKey(call, front),
      callTool: (call) => callByRest(call, front),
      testConnection: (call) => testServer(front, call, 'connection'),
      testTools: (call) => testServer(front, call, 'tools'),
    },
    answerPeer: (body) => answerPeer(front, body),
    definitions: (context, server) => definitionsOf(deps, context, server),
    listsChanged,
    async serverChanged(serverId) {
      eras.forget(serverId);
      deps.resilience.forget(serverId);
      deps.lists.forget(serverId);
      await connections.endServer(serverId);
      listsChanged();
    },
    async sweep() {
      sessions.sweep();
      await connections.sweep();
    },
    get sessionCount() {
      return sessions.count;
    },
    endStreams,
    async close() {
      endStreams();
      kept.close();
      await connections.closeAll();
    },
  };
}
