import * as z from 'zod';

/** Among `agents`: the cloud-agents service behind `/cloudagents`. */
export const allCloudAgents = 'all-cloud-agents';

/** Reserved model names: all models, all models of the team, and none. */
export const modelWords = { all: 'all-proxy-models', team: 'all-team-models', none: 'no-default-models' } as const;

const Names = z.array(z.string().min(1).max(256)).max(10_000).nullish();

/**
 * What one level (key, team, end user, agent, organization) may use (`gateway.permission.…`). A field that is absent or
 * null says nothing, `[]` allows nothing.
 */
export const ObjectPermission = z.object({
  /** By id, name or alias; `no-mcp-servers` shuts out public servers as well. */
  mcp_servers: Names,
  mcp_access_groups: Names,
  /** Server to bare tool names. */
  mcp_tool_permissions: z.record(z.string(), z.array(z.string().max(256)).max(10_000)).nullish(),
  mcp_toolsets: Names,
  /** By UUID or name; `all-cloud-agents` is the service behind `/cloudagents`. */
  agents: Names,
  agent_access_groups: Names,
  /** By the name that callers use, or one of {@link modelWords}. */
  models: Names,
});
export type ObjectPermission = z.infer<typeof ObjectPermission>;
