import type { CallContext } from '../../../sidecar/gateway/auth/caller.ts';
import { McpConnections } from '../../../sidecar/gateway/backends/mcp/connections.ts';
import { Eras } from '../../../sidecar/gateway/backends/mcp/eras.ts';
import { ResilienceOnUse } from '../../../sidecar/gateway/backends/mcp/resilience/resilienceOnUse.ts';
import { faultResponse } from '../../../sidecar/gateway/http/faultResponses.ts';
import { ListCache } from '../../../sidecar/gateway/mcp/aggregation/listCache.ts';
import { type McpFront, openMcpFront } from '../../../sidecar/gateway/mcp/front.ts';
import {
  defaultMcpOptions,
  type McpDeps,
  type McpOptions,
  type McpServer,
  type VisibleServer,
} from '../../../sidecar/gateway/mcp/mcpDeps.ts';
import { mcpRoutes, restRoutes } from '../../../sidecar/gateway/mcp/routes.ts';
import type { EndedSessions } from '../../../sidecar/gateway/mcp/session/sessions.ts';
import { AsyncQueue } from '../../../sidecar/platform/asyncQueue.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { systemMachine } from '../../../sidecar/platform/runtime.ts';
import { createSealer } from '../../../sidecar/platform/seal.ts';
import { metaKeys } from '../../../sidecar/protocol/gateway/mcpWire.ts';
import { SetClock } from '../backends/setClock.ts';
import { callContext } from '../gateway/callContext.ts';
import { serveRoute } from '../gateway/serveRoute.ts';
import { webResponse } from '../gateway/webResponse.ts';
import { keepingLog } from '../testLog.ts';
import { cuttable } from './cuttable.ts';
import { fakeChildren } from './fakeChildren.ts';
import { HeldTimers } from './heldTimers.ts';
import { noGuardrails } from './noGuardrails.ts';
import { json, type Scripted, scriptedSend } from './scriptedSend.ts';

export interface McpRecordSeen {
  readonly requestId: string;
  readonly call_type: string;
  readonly model: string;
  readonly session_id?: string;
  readonly mcp_namespaced_tool_name?: string;
  readonly status?: 'success' | 'failure';
  readonly spend?: number;
  readonly error?: string;
  readonly error_code?: string;
}

/** What a server was sent. */
export interface SeenMessage {
  readonly server: string;
  readonly http: string;
  readonly session: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}
/** `undefined` for what a plain server answers, `silence` for nothing at all until the gateway gives up. */
type Answer = Scripted | Error | 'silence' | undefined;

export interface McpFrontSetup {
  /** Aliases: their ids are `id-` and the alias, their address is `http://alias/mcp`. */
  readonly servers?: readonly (string | McpServer)[];
  /** What a server does with what is neither its handshake nor a notification. */
  readonly answer?: (seen: SeenMessage) => Answer | Promise<Answer>;
  /** Before anything is sent to a server: what it throws is why nothing can be. */
  readonly outboundCheck?: (alias: string) => void;
  readonly options?: Partial<McpOptions>;
  readonly more?: Partial<McpDeps>;
  readonly ended?: EndedSessions;
}
export interface Asking {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly signal?: AbortSignal;
  readonly requestId?: string;
  readonly isAdmin?: boolean;
  readonly endUserId?: string;
  readonly sessionId?: string;
  readonly mcpServers?: readonly string[];
}
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export type McpFrontUnderTest = ReturnType<typeof mcpFrontUnderTest>;

export const idOf = (alias: string) => `id-${alias}`;
export const httpServer = (alias: string, more: Partial<McpServer> = {}): McpServer => ({
  server_id: idOf(alias),
  alias,
  transport: 'http',
  url: `http://${alias}/mcp`,
  ...more,
});

/** The MCP front in one process with its caller and its servers: no socket, and no time that passes by itself. */
export function mcpFrontUnderTest({
  servers = ['web'],
  answer,
  outboundCheck = () => undefined,
  options,
  more,
  ended,
}: McpFrontSetup = {}) {
  const clock = new SetClock();
  const timers = new HeldTimers();
  const { log, lines } = keepingLog();
  const records: McpRecordSeen[] = [];
  const seen: SeenMessage[] = [];
  const admitted: { readonly cost: number; readonly server_id?: string; spend?: number }[] = [];
  let ids = 0;
  const newId = () => `new-${(ids += 1)}`;
  const registered = servers.map((it) => (typeof it === 'string' ? httpServer(it) : it));
  const wires = scriptedSend(async ({ url, method: http, headers, body }) => {
    const message = JSON.parse(body ?? '{}') as Partial<SeenMessage>;
    const server = new URL(url).hostname;
    const of = { ...message, server, http, session: headers['mcp-session-id'], headers };
    seen.push(of);
    const scripted = await answer?.(of);
    if (scripted === 'silence') return undefined;
    if (scripted) return scripted;
    if (http !== 'POST') return { status: http === 'DELETE' ? 200 : 405 };
    if (message.method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: server, version: '1' } };
      return json(
        { jsonrpc: '2.0', id: message.id, result },
        { headers: { 'mcp-session-id': `${server}-${newId()}` } },
      );
    }
    if (message.id === undefined || message.method === undefined) return { status: 202 };
    return result(of, message.method.endsWith('/list') ? { tools: [], prompts: [], resources: [] } : { content: [] });
  });
  const connections = new McpConnections({
    children: fakeChildren().children,
    stdio: { isTrusted: false, allowedCommands: [], env: {} },
    clock,
    timers,
    newId,
  });
  const visible: readonly VisibleServer[] = registered.map((server) => ({ server, allows: () => true, isWhole: true }));
  /** Requests that are alike share what was read of their headers, as those of one connection do, and have one caller. */
  const alike = new Map<string, CallContext['headers']>();
  const callers = new Map<string, CallContext['caller']>();
  const same = <T>(all: Map<string, T>, name: string, make: () => T): T => {
    const found = all.get(name) ?? make();
    all.set(name, found);
    return found;
  };
  const deps: McpDeps = {
    visible: () => visible,
    toolset: () => undefined,
    tried: () => undefined,
    outbound: async (server, { caller }) => {
      outboundCheck(server.alias ?? '');
      return { ...wires.outbound, identity: caller.key.token };
    },
    admit(_context, call) {
      const entry = { ...call };
      admitted.push(entry);
      return Promise.resolve({ settle: (spend: number) => void Object.assign(entry, { spend }) });
    },
    signInDocument: (baseUrl, pathname, serverId) => `${baseUrl}/documents${pathname}?of=${serverId}`,
    ...noGuardrails,
    record({ requestId }, first) {
      const record: McpRecordSeen = { ...first, requestId };
      records.push(record);
      return {
        note: (fields) => void Object.assign(record, fields),
        finish(outcome) {
          if (record.status !== undefined) throw new Error(`a record was finished twice: ${record.call_type}`);
          Object.assign(record, outcome);
        },
      };
    },
    connections,
    resilience: new ResilienceOnUse({ ...systemMachine, log }),
    lists: new ListCache(clock),
    eras: new Eras(connections, { clock, timers, newId }),
    sealer: createSealer(new Uint8Array(32).fill(7)),
    clock,
    timers,
    newId,
    log,
    options: { ...defaultMcpOptions, ...options },
    ...more,
  };
  const front: McpFront = openMcpFront(deps, ended);
  deps.peers?.listen((body) => front.answerPeer(body));

  async function fetchFrom(method: string, path: string, body: unknown, asking: Asking = {}): Promise<Response> {
    const { key = 'key-1', session, isAdmin = false, endUserId, sessionId, mcpServers, requestId = newId() } = asking;
    const signal = asking.signal ?? new AbortController().signal;
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
      ...asking.headers,
    };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = cuttable(
      new Request(`http://gateway.test${path}`, { method, headers, body: text ?? null }),
      signal,
    );
    const shared = { key: { token: key }, isAdmin, endUserId, sessionId, mcpServers };
    const caller = same(callers, JSON.stringify(shared), () => callContext({ caller: shared }).caller);
    const own = new Map(request.headers);
    const known = same(alike, JSON.stringify([path, ...own]), () => own);
    const context = { ...callContext({ caller, requestId, headers: known, signal: request.canceller.signal }), caller };
    try {
      return await serveRoute([...mcpRoutes, ...restRoutes], front.room, request, context);
    } catch (thrown) {
      if (thrown instanceof Fault) return webResponse(faultResponse(thrown));
      throw thrown;
    }
  }
  const post = (path: string, message: object | string, asking?: Asking) => fetchFrom('POST', path, message, asking);
  const rpc = async (path: string, method: string, params: object = {}, asking?: Asking) =>
    messageOf(await post(path, request(method, params), asking));
  return {
    front,
    deps,
    clock,
    timers,
    records,
    seen,
    admitted,
    connections,
    logLines: lines,
    /** Streams of servers that nobody has let go. */
    open: wires.open,
    /** What servers were sent beside handshakes. */
    methods: () => seen.map((it) => it.method ?? it.http),
    fetch: fetchFrom,
    post,
    rpc,
    /** A session's id. */
    async initialize(path: string, asking?: Asking): Promise<string> {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
      const response = await post(path, request('initialize', params), asking);
      return response.headers.get('mcp-session-id') ?? `none: ${await response.text()}`;
    },
  };
}

export const request = (method: string, params: object = {}, id: string | number = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** A server's answer. */
export const result = ({ id }: SeenMessage, value: object) => json({ jsonrpc: '2.0', id, result: value });

/** Of a body that is JSON. */
export const messageOf = async (response: Response): Promise<Message> => JSON.parse(await response.text()) as Message;

/** A stream of a server that goes on for as long as a test writes to it. */
export function liveStream() {
  const queue = new AsyncQueue<string>();
  const stream: Scripted = { headers: { 'content-type': 'text/event-stream' }, body: queue };
  return {
    stream,
    write: (message: object, id?: string) =>
      queue.push(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`),
    end: () => queue.end(),
    fail: (error = new Error('reset')) => queue.fail(error),
  };
}

/** What a response streams, event by event, until its reader leaves. */
export function readStream(response: Response) {
  const reader = response.body?.getReader();
  if (!reader) throw new Error(`no stream: ${response.status}`);
  const decoder = new TextDecoder();
  const next = async (): Promise<string | undefined> => {
    const { value, done } = await reader.read();
    return done ? undefined : decoder.decode(value);
  };
  return {
    /** The text of the next event or comment; `undefined` at the end. */
    next,
    /** The next event's message. */
    async message(): Promise<Message | undefined> {
      for (let text = await next(); text !== undefined; text = await next()) {
        const data = text.split('\n').find((it) => it.startsWith('data: {'));
        if (data !== undefined) return JSON.parse(data.slice(6)) as Message;
      }
      return undefined;
    },
    leave: () => reader.cancel(),
  };
}

/** A request of the modern era, with what goes into its headers beside. */
export const modernRequest = (method: string, params: object = {}, id: string | number = 1) =>
  request(method, { ...params, _meta: { [metaKeys.protocolVersion]: modern, [metaKeys.clientCapabilities]: {} } }, id);
export const modernHeaders = (method: string, name?: string) => ({
  'mcp-protocol-version': modern,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});
const modern = '2026-07-28';
