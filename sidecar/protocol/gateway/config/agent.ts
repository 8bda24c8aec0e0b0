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
      custom_llm_provider: "Use this provider's authentication method.",
      static_headers: 'Headers that are always sent, and win over those of callers.',
      extra_headers: 'Request headers of the caller to forward.',
      require_trace_id_on_calls_to_agent: 'Refuse calls to the agent that have no trace ID.',
      require_trace_id_on_calls_by_agent: 'Refuse calls with a key of the agent that have no trace ID.',
      cost_per_query: 'Price per call, in US dollars.',
      input_cost_per_token: 'Price per input token, in US dollars.',
      output_cost_per_token: 'Price per output token, in US dollars.',
      max_iterations: 'Maximum number of calls in a session.',
      max_budget_per_session: 'US dollars in one session.',
      guardrails: 'Guardrails of the agent.',
      is_public: 'Show the agent to all callers.',
      model: 'Model or agent name at the provider.',
      timeout: 'Seconds without data from the agent before a call fails.',
      enabled: 'If false, calls to the agent are refused.',
      aws_region_name: 'Region for signed requests.',
      aws_service_name: 'Service name in the signature.',
      aws_role_name: 'Role to assume for signed requests.',
      aws_session_name: 'Session name of the assumed role.',
      allow_private_network: 'Allow addresses on this machine and in private networks.',
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
      agent_name: 'Default: the name of this entry.',
      agent_card_params: "Members of the agent card. url is the agent's endpoint.",
      agent_access_groups: 'Groups that object_permission.agent_access_groups can name.',
      object_permission: 'What the agent can use, with its own key or on behalf of a caller.',
      ...limitTexts,
      session_tpm_limit: 'Tokens per minute per session.',
      session_rpm_limit: 'Requests per minute per session.',
      static_headers: 'Headers that are always sent, and win over those of callers.',
      extra_headers: 'Request headers of the caller to forward.',
      tags: 'Among several agents of one name, the one whose tags match the call is taken.',
      gateway_params: 'How the gateway connects to the agent and limits its calls.',
    },
  ),
);
export type ConfigAgent = z.infer<typeof ConfigAgent>;
