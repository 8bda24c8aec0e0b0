import type { Guardrail } from '../../protocol/gateway/guardrail.ts';
import { guardrailDefinitions } from '../../protocol/gateway/guardrails/index.ts';
import type { McpServerRecord } from '../../protocol/gateway/mcpServer.ts';
import type { CallContext } from '../auth/caller.ts';
import type { McpServer } from '../mcp/mcpDeps.ts';
import type { GuardedCall } from './call.ts';
import type { Guardrails } from './guardrails.ts';
import type { StoredGuardrails } from './storedGuardrails.ts';

/** A guardrail as people see it. Its parameters name places of secrets, and hold none. */
const infoOf = ({ guardrail_name, gateway_params }: Guardrail, isFromFile: boolean) => ({
  guardrail_name,
  mode: gateway_params.mode,
  default_on: gateway_params.default_on === true,
  description: guardrailDefinitions.find((it) => it.guardrail === gateway_params.guardrail)?.description ?? null,
  from_config: isFromFile,
  gateway_params,
});

/** A server for calls that are only tried, where none is named. */
const noServer: McpServer = { server_id: 'try-out', server_name: 'try-out', transport: 'http' };

/** What the management routes ask of guardrails. @param open loads them */
export const guardrailAdmin = (stored: StoredGuardrails, open: () => Promise<Guardrails>) => ({
  all: () => stored.now().map((it) => infoOf(it, stored.isFromFile(it.guardrail_name))),
  applied: () => stored.read(),
  async tryOut(context: CallContext, asked: Trying) {
    const { server = noServer, tool, arguments: args, result, names } = asked;
    const tried = await (await open()).tryOut({ context, server, tool, arguments: args }, result, names);
    return tried.map(({ headers, ...it }) => ({ ...it, ...(headers && { headers: [...headers] }) }));
  },
});
interface Trying extends Pick<GuardedCall, 'tool' | 'arguments'> {
  readonly server?: McpServerRecord;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly names?: readonly string[];
}

/** Approving and forgetting of pinned definitions, as the management routes ask for it. @param open loads the guardrails */
export const pinRoutes = (open: () => Promise<Guardrails>) => ({
  async pin({ server_id }: McpServerRecord) {
    return { tools: (await (await open()).pins.approve(server_id)).length };
  },
  unpin: async (serverId: string) => (await open()).pins.unpin(serverId),
});
