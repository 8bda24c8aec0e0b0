import * as z from 'zod';
import { ProcessesAnswer } from '../../../protocol/gateway/answers.ts';
import { McpServerRecord, mcpServerShape } from '../../../protocol/gateway/mcpServer.ts';
import { CircuitAnswer } from '../../../protocol/gateway/resilience.ts';
import type { Access } from '../../access/access.ts';
import { permissionOf } from '../../auth/permissions.ts';
import { refOf } from '../../backends/oauth/stores.ts';
import { readUserCredential, userSealed } from '../../storage/userValues.ts';
import type { ManagementDeps, ServerHealth } from '../managementDeps.ts';
import { withoutSecrets } from '../mask.ts';
import { personOf } from '../person.ts';
import type { Call } from '../route.ts';
import { isViewer } from '../standing.ts';

const added = {
  has_user_credential: z.boolean(),
  /** Teams whose own list names the server. */
  teams: z.array(z.string()).optional(),
  status: z.enum(['healthy', 'unhealthy', 'unknown']).optional(),
  last_health_check: z.string().nullish(),
  health_check_error: z.string().nullish(),
  /** Only for stdio servers. */
  processes: ProcessesAnswer.optional(),
  /** Only for servers with a circuit breaker that were asked. */
  circuit: CircuitAnswer.optional(),
  /** The tools that it listed last, by its own names; absent where nobody has asked it. */
  tools: z.array(z.string()).optional(),
};
/** What everybody who may use a server sees of it: nothing about how it is reached. */
const MemberView = z.object({
  server_id: z.string(),
  server_name: mcpServerShape.server_name,
  alias: mcpServerShape.alias,
  description: mcpServerShape.description,
  transport: mcpServerShape.transport,
  auth_type: mcpServerShape.auth_type,
  oauth2_flow: mcpServerShape.oauth2_flow,
  mcp_info: mcpServerShape.mcp_info,
  mcp_access_groups: mcpServerShape.mcp_access_groups,
  instructions: mcpServerShape.instructions,
  is_byok: mcpServerShape.is_byok,
  allow_all_keys: mcpServerShape.allow_all_keys,
  approval_status: McpServerRecord.shape.approval_status,
  created_at: z.string(),
  updated_at: z.string(),
});
export const ServerView = z.union([McpServerRecord.extend(added), MemberView.extend(added)]);
const publicInfo = ['server_name', 'logo_url', 'description', 'is_public'];

/** Whether the caller sees how servers are reached: administrators and viewers whose key is not limited to some. */
export const seesWhole = (call: Pick<Call, 'caller'>, access: Access): boolean =>
  access.isBypass || (isViewer(call.caller) && !permissionOf(call.caller.key));

/** The `processes` member of an answer, for a stdio server. */
export function processesFact(
  server: McpServerRecord | undefined,
  running: ReturnType<ManagementDeps['processes']>,
): { readonly processes?: ProcessesAnswer } {
  if (server?.transport !== 'stdio') return {};
  const { count, memoryBytes } = running.get(server.server_id) ?? { count: 0, memoryBytes: 0 };
  return { processes: { count, memory_bytes: memoryBytes } };
}

/** The `circuit` member of an answer, for a server with a circuit breaker. */
export function circuitFact(
  serverId: string,
  states: ReturnType<ManagementDeps['resilience']>,
): { readonly circuit?: CircuitAnswer } {
  const circuit = states.get(serverId)?.circuit;
  if (!circuit) return {};
  const { retryAfterMs, ...counted } = circuit;
  return { circuit: { ...counted, ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) } };
}

type ViewDeps = Pick<ManagementDeps, 'store' | 'tokens' | 'listedTools' | 'processes' | 'resilience'>;

export async function serverViews(
  call: Pick<Call, 'caller'>,
  { store, tokens, listedTools, processes, resilience }: ViewDeps,
  servers: readonly McpServerRecord[],
  { isWhole, health }: { readonly isWhole: boolean; readonly health?: readonly ServerHealth[] },
) {
  const found = health ?? (await store.serverHealth.of(servers.map((it) => it.server_id)));
  // Why a server is not well may name addresses.
  const shown = new Map(found.map((it) => [it.server_id, isWhole ? it : { ...it, health_check_error: null }] as const));
  const person = personOf(call.caller);
  const own = await serversWithOwn(person, { store, tokens }, servers);
  const teams = isWhole ? await store.team.all() : [];
  const running: ReturnType<typeof processes> = isWhole ? processes() : new Map();
  const states: ReturnType<typeof resilience> = isWhole ? resilience() : new Map();
  return servers.map((it) => {
    const { server_id: _, ...state } = shown.get(it.server_id) ?? { server_id: '' };
    const more = { ...state, has_user_credential: own.has(it.server_id) };
    if (!isWhole) return { ...MemberView.parse(it), mcp_info: publicPart(it.mcp_info), ...more };
    const names = [it.server_id, it.alias, it.server_name];
    const using = teams.filter((team) => team.object_permission?.mcp_servers?.some((name) => names.includes(name)));
    const tools = listedTools(it.server_id);
    const known = {
      ...more,
      ...(tools && { tools }),
      ...processesFact(it, running),
      ...circuitFact(it.server_id, states),
    };
    return { ...(withoutSecrets(it) as McpServerRecord), ...known, teams: using.map((team) => team.team_id) };
  });
}

/** Hundreds of servers have few secrets of one person: it is asked once which there may be. */
async function serversWithOwn(
  user: string,
  { store: { secrets }, tokens }: Pick<ManagementDeps, 'store' | 'tokens'>,
  servers: readonly McpServerRecord[],
): Promise<ReadonlySet<string>> {
  const kinds = [userSealed.credential, 'user_token'];
  const held = (await Promise.all(kinds.map((it) => secrets.names(it)))).flat();
  const ids = new Set(held.filter((it) => it.name === user).map((it) => it.id));
  const own = new Set<string>();
  for (const it of servers) {
    if (!ids.has(it.server_id)) continue;
    if ((await readUserCredential(secrets, it, user)) ?? (await tokens.read(refOf(it, user)))) own.add(it.server_id);
  }
  return own;
}

const publicPart = (info: McpServerRecord['mcp_info']) =>
  info ? Object.fromEntries(Object.entries(info).filter(([name]) => publicInfo.includes(name))) : (info ?? null);
