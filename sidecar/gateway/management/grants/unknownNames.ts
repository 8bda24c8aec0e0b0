import { modelWords, ObjectPermission } from '../../../protocol/gateway/objectPermission.ts';
import { isPattern } from '../../access/statement.ts';
import type { ManagementDeps } from '../managementDeps.ts';

/** Granted by itself: no server at all. */
const NO_SERVERS = 'no-mcp-servers';
/** Of one answer. */
const MAX_WARNINGS = 20;

/**
 * What a permission that was just written names and nobody has: it takes effect when something of that name is registered,
 * and more often it is a mistake.
 * @param body of a request that was answered
 */
export async function unknownNames(
  body: unknown,
  { directory, listedTools }: Pick<ManagementDeps, 'directory' | 'listedTools'>,
): Promise<readonly string[]> {
  const given = typeof body === 'object' && body !== null && 'object_permission' in body && body.object_permission;
  const { data: permission } = ObjectPermission.safeParse(given);
  if (!permission) return [];
  const { catalogue } = await directory.registered();
  const warnings: string[] = [];
  for (const it of permission.mcp_servers ?? [])
    if (it !== NO_SERVERS && catalogue.serverIds(it).length === 0)
      warnings.push(`object_permission.mcp_servers: no MCP server named '${it}' exists.`);
  for (const it of permission.agents ?? [])
    if (catalogue.agentIds(it).length === 0)
      warnings.push(`object_permission.agents: no A2A agent named '${it}' exists.`);
  const words: readonly string[] = Object.values(modelWords);
  for (const it of permission.models ?? [])
    if (!words.includes(it) && !isPattern(it) && !catalogue.modelNameFor(it))
      warnings.push(`object_permission.models: no model named '${it}' exists.`);
  for (const [server, tools] of Object.entries(permission.mcp_tool_permissions ?? {})) {
    const at = 'object_permission.mcp_tool_permissions';
    const ids = catalogue.serverIds(server);
    if (ids.length === 0) warnings.push(`${at}: no MCP server named '${server}' exists.`);
    const listed = ids.map(listedTools);
    // A server that nobody has asked yet may have every tool.
    if (ids.length === 0 || listed.includes(undefined)) continue;
    for (const it of tools)
      if (!listed.some((names) => names?.includes(it)))
        warnings.push(`${at}.${server}: the server had no tool '${it}' when its tools were last listed.`);
  }
  return warnings.slice(0, MAX_WARNINGS);
}
