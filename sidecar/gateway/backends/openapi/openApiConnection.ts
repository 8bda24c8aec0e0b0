import { isRecord } from '../../../platform/isRecord.ts';
import type { Timers } from '../../../platform/timers.ts';
import {
  type InitializeResult,
  legacyVersions,
  type McpEra,
  mcpErrors,
  metaKeys,
  modernVersions,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../../../protocol/gateway/mcpWire.ts';
import type { OpenApiPreview } from '../../../protocol/gateway/openapi.ts';
import { guardCall } from '../mcp/callGuard.ts';
import type { Unnegotiated } from '../mcp/handshake.ts';
import { replyOf } from '../mcp/replies.ts';
import { eventOf, type StreamEvent } from '../mcp/streamEvent.ts';
import type { McpTarget, Reply, RequestOptions } from '../mcp/types.ts';
import { eventQueue } from '../mcp/unasked.ts';
import { failed, type ToolResult, toolResult } from './answer.ts';
import { type ApiDocuments, type ApiSettings, documentFailure, type LoadedApi } from './documents.ts';
import type { ApiOperation } from './operations.ts';
import { UnusableArgument } from './parameters.ts';
import { writeRequest } from './request.ts';

interface OpenApiConnectionDeps {
  readonly target: McpTarget & { readonly openapi?: ApiSettings };
  readonly era: McpEra;
  readonly timers: Timers;
  readonly apis: ApiDocuments;
}

/** Tools on a page of a list. */
const pageSize = 500;
const capabilities = { tools: { listChanged: true } };

/** What became of a call of a tool. */
interface Called {
  readonly result: ToolResult;
  readonly isServerError: boolean;
}
const notSent = (words: string): Called => ({ result: failed(words), isServerError: false });

/**
 * An MCP server made of an OpenAPI document: a tool call is one HTTP request. It has no connection of its own, keeps no
 * session, and asks for nothing; the document is shared by all connections to the server.
 */
export class OpenApiConnection implements Unnegotiated {
  readonly era: McpEra;
  readonly sessionId = undefined;
  readonly #deps: OpenApiConnectionDeps;
  #hello: InitializeResult | undefined;
  #isClosed = false;
  #underWay = 0;
  readonly #streams = new Set<() => void>();

  constructor(deps: OpenApiConnectionDeps) {
    this.era = deps.era;
    this.#deps = deps;
  }

  get hello(): InitializeResult | undefined {
    return this.#hello;
  }
  get isClosed(): boolean {
    return this.#isClosed;
  }
  get isBusy(): boolean {
    return this.#underWay > 0 || this.#streams.size > 0;
  }

  adopt(hello: InitializeResult): void {
    this.#hello = hello;
  }

  async request(request: RpcRequest, options: RequestOptions): Promise<Reply> {
    const { id, method, params } = request;
    if (method === 'subscriptions/listen' && this.era === 'modern') return this.#subscribe(id, options.signal);
    const result = (it: Record<string, unknown>) =>
      replyOf({ jsonrpc: '2.0', id, result: this.era === 'modern' ? { resultType: 'complete', ...it } : it });
    const error = (code: number, message: string) => replyOf({ jsonrpc: '2.0', id, error: { code, message } });
    switch (method) {
      case 'initialize':
        return result(await this.#introduction(params?.['protocolVersion']));
      case 'server/discover':
        return result(await this.#discovery());
      case 'ping':
      case 'logging/setLevel':
        return result({});
      case 'tools/list': {
        const page = await this.#list(params?.['cursor']);
        return page ? result(page) : error(mcpErrors.invalidParams, 'Invalid params: unknown cursor');
      }
      case 'tools/call': {
        const called = await this.#call(params, options);
        if (!called) return error(mcpErrors.invalidParams, 'Unknown tool');
        return { ...result(called.result), isServerError: called.isServerError };
      }
      default:
        return error(mcpErrors.methodNotFound, 'Method not found');
    }
  }

  async send(_message: RpcNotification | RpcResponse, _options: RequestOptions): Promise<void> {
    // Nothing that clients notify of changes what an API does, and it asks nothing that could be answered.
  }

  /** What changes is told by the gateway itself. */
  async listen(): Promise<undefined> {
    return undefined;
  }

  async preview(): Promise<OpenApiPreview> {
    const { title, version, server, base, outlines } = await this.#loaded();
    return {
      title,
      version,
      server: server ?? null,
      base_url: base instanceof Error ? null : base.href,
      base_url_problem: base instanceof Error ? base.message : null,
      operations: outlines.map(({ isLeftOut, problem, ...it }) => ({
        ...it,
        tags: [...it.tags],
        is_left_out: isLeftOut,
        problem: problem ?? null,
      })),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#streams) end();
  }

  #loaded(): Promise<LoadedApi> {
    const { target, apis } = this.#deps;
    return apis.of(target, target.openapi as ApiSettings);
  }

  async #introduction(version: unknown): Promise<InitializeResult> {
    const protocolVersion = legacyVersions.find((it) => it === version) ?? legacyVersions[0];
    return { protocolVersion, capabilities, serverInfo: infoOf(await this.#loaded(), this.#deps.target) };
  }

  async #discovery(): Promise<Record<string, unknown>> {
    const serverInfo = infoOf(await this.#loaded(), this.#deps.target);
    return {
      supportedVersions: [...modernVersions, ...legacyVersions],
      capabilities,
      _meta: { [metaKeys.serverInfo]: serverInfo },
    };
  }

  async #list(cursor: unknown): Promise<Record<string, unknown> | undefined> {
    if (cursor !== undefined && (typeof cursor !== 'string' || !/^\d{1,6}$/.test(cursor))) return undefined;
    const { byName } = await this.#loaded();
    const begin = Number(cursor ?? 0);
    const tools = [...byName.values()].slice(begin, begin + pageSize).map((it) => it.tool);
    const next = begin + pageSize < byName.size ? { nextCursor: String(begin + pageSize) } : {};
    return { tools, ...next, ...(this.era === 'modern' && { ttlMs: 0, cacheScope: 'private' }) };
  }

  /** `undefined` where there is no such tool. */
  async #call(params: RpcRequest['params'], options: RequestOptions): Promise<Called | undefined> {
    const loaded = await this.#loaded();
    const name = params?.['name'];
    const operation = typeof name === 'string' ? loaded.byName.get(name) : undefined;
    if (!operation || typeof name !== 'string') return undefined;
    const args = isRecord(params?.['arguments']) ? params['arguments'] : {};
    const { target, apis } = this.#deps;
    const checked = { server: target, tool: name, arguments: args, known: operation.known };
    const mismatch = await apis.checkArguments(checked);
    if (mismatch !== undefined) return notSent(mismatch);
    if (loaded.base instanceof Error) throw documentFailure(loaded.base);
    try {
      return await this.#send(loaded.base, operation, args, options);
    } catch (thrown) {
      if (thrown instanceof UnusableArgument) return notSent(thrown.message);
      throw thrown;
    }
  }

  async #send(
    base: URL,
    operation: ApiOperation,
    args: Readonly<Record<string, unknown>>,
    { outbound, signal, onSent }: RequestOptions,
  ): Promise<Called> {
    const { target, timers } = this.#deps;
    const request = writeRequest(base, operation, args);
    const guard = guardCall(timers, target, signal);
    this.#underWay += 1;
    try {
      const response = await outbound.send({ ...request, ...(onSent && { onSent }) }, guard.signal);
      const result = await toolResult(response, target.maxResponseBytes);
      return { result, isServerError: response.status >= 500 };
    } catch (thrown) {
      throw guard.failure(thrown);
    } finally {
      this.#underWay -= 1;
      guard.end();
    }
  }

  #subscribe(id: RpcRequest['id'], signal: AbortSignal): Reply {
    const queue = eventQueue(this.#deps.target);
    const end = () => {
      this.#streams.delete(end);
      queue.end();
    };
    this.#streams.add(end);
    queue.onLeft = end;
    signal.addEventListener('abort', end, { once: true });
    queue.push(acknowledgement(id));
    return { kind: 'stream', events: queue };
  }
}

const acknowledgement = (id: RpcRequest['id']): StreamEvent =>
  eventOf({
    kind: 'notification',
    message: {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { toolsListChanged: true }, _meta: { [metaKeys.subscriptionId]: id } },
    },
  });

const infoOf = ({ title, version }: LoadedApi, { name }: McpTarget) => ({
  name: (title || name).slice(0, 200),
  version: version.slice(0, 100) || '0',
});
