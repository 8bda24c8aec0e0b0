import * as z from 'zod';
import { limitShape } from './limits.ts';
import { ObjectPermission } from './objectPermission.ts';
import { Id, Metadata, stampShape, Tags } from './stamps.ts';

const Price = z.number().min(0);

/** Kept sealed beside the record, and masked in answers. */
export const AgentSecretFields = z.object({
  api_key: z.string().nullish(),
  aws_access_key_id: z.string().nullish(),
  aws_secret_access_key: z.string().nullish(),
  aws_session_token: z.string().nullish(),
});
export type AgentSecretFields = z.infer<typeof AgentSecretFields>;

const openParams = {
  custom_llm_provider: z.string().nullish(),
  static_headers: z.record(z.string().max(256), z.string().max(8192)).nullish(),
  extra_headers: z.array(z.string().max(256)).max(256).nullish(),
  require_trace_id_on_calls_to_agent: z.boolean().nullish(),
  require_trace_id_on_calls_by_agent: z.boolean().nullish(),
  /** US dollars a call. */
  cost_per_query: Price.nullish(),
  input_cost_per_token: Price.nullish(),
  output_cost_per_token: Price.nullish(),
  /** Calls a session. */
  max_iterations: z.int().positive().nullish(),
  /** US dollars a session. */
  max_budget_per_session: Price.nullish(),
  guardrails: z.array(Id).nullish(),
  is_public: z.boolean().nullish(),
  model: z.string().nullish(),
  /** Seconds. */
  timeout: z.number().positive().max(86_400).nullish(),
  enabled: z.boolean().nullish(),
  aws_region_name: z.string().nullish(),
  aws_service_name: z.string().nullish(),
  aws_role_name: z.string().nullish(),
  aws_session_name: z.string().nullish(),
  allow_private_network: z.boolean().nullish(),
  max_concurrent_requests: z.int().positive().nullish(),
};
export const GatewayParams = z.strictObject({ ...AgentSecretFields.shape, ...openParams });
/** Without what is secret. */
export const OpenGatewayParams = z.object(openParams);
export type OpenGatewayParams = z.infer<typeof OpenGatewayParams>;

const agentShape = {
  agent_card_params: Metadata,
  agent_access_groups: z.array(Id).max(1_000).nullish(),
  object_permission: ObjectPermission.nullish(),
  ...limitShape,
  session_tpm_limit: z.int().min(0).nullish(),
  session_rpm_limit: z.int().min(0).nullish(),
  static_headers: openParams.static_headers,
  extra_headers: openParams.extra_headers,
  tags: Tags.nullish(),
};
export const AgentName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,127}$/,
    'must start with a letter or digit and may contain only letters, digits, spaces, "_", "-", and "."',
  );

export const AgentRecord = z.object({
  agent_id: Id,
  agent_name: AgentName,
  ...agentShape,
  gateway_params: OpenGatewayParams.nullish(),
  from_config: z.boolean().nullish(),
  ...stampShape,
});
export type AgentRecord = z.infer<typeof AgentRecord>;

/** Body of `POST` and `PUT /v1/agents`. */
export const AgentWrite = z.strictObject({
  agent_id: Id.nullish(),
  agent_name: AgentName,
  ...agentShape,
  gateway_params: GatewayParams.nullish(),
});
export type AgentWrite = z.infer<typeof AgentWrite>;
/** Body of `PATCH /v1/agents/{id}`. */
export const AgentPatch = AgentWrite.partial();
export type AgentPatch = z.infer<typeof AgentPatch>;

/** An entry in LLM Credentials; its values are sealed beside it. */
export const CredentialRecord = z.object({
  credential_name: Id,
  credential_info: z.object({ custom_llm_provider: z.string().min(1).max(128), description: z.string().nullish() }),
  /** Names of the values that are kept. */
  value_names: z.array(z.string()),
  ...stampShape,
});
export type CredentialRecord = z.infer<typeof CredentialRecord>;
export const CredentialWrite = z.strictObject({
  credential_name: Id,
  credential_info: CredentialRecord.shape.credential_info,
  credential_values: z.record(z.string().min(1).max(128), z.string().min(1)),
});
