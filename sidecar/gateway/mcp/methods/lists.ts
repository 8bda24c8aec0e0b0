import { isRecord } from '../../../platform/isRecord.ts';
import { mcpErrors, type RpcRequest, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { garbled } from '../../backends/mcp/failure.ts';
import { type Item, type ListMethod, listMembers } from '../../backends/mcp/listAll.ts';
import { nestsDeeper } from '../../backends/mcp/nestsDeeper.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { readShape, shapeOf } from '../../wire/shape.ts';
import { mapAnswer } from '../aggregation/aggregation.ts';
import { Freshness } from '../aggregation/mergedLists.ts';
import { RpcRefusal } from '../answers.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { noteTools } from '../resilient.ts';
import type { McpState } from '../session/mcpState.ts';
import { shownInstead } from '../toolSearch/toolSearchOnUse.ts';
import { admitPart } from './admission.ts';
import { begin, collect, gatherTools, generationsOf, guardList, shownTools, withoutTwins } from './gathering.ts';
import { type Listed, missingWords, notifyOfRest, readyLists } from './readyLists.ts';
import { sendList } from './serverItems.ts';

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
export async function listOne(mcp: McpRequest, server: VisibleServer, state: McpState): Promise<Reply> {
  const guard = await guardList(mcp, server, 'tools/list');
  const reply = await sendList(mcp, server, mcp.request, guard.headers);
  return mapAnswer(reply, mcp.request, async (answer) => {
    if ('error' in answer) return undefined;
    if (nestsDeeper(answer.result) || 'twin' in readShape(answer.result, toolList))
      throw garbled(nameOf(server.server));
    const items: unknown = answer.result['tools'];
    if (Array.isArray(items)) await noteTools(mcp, server, items as Item[]);
    const tools = Array.isArray(items) ? await shownTools(mcp, server, items as Item[]) : undefined;
    const instead = tools && (await insteadOfPage(mcp, state, tools, answer.result['nextCursor']));
    const given = answer.result['_meta'];
    const leftOut = leftOutMeta(mcp);
    const result = {
      ...answer.result,
      ...(tools && { tools: instead ?? tools }),
      ...(instead && { nextCursor: undefined }),
      ...(leftOut && { _meta: { ...(isRecord(given) ? given : {}), ...leftOut } }),
      ...(mcp.era === 'modern' && { cacheScope: 'private' }),
    };
    return { ...answer, result };
  });
}

/** What the first page of a server shows instead of its tools, if these are many with those of its other pages. */
async function insteadOfPage(
  mcp: McpRequest,
  state: McpState,
  tools: readonly Item[],
  nextCursor: unknown,
): Promise<readonly Item[] | undefined> {
  const { toolSearchAbove: above } = mcp.deps.options;
  if (above === undefined || mcp.request.params?.['cursor'] !== undefined) return undefined;
  if (typeof nextCursor !== 'string') return shownInstead(mcp, state, tools);
  const gathered = await gatherTools(mcp);
  return shownInstead(
    mcp,
    state,
    gathered.items.map((it) => it.item),
    gathered,
  );
}

/** One list of several servers, in pages. Servers that fail or are not ready are left out and named. */
export async function listAggregated(mcp: McpRequest, state: McpState): Promise<Reply> {
  const method = mcp.request.method as ListMethod;
  const offset = readCursor(mcp.request);
  const kept = state.mergedLists.find<Pages>(mcp, method, offset > 0);
  const page = kept?.value.all[offset / mcp.deps.options.pageSize];
  if (!kept || !page) return listAnew(mcp, state, method, offset);
  mcp.outcome.leftOutTools = kept.value.leftOutTools;
  // Pages of one list belong together, whatever has become of its servers.
  if (offset > 0) return pageReply(mcp, method, page, kept.value.missing);
  const again = await askServers(mcp, method, { servers: kept.failed });
  if (again.isAnyListed) {
    mcp.outcome.leftOutTools = 0;
    state.mergedLists.drop(mcp, method);
    return listAnew(mcp, state, method, offset);
  }
  return pageReply(mcp, method, page, again.missing);
}

/** A list as it is shown. */
interface Pages {
  readonly all: readonly Page[];
  /** Members of `_meta` about servers that are missing. */
  readonly missing: Readonly<Record<string, unknown>>;
  readonly leftOutTools: number | undefined;
}
interface Page {
  readonly items: readonly Item[];
  /** The items as JSON. */
  readonly text: string;
  readonly nextCursor?: string;
}

async function listAnew(mcp: McpRequest, state: McpState, method: ListMethod, offset: number): Promise<Reply> {
  const generations = generationsOf(mcp);
  const freshness = new Freshness(mcp.deps);
  const { items, failed, missing, ...asked } = await askServers(mcp, method, { freshness });
  const unique = withoutTwins(mcp, method, items);
  const all = unique.map((it) => it.item);
  const gathered = asked.isComplete ? { items: unique, failed, generations } : undefined;
  const isReplaceable = method === 'tools/list' && offset === 0;
  const instead = isReplaceable ? await shownInstead(mcp, state, all, gathered) : undefined;
  if (instead) return pageReply(mcp, method, { items: instead, text: JSON.stringify(instead) }, missing);
  const { pageSize, toolSearchAbove } = mcp.deps.options;
  const isLong = toolSearchAbove !== undefined && all.length > toolSearchAbove;
  if (!asked.isComplete || freshness.isOnce || isLong || offset % pageSize !== 0) {
    // The pages after this one are not those of an earlier list.
    if (offset === 0) state.mergedLists.drop(mcp, method);
    return pageReply(mcp, method, pageOf(all, offset, pageSize), missing);
  }
  const pages = Array.from({ length: Math.max(1, Math.ceil(all.length / pageSize)) }, (_, at) =>
    pageOf(all, at * pageSize, pageSize),
  );
  const value: Pages = { all: pages, missing, leftOutTools: mcp.outcome.leftOutTools };
  state.mergedLists.keep(mcp, method, { value, failed: asked.failedServers }, freshness, {
    weight: pages.reduce((sum, it) => sum + it.text.length, 0),
    hasPages: pages.length > 1,
  });
  return pageReply(mcp, method, pages[offset / pageSize] ?? noPage, missing);
}

async function askServers(
  mcp: McpRequest,
  method: ListMethod,
  { freshness, servers }: { readonly freshness?: Freshness; readonly servers?: readonly VisibleServer[] },
) {
  const { listings, letGoOn } = begin(mcp, method, (server) => admitPart(mcp, server, freshness), freshness, servers);
  const listed = await readyLists(mcp, listings);
  const pending = listings.filter((_, at) => listed[at]?.found === undefined);
  if (pending.length > 0) {
    letGoOn();
    notifyOfRest(mcp, method, pending);
  }
  const { items, failed } = collect(mcp, method, listed);
  const isAnyListed = listed.some((it) => it.found?.status === 'fulfilled');
  const missing = {
    ...(failed.length > 0 && { [failedServersKey]: failed }),
    ...(pending.length > 0 && { [pendingServersKey]: pending.map((it) => nameOf(it.server.server)) }),
    ...missingMeta(listed),
  };
  const failedServers = listed.filter((it) => it.found?.status === 'rejected').map((it) => it.server);
  return { items, failed, failedServers, missing, isAnyListed, isComplete: pending.length === 0 };
}

const noPage: Page = { items: [], text: '[]' };

function pageOf(all: readonly Item[], offset: number, pageSize: number): Page {
  const end = offset + pageSize;
  const items = all.slice(offset, end);
  const more = end < all.length && { nextCursor: Buffer.from(String(end)).toString('base64url') };
  return { items, text: JSON.stringify(items), ...more };
}

/** The items of a page are not written as JSON again. */
function pageReply(mcp: McpRequest, method: ListMethod, page: Page, missing: Pages['missing']): Reply {
  const { id } = mcp.request;
  const member = listMembers[method];
  const more = {
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
    ...metaOf({ ...missing, ...leftOutMeta(mcp) }),
    ...(mcp.era === 'modern' && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
  };
  const rest = JSON.stringify(more).slice(1);
  const result = `{"${member}":${page.text}${rest === '}' ? '' : ','}${rest}`;
  const message: RpcResponse = { jsonrpc: '2.0', id, result: { [member]: page.items, ...more } };
  return {
    kind: 'message',
    status: 200,
    text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
    message,
  };
}

function missingMeta(listed: readonly Listed<unknown>[]): Readonly<Record<string, unknown>> {
  const missing = listed.filter((it) => it.found?.status !== 'fulfilled');
  return missing.length > 0 ? { [missingKey]: missing.map(missingWords) } : {};
}

const leftOutMeta = ({ outcome: { leftOutTools } }: Pick<McpRequest, 'outcome'>) =>
  leftOutTools ? { [leftOutToolsKey]: leftOutTools } : undefined;
const metaOf = (meta: Readonly<Record<string, unknown>>) => (Object.keys(meta).length > 0 ? { _meta: meta } : {});

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
