import { mcpErrors } from '../../../protocol/gateway/mcpWire.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import type { Item, ListMethod } from '../../backends/mcp/listAll.ts';
import type { Freshness } from '../aggregation/mergedLists.ts';
import { prefixed } from '../aggregation/names.ts';
import { RpcRefusal } from '../answers.ts';
import { nameOf, type VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { type Listed, type Listing, settledLists } from './readyLists.ts';
import { itemsOf } from './serverItems.ts';
import { isUsableName, shownTool } from './toolRules.ts';

export interface ServerItem {
  readonly server: VisibleServer;
  readonly item: Item;
}

/** What servers listed to a caller. */
export interface Gathered {
  readonly items: readonly ServerItem[];
  /** The servers that could not be asked, by name. */
  readonly failed: readonly string[];
  /** Of the lists of each server, from before it was asked. */
  readonly generations: readonly number[];
}

export const generationsOf = ({ deps, scope }: Pick<McpRequest, 'deps' | 'scope'>): readonly number[] =>
  scope.servers.map((it) => deps.lists.generation(it.server.server_id));

/** The lists of all servers, also of those that take long. @param admit as for {@link begin} */
export async function gather(mcp: McpRequest, method: ListMethod, admit?: Admit): Promise<Gathered> {
  const generations = generationsOf(mcp);
  return { ...collect(mcp, method, await settledLists(begin(mcp, method, admit).listings)), generations };
}

/** The tools of all servers, as the caller may use and call them. */
export async function gatherTools(mcp: McpRequest, admit?: Admit): Promise<Gathered> {
  const gathered = await gather(mcp, 'tools/list', admit);
  return { ...gathered, items: withoutTwins(mcp, 'tools/list', gathered.items) };
}

type Admit = (server: VisibleServer) => Promise<void>;

/**
 * Asks all servers at once, each with its own time limit. Names are prefixed, addresses of resources are not.
 *
 * @param admit throws where a server may not be asked now: it is left out as one that fails
 * @param freshness is told whether the lists may be kept together
 * @param servers default: all that have such a list for the caller
 */
export function begin(
  mcp: McpRequest,
  method: ListMethod,
  admit: Admit = async () => undefined,
  freshness?: Freshness,
  servers = method === 'tools/list' ? mcp.scope.servers : mcp.scope.servers.filter((it) => it.isWhole),
) {
  const caller = new AbortController();
  const leave = () => caller.abort(mcp.signal.reason);
  if (mcp.signal.aborted) leave();
  else mcp.signal.addEventListener('abort', leave, { once: true });
  const limit = sharedLimit(mcp, caller.signal);
  const listings = servers.map((server): Listing<readonly Item[]> => {
    const limits = { starting: () => caller.signal, limit, ...(freshness && { freshness }) };
    const list = admit(server).then(() => listOf(mcp, server, method, limits));
    return { server, list };
  });
  /** The request is answered, and lists that are still loading continue. */
  const letGoOn = () => mcp.signal.removeEventListener('abort', leave);
  return { listings, letGoOn };
}

export function collect(mcp: McpRequest, method: ListMethod, listed: readonly Listed<readonly Item[]>[]) {
  const items: ServerItem[] = [];
  const failed: string[] = [];
  for (const { server, found } of listed) {
    if (found?.status === 'fulfilled') items.push(...found.value.map((item) => ({ server, item })));
    if (found?.status !== 'rejected') continue;
    failed.push(nameOf(server.server));
    noteOmitted(mcp, server, method, found.reason);
  }
  return { items, failed };
}

/** The log says when a circuit opens and closes, and not each time a request is refused because of it. */
export function noteOmitted(
  { deps }: Pick<McpRequest, 'deps'>,
  { server }: VisibleServer,
  method: ListMethod,
  thrown: unknown,
): void {
  if (thrown instanceof BackendFailure && thrown.kind === 'circuit_open') return;
  deps.log.warn({ server: nameOf(server), method, thrown }, 'A server was omitted from a list because it failed.');
}

type Limits = Pick<Parameters<typeof itemsOf>[2], 'starting' | 'limit' | 'freshness'>;

/** Servers that are asked within this time have the same limit: one for each is dear where there are many. */
const togetherMs = 100;

/** How long servers are waited for. It begins when there is a connection, so that programs may take longer to start. */
function sharedLimit({ deps: { clock, timers, options } }: McpRequest, caller: AbortSignal): () => AbortSignal {
  let signal = caller;
  let madeMs = -Infinity;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - madeMs > togetherMs) {
      signal = AbortSignal.any([caller, timers.deadline(options.listTimeoutMs)]);
      madeMs = nowMs;
    }
    return signal;
  };
}

async function listOf(
  mcp: McpRequest,
  visible: VisibleServer,
  method: ListMethod,
  limits: Limits,
): Promise<readonly Item[]> {
  const { options } = mcp.deps;
  const guard = await guardList(mcp, visible, method);
  const meta = mcp.era === 'modern' ? mcp.request.params?.['_meta'] : undefined;
  const items = await itemsOf(mcp, visible, { method, ...limits, meta, ...guard });
  const shown = method === 'tools/list' ? await shownTools(mcp, visible, items) : items;
  if (mcp.scope.kind === 'single') return shown;
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
export function withoutTwins(mcp: McpRequest, method: ListMethod, items: readonly ServerItem[]): readonly ServerItem[] {
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
