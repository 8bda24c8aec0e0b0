import assert from 'node:assert/strict';
import { HttpConnection } from '../../../sidecar/gateway/backends/mcp/httpConnection.ts';
import type { StreamEvent } from '../../../sidecar/gateway/backends/mcp/streamEvent.ts';
import type { McpTarget, Reply, RequestOptions } from '../../../sidecar/gateway/backends/mcp/types.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import type { McpEra, RpcRequest } from '../../../sidecar/protocol/gateway/mcpWire.ts';
import { type Scripted, type ScriptedSend, scriptedSend } from './scriptedSend.ts';

export const target: McpTarget = {
  server_id: '1',
  name: 'a',
  transport: 'http',
  url: 'http://a/mcp',
  timeoutMs: 10_000,
  maxResponseBytes: 1_000,
};
export const call: RpcRequest = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 't' } };
export const answer = (id: unknown = 7) => ({ jsonrpc: '2.0', id, result: { content: [] } });
export const note = { method: 'notifications/message', params: { level: 'info', data: 'x' } };
export const hello = { protocolVersion: '2025-11-25', capabilities: {} };

export interface Line {
  readonly connection: HttpConnection;
  readonly server: ScriptedSend;
  readonly options: RequestOptions;
  /** Methods of what was posted. */
  methods(): readonly unknown[];
}
export interface LineOptions {
  readonly era?: McpEra;
  readonly isShared?: boolean;
  readonly session?: string;
  readonly timeoutMs?: number;
  /** A connection that did not shake hands yet. */
  readonly isNew?: boolean;
}

/** A connection to a server that answers as a script says, after a handshake where its era has one. */
export function lineTo(
  script: (method: string | undefined, httpMethod: string) => Scripted | Error | undefined,
  { era = 'legacy', isShared = false, session, timeoutMs = 10_000, isNew = false }: LineOptions = {},
): Line {
  const server = scriptedSend(({ body, method }) => {
    const name = body === undefined ? undefined : (JSON.parse(body) as { method?: string }).method;
    return name?.startsWith('notifications/') ? { status: 202, body: ['ok'] } : script(name, method);
  });
  let ids = 0;
  const newId = () => `id-${(ids += 1)}`;
  const connection = new HttpConnection({
    target: { ...target, timeoutMs },
    era,
    isShared,
    timers: systemTimers,
    newId,
  });
  if (!isNew && era === 'legacy') connection.adopt(hello, session);
  const options = { outbound: server.outbound, signal: new AbortController().signal };
  return { connection, server, options, methods: () => server.messages().map((it) => it['method']) };
}

export async function eventsOf(reply: Reply, max = Infinity): Promise<readonly StreamEvent[]> {
  assert.equal(reply.kind, 'stream');
  const seen: StreamEvent[] = [];
  if (reply.kind !== 'stream') return seen;
  for await (const event of reply.events) {
    seen.push(event);
    if (seen.length >= max) break;
  }
  return seen;
}
