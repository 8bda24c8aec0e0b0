import type { Surface } from '../../routing/route.ts';
import type { EndedCall } from '../../storage/activity/endedCall.ts';

/**
 * The names of OpenTelemetry's semantic conventions for MCP and generative AI. Both are in development and may be renamed,
 * so all of them are here, as they are in this version.
 */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

export const metricNames = {
  mcpDuration: 'mcp.server.operation.duration',
  modelDuration: 'gen_ai.client.operation.duration',
  tokens: 'gen_ai.client.token.usage',
  calls: 'gateway.calls',
} as const;

/** Seconds, and tokens: the boundaries that the conventions ask for. */
export const boundaries = {
  mcpDuration: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300],
  modelDuration: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  tokens: [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864],
} as const;

export type Attributes = Record<string, string | number>;

/** The operation of a call, with what metrics may be told apart by. */
export interface Described {
  readonly name: string;
  readonly attributes: Attributes;
}

/** @param surface that the endpoint of the call belongs to */
export function describe({ facts: { of }, status, error_code }: EndedCall, surface: Surface): Described {
  const outcome: Attributes = status === 'failure' ? { 'error.type': error_code ?? '_OTHER' } : {};
  const tool = of.mcp_namespaced_tool_name?.split('/').slice(1).join('/') ?? '';
  if (surface === 'models') {
    const model = of.model_group ?? of.model;
    return {
      name: `chat ${model}`.trim(),
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': model,
        ...(of.custom_llm_provider && { 'gen_ai.provider.name': of.custom_llm_provider }),
        ...outcome,
      },
    };
  }
  if (surface === 'a2a') {
    const agent = of.model.replace(/^a2a_agent\//, '');
    return {
      name: `invoke_agent ${agent}`.trim(),
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent, ...outcome },
    };
  }
  if (surface === 'mcp' || surface === 'rest') {
    const server = of.mcp_namespaced_tool_name?.split('/', 1)[0];
    const method = of.call_type.replace(/^mcp:/, '');
    return {
      name: `${method} ${tool}`.trim(),
      attributes: {
        'mcp.method.name': method,
        ...(tool !== '' && { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool }),
        ...(server && { 'gateway.server': server }),
        ...outcome,
      },
    };
  }
  return { name: of.endpoint, attributes: { 'http.route': of.endpoint, ...outcome } };
}

/** What a span says beside what metrics are told apart by. */
export function spanAttributes({
  request_id,
  facts: { of },
  prompt_tokens,
  completion_tokens,
  spend,
}: EndedCall): Attributes {
  const some: Record<string, string | number | null | undefined> = {
    'gateway.call.id': request_id,
    'gateway.team': of.team_id,
    'gateway.end_user': of.end_user,
    'gateway.spend': spend || undefined,
    'mcp.session.id': of.session_id,
    'http.route': of.endpoint,
    'gen_ai.usage.input_tokens': prompt_tokens || undefined,
    'gen_ai.usage.output_tokens': completion_tokens || undefined,
  };
  return Object.fromEntries(Object.entries(some).filter((it): it is [string, string | number] => it[1] != null));
}
