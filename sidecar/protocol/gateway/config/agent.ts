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
      aws_access_key_id: 'Access key ID for signed requests.',
      aws_secret_access_key: 'Secret access key for signed requests.',
      aws_session_token: 'Session token for signed requests.',
      custom_llm_provider:
        'Provider whose authentication is used if api_key is absent. Requests are signed for bedrock, bedrock_agentcore, and bedrock-agentcore.',
      static_headers: "Headers to send with every request. They override the caller's headers.",
      extra_headers: 'Names of caller headers to forward.',
      require_trace_id_on_calls_to_agent: 'Require a trace ID on calls to the agent.',
      require_trace_id_on_calls_by_agent: "Require a trace ID on calls made with one of the agent's keys.",
      cost_per_query: 'Cost per call, in US dollars.',
      input_cost_per_token: 'Cost per input token, in US dollars.',
      output_cost_per_token: 'Cost per output token, in US dollars.',
      max_iterations: 'Maximum number of calls in one session.',
      max_budget_per_session: 'Maximum spend in one session, in US dollars.',
      guardrails:
        "Names of guardrails for the agent's model calls. The gateway stores these names but does not apply the guardrails.",
      is_public: 'Whether the agent appears in the public agent list.',
      model: "Provider's name for the model or agent.",
      timeout: 'How many seconds a call can go without data from the agent before it fails. Default: limits.timeout_s.',
      enabled: 'Set to false to disable the agent.',
      aws_region_name: 'Region for signed requests. Default: us-east-1.',
      aws_service_name: 'Service name to use in the signature. Default: bedrock-agentcore.',
      aws_role_name: 'Role to assume for signed requests.',
      aws_session_name: 'Session name for the assumed role.',
      allow_private_network: 'Allow URLs on loopback and private networks.',
      max_concurrent_requests: 'Maximum number of concurrent calls to the agent.',
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
      agent_id: 'ID in the API. Default: the name of this entry.',
      agent_name: 'Agent name. Default: the name of this entry.',
      agent_card_params: "Members of the agent card. The url member is the agent's address.",
      agent_access_groups:
        'Access groups that the agent belongs to. Use these names in object_permission.agent_access_groups.',
      object_permission: 'What the agent may use with its own key or on behalf of a caller.',
      ...limitTexts,
      session_tpm_limit: 'Maximum number of tokens per minute in one session.',
      session_rpm_limit: 'Maximum number of requests per minute in one session.',
      static_headers: "Headers to send with every request. They override the caller's headers.",
      extra_headers: 'Names of caller headers to forward.',
      tags: 'If several agents have the same name, the gateway uses the one whose tags match the call.',
      gateway_params: 'How the gateway connects to the agent and limits calls to it.',
    },
  ),
);
export type ConfigAgent = z.infer<typeof ConfigAgent>;
