import type { RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { type Item, type ListMethod, listAll, listMembers } from '../../backends/mcp/listAll.ts';
import { replyOf } from '../../backends/mcp/replies.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { mapAnswer } from '../aggregation/aggregation.ts';
import type { ListPlace } from '../aggregation/listCache.ts';
import type { Freshness } from '../aggregation/mergedLists.ts';
import { callerOf, type McpServer, nameOf, type VisibleServer } from '../mcpDeps.ts';
import { link, type McpRequest, send, waited } from '../mcpRequest.ts';
import { askResiliently, noteTools } from '../resilient.ts';

interface Asked {
  readonly method: ListMethod;
  /** Ends the opening of a connection. Called only if the server is asked. */
  readonly starting: () => AbortSignal;
  /** Ends the listing, once there is a connection. Default: as `starting`. */
  readonly limit?: () => AbortSignal;
  /** What guardrails send along. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `_meta` of the request, which the modern era requires. */
  readonly meta?: unknown;
  /** Told for how long the list is kept. */
  readonly freshness?: Freshness;
}

/** Everything of one kind that a server lists to this caller, as it is. @throws {BackendFailure} */
export async function itemsOf(mcp: McpRequest, visible: VisibleServer, asked: Asked): Promise<readonly Item[]> {
  const { method, starting, limit, headers, meta, freshness } = asked;
  const { lists } = mcp.deps;
  const place = await placeOf(mcp, visible.server, method, 'all', headers);
  const found = place && lists.find<readonly Item[]>(place);
  if (isPersonal(visible.server)) freshness?.once();
  if (found) {
    freshness?.part(found.leftMs);
    return found.value;
  }
  const generation = lists.generation(visible.server.server_id);
  let signal: AbortSignal | undefined;
  // Not made for a server whose circuit is open.
  const asking = {
    deps: mcp.deps,
    get signal() {
      return (signal ??= starting());
    },
  };
  let validity: Validity | undefined;
  const items = await askResiliently(asking, visible, async () => {
    const linking = { method, signal: asking.signal, ...(headers && { headers }) };
    const { backend, options } = await waited(mcp, link(mcp, visible, linking));
    validity = undefined;
    const onPage = (result: Item) => {
      validity = shortest(validity, validityOf(visible.server, result));
    };
    const listing = { ...options, ...(limit && { signal: limit() }), meta };
    return waited(mcp, listAll(backend, nameOf(visible.server), method, listing, onPage));
  });
  let keptMs = 0;
  if (validity && validity.ttlMs > 0) {
    const at = place ?? (await placeOf(mcp, visible.server, method, 'all', headers, true));
    if (at) keptMs = lists.keep(at, items, { ...validity, generation });
  }
  freshness?.part(keptMs);
  if (method === 'tools/list') await noteTools(mcp, visible, items);
  return items;
}

export const isListMethod = (method: string): method is ListMethod => Object.hasOwn(listMembers, method);

/** A page of a list of one server, as it comes. @throws {BackendFailure} */
export async function sendList(
  mcp: McpRequest,
  visible: VisibleServer,
  request: RpcRequest,
  headers?: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { lists } = mcp.deps;
  const { server } = visible;
  const page = pageOf(request);
  const place = page === undefined ? undefined : await placeOf(mcp, server, request.method, page, headers);
  const found = place && lists.find<Item>(place);
  if (found) {
    const left = 'ttlMs' in found.value ? { ttlMs: found.leftMs } : undefined;
    return replyOf({ jsonrpc: '2.0', id: request.id, result: { ...found.value, ...left } });
  }
  const generation = lists.generation(server.server_id);
  const reply = await send(mcp, visible, { request, isOpenEnded: false, ...(headers && { headers }) });
  if (page === undefined || !mayKeep(server)) return reply;
  return mapAnswer(reply, request, async (answer) => {
    const result = 'result' in answer ? answer.result : undefined;
    if (!result || !Array.isArray(result[listMembers[request.method as ListMethod]])) return undefined;
    const validity = validityOf(server, result);
    if (validity.ttlMs > 0) {
      const at = place ?? (await placeOf(mcp, server, request.method, page, headers, true));
      if (at) lists.keep(at, result, { ...validity, generation });
    }
    return undefined;
  });
}

/** Which page a request is for; `undefined` for one that brings more than a list depends on. */
function pageOf({ params }: RpcRequest): string | undefined {
  const { cursor, _meta, ...more } = params ?? {};
  if (Object.keys(more).length > 0) return undefined;
  return cursor === undefined ? 'first' : JSON.stringify(cursor);
}

const mayKeep = ({ list_cache_ttl_s: ttl }: McpServer): boolean => ttl !== 0;

/**
 * Where a list is kept. `undefined` where none is: by setting, because a guardrail signs the request for its caller, or
 * because no list of the server was kept yet and nothing says that one may be.
 */
async function placeOf(
  { deps, context, era }: McpRequest,
  server: McpServer,
  method: string,
  part: string,
  headers: Readonly<Record<string, string>> | undefined,
  isNew = false,
): Promise<ListPlace | undefined> {
  const { server_id, updated_at, list_cache_ttl_s: ttl } = server;
  if (!mayKeep(server) || headers) return undefined;
  if (!isNew && !ttl && !deps.lists.hasKept(server_id)) return undefined;
  // Requests with the same identity leave the gateway with the same credentials and headers.
  const { identity } = await deps.outbound(server, context, { method });
  return {
    serverId: server_id,
    name: JSON.stringify([updated_at ?? '', era, method, part, identity]),
    caller: callerOf(context),
  };
}

/** How long a list is good, and for whom. */
interface Validity {
  readonly ttlMs: number;
  readonly isForAll: boolean;
}

/** As the registration says, else as the server does (`ttlMs` and `cacheScope` of MCP 2026-07-28). */
function validityOf(server: McpServer, { ttlMs, cacheScope }: Item): Validity {
  const own = typeof ttlMs === 'number' && Number.isInteger(ttlMs) ? ttlMs : 0;
  const { list_cache_ttl_s: ttl } = server;
  const isShared = cacheScope === 'public' || (ttl && ttl > 0 && cacheScope === undefined);
  return { ttlMs: ttl == null ? own : ttl * 1_000, isForAll: Boolean(isShared) && !isPersonal(server) };
}

const shortest = (one: Validity | undefined, other: Validity): Validity => ({
  ttlMs: Math.min(one?.ttlMs ?? Infinity, other.ttlMs),
  isForAll: (one?.isForAll ?? true) && other.isForAll,
});

/** Requests to the server carry something of their caller: a credential, or headers. */
function isPersonal(server: McpServer): boolean {
  const { auth_type, oauth2_flow, extra_headers, env_vars } = server;
  const isSignIn = auth_type === 'oauth2' && oauth2_flow !== 'client_credentials';
  return Boolean(
    isSignIn ||
      auth_type === 'oauth2_token_exchange' ||
      server.is_byok ||
      server.oauth_passthrough ||
      server.delegate_auth_to_upstream ||
      extra_headers?.length ||
      env_vars?.some((it) => it.scope === 'user'),
  );
}
