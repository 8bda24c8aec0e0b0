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
      custom_llm_provider: 'Authenticates the way of this provider.',
      static_headers: 'Headers that are always sent, and win over those of callers.',
      extra_headers: 'Headers of the caller that are handed on.',
      require_trace_id_on_calls_to_agent: 'Refuses calls to the agent that carry no trace id.',
      require_trace_id_on_calls_by_agent: 'Refuses calls made with a key of the agent that carry no trace id.',
      cost_per_query: 'US dollars a call.',
      input_cost_per_token: 'US dollars a token that is sent.',
      output_cost_per_token: 'US dollars a token that is answered.',
      max_iterations: 'Calls in one session.',
      max_budget_per_session: 'US dollars in one session.',
      guardrails: 'Guardrails of the agent.',
      is_public: 'Listed for everybody.',
      model: 'Model or agent name at the provider.',
      timeout: 'Seconds that the agent may be silent.',
      enabled: 'false takes the agent out of service.',
      aws_region_name: 'Region for signed requests.',
      aws_service_name: 'Service name in the signature.',
      aws_role_name: 'Role to assume for signed requests.',
      aws_session_name: 'Session name of the assumed role.',
      allow_private_network: 'May lead to loopback and private networks.',
      max_concurrent_requests: 'Calls to it at the same time.',
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
      agent_id: 'Id in the API. Default: the name.',
      agent_name: 'Default: the name of this entry.',
      agent_card_params: 'Members of the agent card; url is where the agent answers.',
      agent_access_groups: 'Groups that object_permission.agent_access_groups can name.',
      object_permission: 'What the agent may use with a key of its own, or on behalf of a caller.',
      ...limitTexts,
      session_tpm_limit: 'Tokens a minute in one session.',
      session_rpm_limit: 'Requests a minute in one session.',
      static_headers: 'Headers that are always sent, and win over those of callers.',
      extra_headers: 'Headers of the caller that are handed on.',
      tags: 'Among several agents of one name, the one whose tags match the call is taken.',
      gateway_params: 'How the gateway reaches and limits the agent.',
    },
  ),
);
export type ConfigAgent = z.infer<typeof ConfigAgent>;
