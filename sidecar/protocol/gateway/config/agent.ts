import * as z from 'zod';
import { described } from '../../building.ts';
import { AgentWrite, GatewayParams } from '../agent.ts';
import { ConfigPermission, limitTexts } from './permission.ts';
import { SecretRef, TextOrSecret } from './secretRef.ts';

const secret = SecretRef.nullish();
const headers = z.record(z.string().max(256), TextOrSecret).nullish();

const ConfigParams = z.strictObject(
  described(
    {
      ...GatewayParams.shape,
      api_key: secret,
      aws_access_key_id: secret,
      aws_secret_access_key: secret,
      aws_session_token: secret,
      static_headers: headers,
    },
    {
      api_key: 'Sent to the agent as a bearer token.',
      aws_access_key_id: 'Access key id for signed requests.',
      aws_secret_access_key: 'Secret access key for signed requests.',
      aws_session_token: 'Session token for signed requests.',
      custom_llm_provider:
        'Provider whose authentication is used if api_key is absent. bedrock, bedrock_agentcore and bedrock-agentcore sign requests.',
      static_headers: 'Headers that are always sent. They override headers of the caller.',
      extra_headers: 'Names of caller headers that are forwarded.',
      require_trace_id_on_calls_to_agent: 'Refuse calls to the agent that have no trace id.',
      require_trace_id_on_calls_by_agent: 'Refuse calls with a key of the agent that have no trace id.',
      cost_per_query: 'US dollars per call.',
      input_cost_per_token: 'US dollars per input token.',
      output_cost_per_token: 'US dollars per output token.',
      max_iterations: 'Maximum number of calls in one session.',
      max_budget_per_session: 'Maximum spend in one session, in US dollars.',
      guardrails:
        'Names of guardrails for the model calls of the agent. The gateway stores them and does not apply them.',
      is_public: 'Whether the agent is in the public list of agents.',
      model: 'Name of the model or agent at the provider.',
      timeout: 'Seconds without data from the agent before a call fails. Default: limits.timeout_s.',
      enabled: 'Set it to false to disable the agent.',
      aws_region_name: 'Region for signed requests. Default: us-east-1.',
      aws_service_name: 'Service name in the signature. Default: bedrock-agentcore.',
      aws_role_name: 'Role to assume for signed requests.',
      aws_session_name: 'Session name of the assumed role.',
      allow_private_network: 'Allow URLs on loopback and private networks.',
      max_concurrent_requests: 'Maximum number of simultaneous calls to the agent.',
    },
  ),
);

/** An A2A agent in the configuration file; its name is the member's. */
export const ConfigAgent = z.strictObject(
  described(
    {
      ...AgentWrite.shape,
      agent_name: AgentWrite.shape.agent_name.nullish(),
      object_permission: ConfigPermission.nullish(),
      static_headers: headers,
      gateway_params: ConfigParams.nullish(),
    },
    {
      agent_id: 'Id in the API. Default: the name of this entry.',
      agent_name: 'Name of the agent. Default: the name of this entry.',
      agent_card_params: 'Members of the agent card. Its url is the address of the agent.',
      agent_access_groups: 'Access groups of the agent. object_permission.agent_access_groups refers to them.',
      object_permission: 'What the agent may use with its own key or on behalf of a caller.',
      ...limitTexts,
      session_tpm_limit: 'Maximum number of tokens per minute in one session.',
      session_rpm_limit: 'Maximum number of requests per minute in one session.',
      static_headers: 'Headers that are always sent. They override headers of the caller.',
      extra_headers: 'Names of caller headers that are forwarded.',
      tags: 'If several agents have the same name, the gateway uses the one whose tags match the call.',
      gateway_params: 'How the gateway reaches and limits the agent.',
    },
  ),
);
export type ConfigAgent = z.infer<typeof ConfigAgent>;
