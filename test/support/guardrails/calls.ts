import type { Caller } from '../../../sidecar/gateway/auth/caller.ts';
import type { GuardedCall } from '../../../sidecar/gateway/guardrails/call.ts';
import type { McpServer } from '../../../sidecar/gateway/mcp/mcpDeps.ts';
import { Guardrail } from '../../../sidecar/protocol/gateway/guardrail.ts';
import type { KeyRecord } from '../../../sidecar/protocol/gateway/key.ts';
import { EndUserRecord, OrganizationRecord, TeamRecord, UserRecord } from '../../../sidecar/protocol/gateway/people.ts';
import { callContext } from '../gateway/callContext.ts';

/** As much of the records of a caller as a test is about. */
export interface Known {
  readonly key?: Partial<KeyRecord>;
  readonly user?: Partial<UserRecord>;
  readonly endUser?: Partial<EndUserRecord>;
  readonly team?: Partial<TeamRecord>;
  readonly organization?: Partial<OrganizationRecord>;
}

export function callerOf({ key, user, endUser, team, organization }: Known): Caller {
  const { caller } = callContext({ caller: { key: { token: '' } } });
  const stamps = { created_at: caller.key.created_at, updated_at: caller.key.updated_at };
  return {
    ...caller,
    key: { ...caller.key, ...key },
    user: user && { ...UserRecord.parse({ user_id: 'u', ...stamps }), ...user },
    endUser: endUser && { ...EndUserRecord.parse({ user_id: 'e', ...stamps }), ...endUser },
    team: team && { ...TeamRecord.parse({ team_id: 't', ...stamps }), ...team },
    organization: organization && { ...OrganizationRecord.parse({ organization_id: 'o', ...stamps }), ...organization },
  };
}

/** A call of `tool` at a server that needs no credentials. */
export function guardedCall(
  args: Record<string, unknown> = {},
  more: {
    readonly server?: Partial<McpServer>;
    readonly caller?: Known;
    readonly bearer?: string;
    readonly tool?: string;
    /** Guardrails that the key asks for. */
    readonly names?: readonly string[];
  } = {},
): GuardedCall {
  const key = { ...more.caller?.key, ...(more.names && { guardrails: [...more.names] }) };
  return {
    context: {
      ...callContext({ caller: { key: { token: '' } }, bearer: more.bearer }),
      caller: callerOf({ ...more.caller, key }),
    },
    server: { server_id: 's1', transport: 'http', url: 'https://one.example/mcp', auth_type: 'none', ...more.server },
    tool: more.tool ?? 'search',
    arguments: args,
  };
}

/** As the configuration is read: defaults filled in, everything judged. */
export const guardrail = (guardrail_name: string, gateway_params: object): Guardrail =>
  Guardrail.parse({ guardrail_name, gateway_params });
