import * as z from 'zod';
import { AgentName } from './agent.ts';
import { ConfigAgent } from './config/agent.ts';
import { ConfigAlerts } from './config/alerts.ts';
import { jwtShape } from './config/jwt.ts';
import { LogsConfig } from './config/logs.ts';
import { ConfigModel } from './config/model.ts';
import { ConfigBudget, ConfigOrganization, ConfigTeam, ConfigToolset } from './config/people.ts';
import { SecretStoresConfig } from './config/secretStores.ts';
import { ConfigServer } from './config/server.ts';
import { servingShape } from './config/serving.ts';
import { SignInConfig } from './config/signIn.ts';
import { Guardrails } from './guardrail.ts';
import { toolsetShape } from './mcpServer.ts';
import { Id } from './stamps.ts';

/**
 * `switchboard.jsonc`, the one file that configures the gateway. Strict: a member that is not known is a mistake. Secrets
 * are named by their place and never written down.
 */
export const GatewayConfig = z
  .strictObject({
    $schema: z
      .string()
      .optional()
      .describe('URL of the JSON schema for this file. Editors use it for validation and completion.'),
    ...servingShape,
    logs: LogsConfig,
    ...jwtShape,
    sign_in: SignInConfig.optional(),
    secret_stores: SecretStoresConfig.optional(),
    retention: z
      .strictObject({
        audit_days: z
          .int()
          .min(0)
          .max(36_500)
          .default(0)
          .describe('How many days to keep audit entries. 0 keeps them indefinitely.'),
      })
      .prefault({})
      .describe('How long a standalone gateway keeps other records than those of calls. Read only at startup.'),
    default_access: z
      .enum(['none', 'all'])
      .optional()
      .describe(
        'What a key may use if neither the key nor its team has permissions. Default: all for the embedded gateway, none for a standalone gateway.',
      ),
    empty_list_inherits: z
      .boolean()
      .default(false)
      .describe('Treat [] in object_permission as if the field were absent. By default, [] allows nothing.'),
    separator: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,8}$/, 'may contain only letters, digits, "_", "-", and "."')
      .default('__')
      .describe(
        'Separator between the server name and the tool name: 1 to 8 characters, which can be letters, digits, "_", "-", or ".". Server names must not contain it.',
      ),
    always_prefix: z
      .boolean()
      .default(false)
      .describe('Prefix tool names with the server name even on single-server routes.'),
    tool_search: z
      .strictObject({
        above: z
          .int()
          .min(0)
          .max(1_000_000)
          .describe(
            'Number of tools that a list may contain. A list with more tools shows search_tools and call_tool instead.',
          ),
      })
      .optional()
      .describe(
        'Shows two tools instead of a long list: search_tools finds tools, and call_tool calls them. Applies to each MCP address and caller. Off by default. Read only at startup.',
      ),
    mcp_servers: z.record(Id, ConfigServer).default({}).describe('MCP servers by name.'),
    agents: z.record(AgentName, ConfigAgent).default({}).describe('A2A agents by name.'),
    model_list: z
      .array(ConfigModel)
      .max(10_000)
      .default([])
      .describe('Models. Entries with the same model_name share the calls of that name.'),
    toolsets: z
      .record(toolsetShape.toolset_name, ConfigToolset)
      .default({})
      .describe('Toolsets by name. Each toolset is served at /toolset/{name}/mcp.'),
    teams: z.record(Id, ConfigTeam).default({}).describe('Teams by name.'),
    organizations: z.record(Id, ConfigOrganization).default({}).describe('Organizations by name.'),
    budgets: z
      .record(Id, ConfigBudget)
      .default({})
      .describe(
        'Budgets by name. Teams and other entries refer to them by budget_id. The budget named global applies to all calls combined.',
      ),
    guardrails: Guardrails.default([]).describe('Guardrails, in the order in which they run.'),
    alerts: ConfigAlerts.prefault({}).describe('Which alerts are sent, and where. By default, none are.'),
    import: z
      .array(z.string().min(1).max(4096))
      .default([])
      .describe(
        'Paths to additional files to import, relative to this file: .vscode/mcp.json, files with mcpServers, or a LiteLLM config.yaml. Entries in this file take precedence.',
      ),
  })
  .describe('Switchboard gateway configuration.');
export type GatewayConfig = z.infer<typeof GatewayConfig>;
/** As it is written: what has a default may be left out. */
export type GatewayConfigInput = z.input<typeof GatewayConfig>;
