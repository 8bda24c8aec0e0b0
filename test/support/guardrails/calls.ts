import type { GuardedCall, GuardedCaller, GuardedServer } from '../../../sidecar/gateway/guardrails/call.ts';
import { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';

/** A call of `tool` at a server that needs no credentials. */
export function guardedCall(
  args: Record<string, unknown> = {},
  more: {
    readonly server?: Partial<GuardedServer>;
    readonly caller?: GuardedCaller;
    readonly bearer?: string;
    readonly tool?: string;
    readonly names?: readonly string[];
  } = {},
): GuardedCall {
  return {
    context: { caller: more.caller ?? {}, bearer: more.bearer, signal: new AbortController().signal },
    server: { server_id: 's1', transport: 'http', url: 'https://one.example/mcp', auth_type: 'none', ...more.server },
    tool: more.tool ?? 'search',
    arguments: args,
    names: more.names,
  };
}

/** As the configuration is read: defaults filled in, everything judged. */
export const guardrail = (guardrail_name: string, gateway_params: object): Guardrail =>
  Guardrail.parse({ guardrail_name, gateway_params });
