import type { Access, ToolsetAccess } from '../access/access.ts';
import { type CallContext, userOf } from '../auth/caller.ts';
import type { BackendSecretsCache, OwnValues } from '../auth/credentialStores.ts';
import type { Directory, Registered } from '../auth/directory.ts';
import type { DraftServers } from '../auth/draftServers.ts';
import type { Permissions } from '../auth/permissions.ts';
import type { Backends, CallFacts } from '../backends/backends.ts';
import { chooseBackend } from '../backends/choose.ts';
import { classifyAddress } from '../backends/net/addresses.ts';
import { type McpDeps, type McpOutbound, type McpServer, nameOf, type VisibleServer } from './mcpDeps.ts';

export interface ServerAccessDeps {
  readonly directory: Directory;
  readonly permissions: Permissions;
  readonly backends: Backends;
  readonly secrets: BackendSecretsCache;
  readonly own: OwnValues;
  readonly drafts: Pick<DraftServers, 'find'>;
}

/** What the MCP surface asks of the rest of the gateway about servers: which there are, and how to get there. */
export function serverAccess({ directory, permissions, backends, secrets, own, drafts }: ServerAccessDeps) {
  /** Lists by what they were made from: the same caller sees the same list until a record changes. */
  const lists = new WeakMap<ToolsetAccess, ServerList>();

  function listOf(access: ToolsetAccess, registered: Registered): ServerList {
    const known = lists.get(access);
    if (known?.of === registered) return known;
    const list = registered.servers
      .filter((it) => access.servers.has(it.server_id))
      .map((server) => ({
        server,
        allows: (tool: string) => access.allowsTool(server.server_id, tool),
        isWhole: access.allowsWhole(server.server_id),
      }));
    const hasNamesakes = new Set(list.map((it) => nameOf(it.server))).size < list.length;
    const made = { of: registered, list, hasInternal: list.some(isInternal), hasNamesakes };
    lists.set(access, made);
    return made;
  }

  function shownTo(context: CallContext, access: ToolsetAccess, registered: Registered): readonly VisibleServer[] {
    const { list, hasInternal, hasNamesakes } = listOf(access, registered);
    const isFar = hasInternal && classifyAddress(context.clientAddress) === 'public';
    const near = isFar ? list.filter((it) => !isInternal(it)) : list;
    return hasNamesakes ? oneOfEachName(near, context.caller.tags, backends) : near;
  }

  const toolsets = new WeakMap<Access, Map<string, ToolsetAccess | undefined>>();
  function toolsetOf(access: Access, name: string): ToolsetAccess | undefined {
    const known = toolsets.get(access) ?? new Map<string, ToolsetAccess | undefined>();
    toolsets.set(access, known);
    if (!known.has(name) && known.size < 1_000) known.set(name, access.toolset(name));
    return known.get(name);
  }

  return {
    visible(context: CallContext) {
      const access = permissions.of(context.caller);
      const registered = directory.registered();
      return access instanceof Promise || registered instanceof Promise
        ? Promise.all([access, registered]).then(([of, from]) => shownTo(context, of, from))
        : shownTo(context, access, registered);
    },
    async toolset(context: CallContext, name: string) {
      const found = toolsetOf(await permissions.of(context.caller), name);
      return found && shownTo(context, found, await directory.registered());
    },
    tried: (context: CallContext, serverId: string) => drafts.find(serverId, userOf(context))?.server,
    outbound(
      server: McpServer,
      context: CallContext,
      { headers }: Parameters<McpDeps['outbound']>[2],
    ): McpOutbound | Promise<McpOutbound> {
      const kept = secrets.server(server.server_id);
      if (headers || context.trace || server.is_byok || needsOwn(server) || kept instanceof Promise)
        return ownWay(server, context, kept, headers);
      return backends.forServer(server, kept, { inbound: context, user: userOf(context), signal: context.signal });
    },
  };

  /** Of a call that brings something of its caller, or has to wait. */
  async function ownWay(
    server: McpServer,
    context: CallContext,
    opened: ReturnType<BackendSecretsCache['server']>,
    headers: Readonly<Record<string, string>> | undefined,
  ): Promise<McpOutbound> {
    const user = userOf(context);
    const userVariables = needsOwn(server) ? await own.variables(server, user) : undefined;
    const trace = context.trace?.headers();
    const facts: CallFacts = {
      inbound: context,
      user,
      ...(userVariables && { userVariables }),
      signal: context.signal,
      ...((headers || trace) && { added: { ...headers, ...trace } }),
    };
    const kept = await opened;
    const held = server.is_byok ? { ...kept, auth_value: await own.credential(server, user) } : kept;
    const { resolution, ...outbound } = await backends.forServer(server, held, facts);
    // Only a guardrail adds headers here: its assertion is what the server looks at where nothing else authenticates.
    return { ...outbound, resolution: headers && resolution === 'no-auth' ? 'jwt-signer' : resolution, trace };
  }
}

/** The servers of one access, with what decides whether each caller sees the same ones. */
interface ServerList {
  readonly of: Registered;
  readonly list: readonly VisibleServer[];
  /** Some are not for callers from the public internet. */
  readonly hasInternal: boolean;
  /** Some are registered under one name. */
  readonly hasNamesakes: boolean;
}

/** Some variables of its headers are each caller's own. */
const needsOwn = ({ env_vars }: McpServer): boolean => env_vars?.some((it) => it.scope === 'user') === true;

/** Such a server is not for callers from the public internet. */
const isInternal = ({ server }: VisibleServer) => server.available_on_public_internet === false;

/** Of several servers that are registered under one name, the one whose tags match the call's. */
function oneOfEachName(
  servers: readonly VisibleServer[],
  tags: readonly string[],
  { pool }: Backends,
): readonly VisibleServer[] {
  const byName = new Map<string, VisibleServer[]>();
  for (const it of servers) {
    const name = nameOf(it.server);
    const same = byName.get(name);
    if (same) same.push(it);
    else byName.set(name, [it]);
  }
  if (byName.size === servers.length) return servers;
  return [...byName.values()].flatMap((same) => {
    const choices = same.map((visible) => ({
      visible,
      id: visible.server.server_id,
      tags: visible.server.tags,
    }));
    const chosen = same.length === 1 ? choices[0] : chooseBackend(choices, tags, pool);
    return chosen ? [chosen.visible] : [];
  });
}
