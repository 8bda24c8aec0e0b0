import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpConnections } from '../../../sidecar/gateway/backends/mcp/connections.ts';
import { Eras } from '../../../sidecar/gateway/backends/mcp/eras.ts';
import { ResilienceOnUse } from '../../../sidecar/gateway/backends/mcp/resilience/resilienceOnUse.ts';
import { ListCache } from '../../../sidecar/gateway/mcp/aggregation/listCache.ts';
import { type McpFront, openMcpFront } from '../../../sidecar/gateway/mcp/front.ts';
import {
  defaultMcpOptions,
  type McpContext,
  type McpDeps,
  type McpServer,
} from '../../../sidecar/gateway/mcp/mcpDeps.ts';
import { mcpRoutes, restRoutes } from '../../../sidecar/gateway/mcp/routes.ts';
import { openChildren } from '../../../sidecar/platform/children/children.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { Fault } from '../../../sidecar/platform/faults.ts';
import { newId } from '../../../sidecar/platform/ids.ts';
import { systemMachine } from '../../../sidecar/platform/runtime.ts';
import { createSealer } from '../../../sidecar/platform/seal.ts';
import { systemTimers } from '../../../sidecar/platform/timers.ts';
import { callContext } from '../gateway/callContext.ts';
import { serveRoute } from '../gateway/serveRoute.ts';
import { keepingLog } from '../testLog.ts';
import { cuttable } from './cuttable.ts';
import { openHttpPool } from './httpPool.ts';
import { endListener, listenOnLoopback } from './loopback.ts';
import { noGuardrails } from './noGuardrails.ts';

export interface RecordSeen {
  readonly endpoint: string;
  readonly call_type: string;
  model: string;
  tool?: string;
  metadata?: Readonly<Record<string, unknown>>;
  status?: string;
  error?: string;
  spend?: number;
}

export interface TestGateway {
  readonly base: string;
  readonly front: McpFront;
  readonly records: RecordSeen[];
  /** Calls that were admitted and not settled yet, and records that were begun and not finished. */
  readonly unfinished: () => number;
  readonly logLines: string[];
  readonly connections: McpConnections;
  /** The same sealing key and backends in a new process, as far as anybody can tell. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly servers: readonly McpServer[];
  /** By key: the tools of each server that it may use, bare. Keys that are not named may use everything. */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly toolsets?: Readonly<Record<string, readonly string[]>>;
  readonly more?: Partial<McpDeps>;
  readonly options?: Partial<McpDeps['options']>;
  readonly admins?: readonly string[];
}

/** The MCP front on a loopback port. The caller's key is its bearer token as it stands: authentication lives elsewhere. */
export async function testGateway(setup: TestGatewayOptions): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-gateway-'));
  const records: RecordSeen[] = [];
  let admitted = 0;
  const { log, lines } = keepingLog();
  const pool = openHttpPool();
  const sealer = createSealer(new Uint8Array(32).fill(7));
  const children = openChildren(join(folder, 'children.json'), systemClock.now);
  const stdio = { isTrusted: true, allowedCommands: [process.execPath], env: process.env };
  const options = { ...defaultMcpOptions, ...setup.options };

  function build() {
    const connections = new McpConnections({ children, stdio, clock: systemClock, timers: systemTimers, newId });
    const eras = new Eras(connections, { clock: systemClock, timers: systemTimers, newId });
    const deps: McpDeps = {
      visible: (context) => visible(context),
      toolset: (context, name) => {
        const names = setup.toolsets?.[name];
        return names && visible(context).filter((it) => names.includes(it.server.server_id));
      },
      tried: () => undefined,
      outbound: (_server, context, call) => ({
        identity: context.caller.key?.token ?? '',
        resolution: 'no-auth',
        send: (request, signal) => pool.send({ ...request, headers: { ...request.headers, ...call.headers } }, signal),
      }),
      admit: () => {
        admitted += 1;
        return Promise.resolve({ settle: () => void (admitted -= 1) });
      },
      signInDocument: (baseUrl, pathname) => `${baseUrl}/.well-known/oauth-protected-resource${pathname}`,
      ...noGuardrails,
      record(_context, first) {
        const record: RecordSeen = { ...first };
        records.push(record);
        return {
          note: ({ model, mcp_namespaced_tool_name: tool, metadata }) => {
            if (model !== undefined) record.model = model;
            if (tool !== undefined) record.tool = tool;
            if (metadata !== undefined) record.metadata = metadata;
          },
          finish: ({ status, error, spend }) => {
            if (record.status !== undefined) throw new Error(`a record was finished twice: ${record.call_type}`);
            Object.assign(record, {
              status,
              ...(error !== undefined && { error }),
              ...(spend !== undefined && { spend }),
            });
          },
        };
      },
      connections,
      resilience: new ResilienceOnUse({ ...systemMachine, log }),
      lists: new ListCache(systemMachine.clock),
      eras,
      sealer,
      clock: systemClock,
      timers: systemTimers,
      newId,
      log,
      options,
      ...setup.more,
    };
    return { front: openMcpFront(deps), connections };
  }
  function visible({ caller }: McpContext) {
    const allowed = setup.tools?.[caller.key?.token ?? ''];
    return setup.servers
      .filter((it) => !allowed || Object.hasOwn(allowed, it.server_id))
      .map((server) => ({
        server,
        allows: (tool: string) => allowed?.[server.server_id]?.includes(tool) ?? true,
        isWhole: allowed?.[server.server_id] === undefined,
      }));
  }

  let built = build();
  let base = '';
  async function fetchHandler(arriving: Request): Promise<Response> {
    const request = cuttable(arriving);
    const token = (request.headers.get('authorization') ?? 'Bearer nobody').replace('Bearer ', '');
    const scoped = request.headers.get('x-mcp-servers');
    const context = callContext({
      caller: {
        key: { token },
        isAdmin: setup.admins?.includes(token) ?? false,
        debug: request.headers.get('x-gateway-mcp-debug') === 'true',
        ...(scoped !== null && { mcpServers: scoped.split(',').filter((it) => it !== '') }),
      },
      requestId: newId(),
      baseUrl: base,
      headers: new Map(request.headers),
      signal: request.canceller.signal,
    });
    try {
      return await serveRoute([...mcpRoutes, ...restRoutes], built.front.room, request, context);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      const status =
        { not_found: 404, forbidden: 403, invalid_params: 400, auth_required: 401 }[String(thrown.code)] ?? 500;
      return Response.json(
        { error: { message: thrown.message, type: thrown.code, param: null, code: String(status) } },
        { status },
      );
    }
  }
  const handle = toNodeHandler({ fetch: fetchHandler });
  const listener = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    void handle(Object.assign(request, { method, url }), response);
  });
  base = await listenOnLoopback(listener);

  return {
    base,
    get front() {
      return built.front;
    },
    get connections() {
      return built.connections;
    },
    records,
    unfinished: () => admitted + records.filter((it) => it.status === undefined).length,
    logLines: lines,
    restart() {
      // Nothing is told to the backends: a process that is killed says no goodbye.
      built = build();
      return Promise.resolve();
    },
    async close() {
      await built.front.close();
      await endListener(listener);
      await children.stopAll();
      await pool.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Reads what a tool answered. */
export const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as { readonly text?: string }[] | undefined)?.[0]?.text ?? '';
