import * as z from 'zod';
import type { ConfigFacts } from '../../launch/gateway/gatewayContract.ts';
import type { Runtime } from '../../platform/runtime.ts';
import type { Gateway } from '../options.ts';

const Health = z.array(
  z.object({
    server_id: z.string(),
    status: z.enum(['healthy', 'unhealthy', 'unknown']),
    health_check_error: z.string().nullish(),
  }),
);
const Tools = z.object({
  tools: z.array(z.object({ name: z.string(), mcp_info: z.object({ server_id: z.string() }) })),
});

/** How long what servers answered stands. */
const FRESH_MS = 60_000;
/** How soon what could not be read is asked for again. */
const RETRY_MS = 5_000;
const ASK_MS = 20_000;

interface Asked {
  readonly health: ReadonlyMap<string, z.infer<typeof Health>[number]>;
  readonly tools: ReadonlyMap<string, readonly string[]>;
}

export interface ConfigFactsDeps extends Pick<Runtime, 'clock' | 'timers' | 'log'> {
  readonly gateway: Gateway;
  /** An administrator's. */
  readonly key: () => string;
}

/**
 * What somebody who writes the configuration may want to name, and how the servers are. Names are those of now; health and
 * tools come as the servers last answered, over the gateway's own routes: nobody waits for a server while typing.
 */
export function openConfigFacts({ gateway, key, clock, timers, log }: ConfigFactsDeps): () => Promise<ConfigFacts> {
  let asked: Asked = { health: new Map(), tools: new Map() };
  let freshUntilMs = Number.NEGATIVE_INFINITY;

  async function read<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      const response = await fetch(`${gateway.baseUrl}${path}`, {
        headers: { 'x-gateway-api-key': `Bearer ${key()}` },
        signal: timers.deadline(ASK_MS),
      });
      return schema.parse(await response.json());
    } catch (thrown) {
      log.warn({ path, thrown }, 'the status of the MCP servers could not be read');
      return undefined;
    }
  }

  async function ask(): Promise<void> {
    const [health, tools] = await Promise.all([
      read('/v1/mcp/server/health', Health),
      read('/mcp-rest/tools/list', Tools),
    ]);
    // What could not be read stays as it was.
    asked = {
      health: health ? new Map(health.map((it) => [it.server_id, it])) : asked.health,
      tools: tools ? byServer(tools) : asked.tools,
    };
    if (!health || !tools) freshUntilMs = clock.monotonicMs() + RETRY_MS;
  }

  return async () => {
    if (clock.monotonicMs() > freshUntilMs) {
      freshUntilMs = clock.monotonicMs() + FRESH_MS;
      void ask();
    }
    const { store } = gateway;
    const [servers, agents, toolsets, teams, organizations, budgets, models] = await Promise.all([
      store.mcp_server.all(),
      store.agent.all(),
      store.toolset.all(),
      store.team.all(),
      store.organization.all(),
      store.budget.all(),
      store.model.all(),
    ]);
    return {
      servers: servers.map(({ server_id: id, alias, server_name, mcp_access_groups }) => {
        const { status, health_check_error } = asked.health.get(id) ?? {};
        const tools = asked.tools.get(id);
        return {
          id,
          name: alias || server_name || id,
          groups: mcp_access_groups ?? [],
          ...(status && { health: status }),
          ...(health_check_error && { trouble: health_check_error }),
          ...(tools && { tools }),
        };
      }),
      agents: agents.map((it) => ({ id: it.agent_id, name: it.agent_name, groups: it.agent_access_groups ?? [] })),
      toolsets: toolsets.map((it) => it.toolset_name),
      teams: teams.map((it) => it.team_id),
      organizations: organizations.map((it) => it.organization_id),
      budgets: budgets.map((it) => it.budget_id),
      models: [...new Set(models.map((it) => it.model_name))],
    };
  };
}

function byServer({ tools }: z.infer<typeof Tools>): Asked['tools'] {
  const names = new Map<string, string[]>();
  for (const { name, mcp_info } of tools)
    names.set(mcp_info.server_id, [...(names.get(mcp_info.server_id) ?? []), name]);
  return names;
}
