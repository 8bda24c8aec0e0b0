import { Access, type AccessOptions, ceilings, type Levels } from '../../access/access.ts';
import type { Catalogue } from '../../access/catalogue.ts';
import { agentStatement, type ObjectPermission, serverStatement, toolStatement } from '../../access/permission.ts';
import { inherit, lets, letsAll, meet, type Statement } from '../../access/statement.ts';
import { exceeds } from './exceeds.ts';

const NO_SERVERS = 'no-mcp-servers';

type Permission = ObjectPermission | null | undefined;

/**
 * Whether what `wanted` may use, today and later, is within what `held` may use.
 * @throws {Fault} `forbidden` naming the field of `object_permission`
 */
export function checkAccess(held: Levels, wanted: Levels, catalogue: Catalogue, options: AccessOptions): void {
  checkOwnStatement(held.key, wanted.key, catalogue, options);
  const mine = new Access({ ...held, isAdmin: false }, catalogue, options);
  const theirs = new Access({ ...wanted, isAdmin: false }, catalogue, options);
  if ([...theirs.servers].some((it) => !mine.servers.has(it)))
    throw exceeds('object_permission.mcp_servers', 'only servers that you are allowed to use');
  if ([...theirs.agents].some((it) => !mine.agents.has(it)))
    throw exceeds('object_permission.agents', 'only agents that you are allowed to use');
  if (!isWithin(mine.modelStatement, theirs.modelStatement))
    throw exceeds(
      held.key?.model_names || wanted.key?.model_names ? 'models' : 'object_permission.models',
      'only models that you are allowed to use',
    );
  for (const server of theirs.servers) {
    const of = (levels: Levels) =>
      [levels.key, levels.team, ...ceilings.map((it) => levels[it])]
        .map((it) => toolStatement(it, server, catalogue, options))
        .reduce(meet, inherit);
    if (!isWithin(of(held), of(wanted)))
      throw exceeds('object_permission.mcp_tool_permissions', 'only tools that you are allowed to use');
  }
}

/**
 * What a key says itself must stay within what the giver's says itself: a list that is left out, a group or a name that
 * nobody has yet may come to mean more later.
 */
function checkOwnStatement(held: Permission, wanted: Permission, catalogue: Catalogue, options: AccessOptions): void {
  const [own, other] = [held ?? undefined, wanted ?? undefined];
  const servers = serverStatement(own, catalogue, options);
  const isOpen = servers.kind !== 'only';
  if (!isOpen && !isWithin(servers, serverStatement(other, catalogue, options)))
    throw exceeds('object_permission.mcp_servers', 'only a list of servers that you are allowed to use');
  if (!isOpen) {
    mustHold('mcp_access_groups', held, wanted);
    const isUnknown = (it: string) =>
      catalogue.serverIds(it).length === 0 && it !== NO_SERVERS && !namesServer(held, it);
    if ([...(wanted?.mcp_servers ?? []), ...Object.keys(wanted?.mcp_tool_permissions ?? {})].some(isUnknown))
      throw exceeds('object_permission.mcp_servers', 'only registered servers that you are allowed to use');
  }
  mustHold('mcp_toolsets', held, wanted);
  if (wanted?.access_group_ids?.some((it) => !held?.access_group_ids?.includes(it)))
    throw exceeds('access_group_ids', 'only those listed in your own key');
  const agents = agentStatement(own, catalogue, options);
  if (agents.kind !== 'only') return;
  if (!isWithin(agents, agentStatement(other, catalogue, options)))
    throw exceeds('object_permission.agents', 'only a list of agents that you are allowed to use');
  mustHold('agent_access_groups', held, wanted);
  if (wanted?.agents?.some((it) => catalogue.agentIds(it).length === 0))
    throw exceeds('object_permission.agents', 'only registered agents that you are allowed to use');
}

function mustHold(
  field: 'mcp_access_groups' | 'mcp_toolsets' | 'agent_access_groups',
  held: Permission,
  wanted: Permission,
): void {
  const missing = wanted?.[field]?.some((it) => !held?.[field]?.includes(it));
  if (missing) throw exceeds(`object_permission.${field}`, 'only those listed in your own key');
}

const namesServer = (held: Permission, name: string) => held?.mcp_servers?.includes(name) ?? false;

/** `wanted` lets nothing through that `held` does not. One that says nothing is as wide as can be. */
function isWithin(held: Statement, wanted: Statement): boolean {
  if (held.kind !== 'only') return true;
  if (wanted.kind !== 'only' || (held.excludesPublic && !wanted.excludesPublic)) return false;
  const isWhole = (wanted.prefixes ?? []).every((it) => letsAll(held, it));
  return isWhole && [...wanted.names].every((it) => lets(held, it));
}
