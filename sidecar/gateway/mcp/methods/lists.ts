import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { garbled } from '../../backends/mcp/failure.ts';
import { type Item, type ListMethod, listMembers } from '../../backends/mcp/listAll.ts';
import { nestsDeeper } from '../../backends/mcp/nestsDeeper.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { readShape, shapeOf } from '../../wire/shape.ts';
import { mapAnswer } from '../aggregation/aggregation.ts';
import { prefixed } from '../aggregation/names.ts';
import { RpcRefusal, resultReply } from '../answers.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { noteTools } from '../resilient.ts';
import { admitPart } from './admission.ts';
import { type Listed, type Listing, missingWords, notifyOfRest, readyLists, settledLists } from './readyLists.ts';
import { itemsOf, sendList } from './serverItems.ts';
import { isUsableName, shownTool } from './toolRules.ts';

/** Under this key of `_meta` a merged list names the servers that could not be asked. */
const failedServersKey = 'switchboard/failed_servers';

/** The key of `_meta` for servers that are not ready yet. A notification follows when they are. */
const pendingServersKey = 'switchboard/pending_servers';

/** The key of `_meta` for sentences that explain why servers are missing. */
const missingKey = 'switchboard/missing';

/** Under this key of `_meta` a list states how many tools have names that nobody can use. */
const leftOutToolsKey = 'switchboard/left_out_tools';

/** A second list under a name that only folds to the first would pass everything that looks at tools. */
const toolList = shapeOf({ tools: null, nextCursor: null, _meta: null });

/** A list of the one server of an address: its own page, as it comes, without what the caller may not use. */
export async function listOne(mcp: McpRequest, server: VisibleServer): Promise<Reply> {
  const guard = await guardList(mcp, server, 'tools/list');
  const reply = await sendList(mcp, server, mcp.request, guard.headers);
  return mapAnswer(reply, mcp.request, async (answer) => {
    if ('error' in answer) return undefined;
    if (nestsDeeper(answer.result) || 'twin' in readShape(answer.result, toolList))
      throw garbled(nameOf(server.server));
    const items: unknown = answer.result['tools'];
    if (Array.isArray(items)) await noteTools(mcp, server, items as Item[]);
    const tools = Array.isArray(items) ? await shownTools(mcp, server, items as Item[]) : undefined;
    const given = answer.result['_meta'];
    const leftOut = leftOutMeta(mcp);
    const result = {
      ...answer.result,
      ...(tools && { tools }),
      ...(leftOut && { _meta: { ...(isRecord(given) ? given : {}), ...leftOut } }),
      ...(mcp.era === 'modern' && { cacheScope: 'private' }),
    };
    return { ...answer, result };
  });
}

/** One list of several servers, in pages. Servers that fail or are not ready are left out and named. */
export async function listAggregated(mcp: McpRequest): Promise<Reply> {
  const method = mcp.request.method as ListMethod;
  const offset = readCursor(mcp.request);
  const { listings, letGoOn } = begin(mcp, method, (server) => admitPart(mcp, server));
  const listed = await readyLists(mcp, listings);
  const pending = listings.filter((_, at) => listed[at]?.found === undefined);
  if (pending.length > 0) {
    letGoOn();
    notifyOfRest(mcp, method, pending);
  }
  const { items, failed } = collect(mcp, method, listed);
  const unique = withoutTwins(mcp, method, items);
  const end = offset + mcp.deps.options.pageSize;
  return resultReply(mcp.request.id, {
    [listMembers[method]]: unique.slice(offset, end).map((it) => it.item),
    ...(end < unique.length && { nextCursor: Buffer.from(String(end)).toString('base64url') }),
    ...metaOf({
      ...(failed.length > 0 && { [failedServersKey]: failed }),
      ...(pending.length > 0 && { [pendingServersKey]: pending.map((it) => nameOf(it.server.server)) }),
      ...missingMeta(listed),
      ...leftOutMeta(mcp),
    }),
    ...(mcp.era === 'modern' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
  });
}

function missingMeta(listed: readonly Listed<unknown>[]): Readonly<Record<string, unknown>> {
  const missing = listed.filter((it) => it.found?.status !== 'fulfilled');
  return missing.length > 0 ? { [missingKey]: missing.map(missingWords) } : {};
}

const leftOutMeta = ({ outcome: { leftOutTools } }: Pick<McpRequest, 'outcome'>) =>
  leftOutTools ? { [leftOutToolsKey]: leftOutTools } : undefined;
const metaOf = (meta: Readonly<Record<string, unknown>>) => (Object.keys(meta).length > 0 ? { _meta: meta } : {});

export interface ServerItem {
  readonly server: VisibleServer;
  readonly item: Item;
}

/** The lists of all servers, also of those that take long. */
export async function gather(
  mcp: McpRequest,
  method: ListMethod,
): Promise<{ readonly items: readonly ServerItem[]; readonly failed: readonly string[] }> {
  return collect(mcp, method, await settledLists(begin(mcp, method).listings));
}

/**
 * Asks all servers at once, each with its own time limit. Names are prefixed, addresses of resources are not.
 *
 * @param admit throws where a server may not be asked now: it is left out as one that fails
 */
function begin(
  mcp: McpRequest,
  method: ListMethod,
  admit: (server: VisibleServer) => Promise<void> = async () => undefined,
) {
  const servers = method === 'tools/list' ? mcp.scope.servers : mcp.scope.servers.filter((it) => it.isWhole);
  const caller = new AbortController();
  const leave = () => caller.abort(mcp.signal.reason);
  if (mcp.signal.aborted) leave();
  else mcp.signal.addEventListener('abort', leave, { once: true });
  const listings = servers.map((server): Listing<readonly Item[]> => {
    const list = admit(server).then(() => listOf(mcp, server, method, caller.signal));
    return { server, list };
  });
  /** The request is answered, and lists that are still loading continue. */
  const letGoOn = () => mcp.signal.removeEventListener('abort', leave);
  return { listings, letGoOn };
}

function collect(mcp: McpRequest, method: ListMethod, listed: readonly Listed<readonly Item[]>[]) {
  const items: ServerItem[] = [];
  const failed: string[] = [];
  for (const { server, found } of listed) {
    if (found?.status === 'fulfilled') items.push(...found.value.map((item) => ({ server, item })));
    if (found?.status !== 'rejected') continue;
    failed.push(nameOf(server.server));
    mcp.deps.log.warn(
      { server: nameOf(server.server), method, thrown: found.reason as unknown },
      'A server was omitted from a list because it failed.',
    );
  }
  return { items, failed };
}

async function listOf(
  mcp: McpRequest,
  visible: VisibleServer,
  method: ListMethod,
  caller: AbortSignal,
): Promise<readonly Item[]> {
  const { options, timers } = mcp.deps;
  const guard = await guardList(mcp, visible, method);
  // The list does not wait for programs to start.
  const limit = () => AbortSignal.any([caller, timers.deadline(options.listTimeoutMs)]);
  const meta = mcp.era === 'modern' ? mcp.request.params?.['_meta'] : undefined;
  const items = await itemsOf(mcp, visible, { method, starting: caller, limit, meta, ...guard });
  const shown = method === 'tools/list' ? await shownTools(mcp, visible, items) : items;
  return shown.map((it) => ({ ...it, name: prefixed(visible, options.separator, String(it['name'])) }));
}

/** What the caller may use of a server's tools, as it is shown. */
export async function shownTools(
  { deps, context, outcome }: Pick<McpRequest, 'deps' | 'context' | 'outcome'>,
  visible: VisibleServer,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const { server } = visible;
  const usable = items.filter((it) => isUsableName(it['name']));
  const count = items.length - usable.length;
  if (count > 0) {
    outcome.leftOutTools = (outcome.leftOutTools ?? 0) + count;
    deps.log.warn(
      { server: nameOf(server), count },
      'Tools were omitted from a list because clients cannot use their names.',
    );
  }
  const listed = await deps.toolsListed({ context, server }, usable);
  return listed
    .filter((it) => typeof it['name'] === 'string' && visible.allows(it['name']))
    .map((it) => shownTool(server, it, deps.options.separator));
}

/** What guardrails send along with a list of tools. @throws {RpcRefusal} where one refuses it */
export async function guardList(
  { deps, context }: Pick<McpRequest, 'deps' | 'context'>,
  { server }: VisibleServer,
  method: ListMethod,
): Promise<{ readonly headers?: Readonly<Record<string, string>> }> {
  if (method !== 'tools/list') return {};
  const { refusal, headers } = await deps.preMcpList({ context, server });
  if (refusal) throw new RpcRefusal(mcpErrors.invalidRequest, refusal.message);
  return headers ? { headers } : {};
}

/** Names that two servers of one name both use mean neither: they are left out, and the log says so. */
function withoutTwins(mcp: McpRequest, method: ListMethod, items: readonly ServerItem[]): readonly ServerItem[] {
  if (method !== 'tools/list' && method !== 'prompts/list') return items;
  const count = new Map<unknown, number>();
  for (const { item } of items) count.set(item['name'], (count.get(item['name']) ?? 0) + 1);
  const twins = [...count].filter(([, times]) => times > 1).map(([name]) => name);
  if (twins.length > 0)
    mcp.deps.log.warn(
      { names: twins.slice(0, 16) },
      'Items were omitted from a list because their names are not unique.',
    );
  return items.filter(({ item }) => !twins.includes(item['name']));
}

function readCursor({ params }: RpcRequest): number {
  const cursor = params?.['cursor'];
  if (cursor === undefined) return 0;
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  const offset = Number(text);
  if (!/^\d{1,9}$/.test(text)) {
    throw new RpcRefusal(mcpErrors.invalidParams, 'Invalid params: cursor does not belong to this list');
  }
  return offset;
}
