import type { AwsFields } from '../aws/options.ts';
import type { HeaderRules } from '../headers.ts';

/** What this room reads of a registered agent. The record fits. */
export interface AgentRegistration {
  readonly agent_id: string;
  readonly agent_name: string;
  readonly gateway_params?: AgentParams | null | undefined;
  /** Also accepted in `gateway_params`, whose values win. */
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly extra_headers?: readonly string[] | null | undefined;
  readonly updated_at?: string | null | undefined;
}

export interface AgentParams {
  readonly custom_llm_provider?: string | null | undefined;
  readonly static_headers?: Readonly<Record<string, string>> | null | undefined;
  readonly extra_headers?: readonly string[] | null | undefined;
  readonly allow_private_network?: boolean | null | undefined;
  readonly max_concurrent_requests?: number | null | undefined;
}

/** The secrets of `gateway_params`, in clear text. */
export interface AgentSecrets extends AwsFields {
  readonly api_key?: string | null | undefined;
}

/**
 * How the gateway authenticates to an agent. It is inferred, since A2A has no `auth_type` (`gateway.a2a.no-auth_type`).
 */
export type AgentMode = 'bearer' | 'sigv4' | 'provider_native' | 'none';

/** The cloud agent-runtime provider, under its names. */
const runtimeProviders: ReadonlySet<string> = new Set(['bedrock', 'bedrock_agentcore', 'bedrock-agentcore']);

/** `api_key` wins; then the cloud agent-runtime provider signs; then any other provider has its own way. */
export function agentMode(params: AgentParams, secrets: AgentSecrets): AgentMode {
  if (secrets.api_key?.trim()) return 'bearer';
  const provider = params.custom_llm_provider?.trim().toLowerCase();
  if (!provider) return 'none';
  return runtimeProviders.has(provider) ? 'sigv4' : 'provider_native';
}

/** The rules of `gateway_params` and those beside it; the former win. */
export function agentHeaderRules({ agent_id, gateway_params, ...agent }: AgentRegistration): HeaderRules {
  return {
    id: agent_id,
    static_headers: { ...agent.static_headers, ...gateway_params?.static_headers },
    extra_headers: [...(agent.extra_headers ?? []), ...(gateway_params?.extra_headers ?? [])],
  };
}
