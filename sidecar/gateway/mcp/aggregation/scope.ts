import type { McpRoute } from '../address.ts';
import { type McpContext, type McpDeps, nameOf, type VisibleServer } from '../mcpDeps.ts';

/** The servers that one request is about. */
export interface Scope {
  /** `single`: one server behind its own address, whose names need no prefix. */
  readonly kind: 'single' | 'several';
  readonly servers: readonly VisibleServer[];
  /** Which address it is; sessions belong to one. */
  readonly address: string;
}

/** What an address is resolved by. */
export type ScopeDeps = Pick<McpDeps, 'visible' | 'toolset'> & {
  readonly options: Pick<McpDeps['options'], 'alwaysPrefix'>;
};

/** How many servers one request may name. */
const maxNamed = 256;

/**
 * The servers that an address, `x-mcp-servers` and `x-mcp-access-groups` name for this caller. A name that matches
 * nothing never widens to everything: an unknown path is `undefined`, an unknown header an empty scope.
 */
export function resolveScope(
  deps: ScopeDeps,
  context: McpContext,
  route: McpRoute,
): Scope | undefined | Promise<Scope | undefined> {
  if (route.kind === 'toolset') return toolset(deps, context, route.name);
  const visible = deps.visible(context);
  return visible instanceof Promise
    ? visible.then((it) => among(deps, context, it, route))
    : among(deps, context, visible, route);
}

async function toolset(deps: ScopeDeps, context: McpContext, name: string): Promise<Scope | undefined> {
  const servers = await deps.toolset(context, name);
  return servers && { kind: 'several', servers, address: `toolset/${name}` };
}

function among(
  deps: ScopeDeps,
  context: McpContext,
  visible: readonly VisibleServer[],
  route: Exclude<McpRoute, { kind: 'toolset' }>,
): Scope | Promise<Scope | undefined> {
  if (route.kind === 'all') return { kind: 'several', servers: wanted(visible, context), address: 'all' };
  const [one] = byName(visible, route.name);
  if (!one) return named(deps, context, visible, route.name);
  return scopeOf(one, deps.options.alwaysPrefix ? 'several' : 'single');
}

/** One for all requests to a server, as long as nothing of it changes. */
const scopes = new WeakMap<VisibleServer, Scope>();
function scopeOf(one: VisibleServer, kind: Scope['kind']): Scope {
  const known = scopes.get(one);
  if (known?.kind === kind) return known;
  const scope: Scope = { kind, servers: [one], address: `server/${one.server.server_id}` };
  scopes.set(one, scope);
  return scope;
}

/** What a caller chose last: one list for as long as neither the caller nor its servers change. */
const lastWanted = new WeakMap<
  McpContext['caller'],
  { readonly of: object; readonly servers: readonly VisibleServer[] }
>();

/** The headers only choose among what the caller may use; together they name what one of them could name alone. */
function wanted(visible: readonly VisibleServer[], { caller }: McpContext): readonly VisibleServer[] {
  const { mcpServers, mcpAccessGroups } = caller;
  if (!mcpServers && !mcpAccessGroups) return visible;
  const last = lastWanted.get(caller);
  if (last?.of === visible) return last.servers;
  const groups = new Set(mcpAccessGroups?.slice(0, maxNamed));
  const chosen = new Set(select(visible, mcpServers ?? []));
  const servers = visible.filter(
    (it) => chosen.has(it) || it.server.mcp_access_groups?.some((group) => groups.has(group)),
  );
  lastWanted.set(caller, { of: visible, servers });
  return servers;
}

/** What is no server: a list of them, a toolset or an access group. */
async function named(
  deps: ScopeDeps,
  context: McpContext,
  visible: readonly VisibleServer[],
  name: string,
): Promise<Scope | undefined> {
  const address = `named/${name}`;
  if (name.includes(',')) {
    const servers = select(visible, name.split(','));
    return servers.length > 0 ? { kind: 'several', servers, address } : undefined;
  }
  const ofToolset = await toolset(deps, context, name);
  if (ofToolset) return ofToolset;
  const group = byGroup(visible, name);
  return group.length > 0 ? { kind: 'several', servers: group, address } : undefined;
}

/** Each entry is a server by alias, name or id, else an access group; an entry that is neither adds nothing. */
export function select(visible: readonly VisibleServer[], entries: readonly string[]): readonly VisibleServer[] {
  const chosen = new Set<VisibleServer>();
  for (const entry of entries.slice(0, maxNamed).map((it) => it.trim())) {
    if (entry === '') continue;
    const servers = byName(visible, entry);
    for (const it of servers.length > 0 ? servers : byGroup(visible, entry)) chosen.add(it);
  }
  return visible.filter((it) => chosen.has(it));
}

/** What a list of servers answers to, read once: by alias, else by name, else by id, else by the name that clients are given. */
const indexes = new WeakMap<readonly VisibleServer[], readonly ReadonlyMap<string, readonly VisibleServer[]>[]>();

function byName(visible: readonly VisibleServer[], name: string): readonly VisibleServer[] {
  const index = indexes.get(visible) ?? indexOf(visible);
  indexes.set(visible, index);
  const wanted = name.toLowerCase();
  for (const it of index) {
    const found = it.get(wanted);
    if (found) return found;
  }
  return [];
}

const indexOf = (visible: readonly VisibleServer[]) =>
  [
    ({ server }: VisibleServer) => server.alias,
    ({ server }: VisibleServer) => server.server_name,
    ({ server }: VisibleServer) => server.server_id,
    ({ server }: VisibleServer) => nameOf(server),
  ].map((read) => {
    const found = new Map<string, VisibleServer[]>();
    for (const it of visible) {
      const name = read(it)?.toLowerCase();
      if (name === undefined) continue;
      const same = found.get(name);
      if (same) same.push(it);
      else found.set(name, [it]);
    }
    return found;
  });

const byGroup = (visible: readonly VisibleServer[], group: string): readonly VisibleServer[] =>
  visible.filter(({ server }) => server.mcp_access_groups?.includes(group));
