import * as z from 'zod';
import { Metrics, SpendLog } from './activity.ts';
import { CredentialRecord } from './agent.ts';
import { KeyRecord } from './key.ts';
import { McpServerRecord } from './mcpServer.ts';
import { ModelParams, ModelRecord, PriceSource } from './model.ts';
import { OpenApiPreview } from './openapi.ts';
import { EndUserRecord, OrganizationRecord, TeamRecord, UserRecord } from './people.ts';
import { CircuitAnswer } from './resilience.ts';

// What the management routes answer with beside the records themselves, as far as clients of ours read it.

const used = {
  /** US dollars in the running window. */
  spend: z.number().nullish(),
  budget_reset_at: z.string().nullish(),
};
/** A key in answers: what was spent beside what was said of it. */
export const KeyAnswer = KeyRecord.extend({ ...used, last_active: z.string().nullish() });
export type KeyAnswer = z.infer<typeof KeyAnswer>;
/** `POST /key/generate` and `/key/regenerate`: the only answers that hold the key itself. */
export const NewKeyAnswer = KeyAnswer.partial().extend({ key: z.string() });
/** `GET /key/info`. */
export const KeyInfoAnswer = z.object({ key: z.string(), info: KeyAnswer });
/** `GET /key/list` with `return_full_object=true`. */
export const KeyListAnswer = z.object({
  keys: z.array(KeyAnswer),
  total_count: z.int(),
  current_page: z.int(),
  total_pages: z.int(),
});

/** The processes of a stdio server at the replica that answers. */
export const ProcessesAnswer = z.object({
  count: z.int(),
  memory_bytes: z.number().describe('In bytes; 0 if it is not known'),
});
export type ProcessesAnswer = z.infer<typeof ProcessesAnswer>;

/** A server in answers: how it fares beside what was said of it. */
export const McpServerAnswer = McpServerRecord.extend({
  status: z.enum(['healthy', 'unhealthy', 'unknown']).nullish(),
  last_health_check: z.string().nullish(),
  health_check_error: z.string().nullish(),
  processes: ProcessesAnswer.nullish(),
  circuit: CircuitAnswer.nullish(),
  has_user_credential: z.boolean().nullish(),
  /** The tools that it listed last, by its own names. */
  tools: z.array(z.string()).nullish(),
});
export type McpServerAnswer = z.infer<typeof McpServerAnswer>;

export const ToolAnswer = z.object({
  name: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  inputSchema: z.record(z.string(), z.unknown()).nullish(),
  mcp_info: z.object({ server_id: z.string().nullish(), server_name: z.string().nullish() }).nullish(),
});
export type ToolAnswer = z.infer<typeof ToolAnswer>;
/** `GET /mcp-rest/tools/list`: always 200, what went wrong is in `error` and `message`. */
export const ToolListAnswer = z.object({
  tools: z.array(ToolAnswer),
  error: z.string().nullish(),
  message: z.string().nullish(),
});
/** `POST /mcp-rest/test/tools/list`. */
export const TriedToolsAnswer = ToolListAnswer.extend({ openapi: OpenApiPreview.nullish() });
/** `POST /mcp-rest/tools/call`. */
export const ToolCallAnswer = z.object({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  isError: z.boolean().nullish(),
  structuredContent: z.unknown().optional(),
});
export type ToolCallAnswer = z.infer<typeof ToolCallAnswer>;

const sums = Metrics.partial().extend({
  successful_requests: z.number(),
  failed_requests: z.number(),
  api_requests: z.number(),
  total_tokens: z.number(),
  spend: z.number(),
});
const Group = z.object({ metrics: sums, metadata: z.record(z.string(), z.unknown()).nullish() });
const Groups = z.record(z.string(), Group).default({});
/** `GET /{entity}/daily/activity`. */
export const DailyActivityAnswer = z.object({
  results: z.array(
    z.object({
      date: z.string(),
      metrics: sums,
      breakdown: z.object({
        mcp_servers: Groups,
        models: Groups,
        model_groups: Groups,
        providers: Groups,
        entities: Groups,
        api_keys: Groups,
      }),
    }),
  ),
  metadata: z.object({ page: z.int().default(1), has_more: z.boolean().default(false) }),
});
export type DailyActivityAnswer = z.infer<typeof DailyActivityAnswer>;

const endpointMetrics = {
  successful_requests: z.number(),
  failed_requests: z.number(),
  total_requests: z.number(),
  /** Percent; null without a request. */
  success_rate: z.number().nullable(),
  total_tokens: z.number(),
  spend: z.number(),
};
const EndpointDayAnswer = z.object({ date: z.string(), ...endpointMetrics });
export const EndpointAnswer = z.object({ endpoint: z.string(), ...endpointMetrics, daily: z.array(EndpointDayAnswer) });
export type EndpointAnswer = z.infer<typeof EndpointAnswer>;
const Endpoints = z.array(EndpointAnswer);
/** `GET /activity/endpoints`: the seven metrics of each endpoint (`gateway.activity.…`), most requests first. */
export const EndpointActivityAnswer = z.union([
  Endpoints,
  z.object({ endpoints: Endpoints }).transform((it) => it.endpoints),
]);

/** `GET /spend/logs/v2`. */
export const SpendLogsAnswer = z.object({
  data: z.array(SpendLog),
  total: z.int(),
  page: z.int(),
  page_size: z.int(),
  total_pages: z.int(),
  total_is_more: z.boolean().optional(),
  looked_at_since: z.string().optional(),
});

/** Why a key may or may not use something, level by level. */
export const ExplainAnswer = z.object({
  allowed: z.boolean(),
  steps: z.array(
    z.object({
      level: z.string(),
      about: z.string(),
      effect: z.enum(['allows', 'forbids', 'says nothing']),
      says: z.string(),
    }),
  ),
});
export type ExplainAnswer = z.infer<typeof ExplainAnswer>;

/** Teams, organizations and end users in answers. */
export const TeamAnswer = TeamRecord.extend(used);
export type TeamAnswer = z.infer<typeof TeamAnswer>;
export const OrganizationAnswer = OrganizationRecord.extend(used);
export type OrganizationAnswer = z.infer<typeof OrganizationAnswer>;
export const EndUserAnswer = EndUserRecord.extend(used);
export type EndUserAnswer = z.infer<typeof EndUserAnswer>;
export const UserAnswer = UserRecord.extend({
  ...used,
  /** By keys of teams that name the person: it counts against the teams. */
  team_spend: z.number().nullish(),
});
export type UserAnswer = z.infer<typeof UserAnswer>;
/** `GET /user/list`. */
export const UserListAnswer = z.object({
  users: z.array(UserAnswer),
  total: z.int(),
  page: z.int(),
  total_pages: z.int(),
});

/** `GET /ui/sign-in`. */
export const WaysInAnswer = z.object({ provider: z.string().nullable(), keys: z.boolean() });

/** One line of `GET /audit`. */
export const AuditLine = z.object({
  id: z.string(),
  updated_at: z.string(),
  /** The person of the key, else the key's hash; `config` for the configuration file. */
  changed_by: z.string(),
  on_behalf_of: z.string().nullish(),
  user_email: z.string().nullish(),
  /** `key`, `sign_in`, `invitation`, `scim`, or `jwt` with the issuer and the subject of the token. */
  signed_in_by: z.string().nullish(),
  action: z.string(),
  table_name: z.string(),
  object_id: z.string(),
  before_value: z.unknown(),
  updated_values: z.unknown(),
});
export type AuditLine = z.infer<typeof AuditLine>;
export const AuditAnswer = z.object({
  audit_logs: z.array(AuditLine),
  total: z.int(),
  page: z.int(),
  total_pages: z.int(),
});

/** `GET /v1/mcp/server/health`. */
export const ServerHealthAnswer = z.object({
  server_id: z.string(),
  status: z.enum(['healthy', 'unhealthy', 'unknown']),
  last_health_check: z.string().nullish(),
  health_check_error: z.string().nullish(),
  processes: ProcessesAnswer.nullish(),
});

/** `GET /credentials`: names of what is kept, with a mask in the place of each value. */
export const CredentialAnswer = CredentialRecord.pick({
  credential_name: true,
  credential_info: true,
  updated_at: true,
}).extend({ credential_values: z.record(z.string(), z.string()) });
export type CredentialAnswer = z.infer<typeof CredentialAnswer>;
export const CredentialListAnswer = z.object({ credentials: z.array(CredentialAnswer) });

/** `GET /v1/mcp/server/submissions`. */
export const SubmissionsAnswer = z.object({ items: z.array(McpServerAnswer) });

/** US dollars per million tokens, for calls with the shortest input if prices depend on its length. */
export const ModelPriceList = PriceSource.extend({
  input: z.number(),
  output: z.number(),
  cache_read: z.number().describe('For input tokens that are read from the prompt cache'),
  cache_creation: z.number().describe('For input tokens that are written to the prompt cache'),
  higher_above: z.int().optional().describe('Number of input tokens above which prices are higher'),
});
export type ModelPriceList = z.infer<typeof ModelPriceList>;

/** How calls to a backend of a model went, at the replica that answers. */
export const ModelHealth = z.object({
  status: z
    .enum(['ready', 'cooling_down', 'full', 'unknown'])
    .describe(
      'unknown: not called yet. cooling_down: avoided after a failure. full: its limit for this minute is reached',
    ),
  failures: z.int().describe('Consecutive failures'),
  ready_at: z.string().optional().describe('When it is no longer avoided'),
  requests: z.int().describe('Requests in this minute'),
  tokens: z.int().describe('Tokens in this minute'),
});
export type ModelHealth = z.infer<typeof ModelHealth>;

/** A backend of a model as administrators see it. */
export const ModelAnswer = ModelRecord.extend({
  gateway_params: ModelParams,
  provider: z.string().nullable().describe('Name of the provider; null if this version does not support it'),
  address: z.string().nullable().describe('Where calls are sent'),
  prices: ModelPriceList.nullable().describe('null if they are not known'),
  health: ModelHealth,
});
export type ModelAnswer = z.infer<typeof ModelAnswer>;
/** Callers that do not manage models see only the names. */
export const ListedModel = ModelAnswer.partial().required({ model_id: true, model_name: true });
export type ListedModel = z.infer<typeof ListedModel>;
/** `GET /model/info`. */
export const ModelInfoAnswer = z.object({ data: z.array(ListedModel) });

/** The first teams and keys that can use a model, and how many there are. */
export const ModelUsersAnswer = z.object({
  model_name: z.string(),
  team_count: z.int(),
  teams: z.array(z.object({ team_id: z.string(), team_alias: z.string().nullish() })),
  key_count: z.int(),
  keys: z.array(
    z.object({
      token: z.string(),
      key_name: z.string(),
      key_alias: z.string().nullish(),
      team_id: z.string().nullish(),
    }),
  ),
});
export type ModelUsersAnswer = z.infer<typeof ModelUsersAnswer>;
/** `GET /model/access`. */
export const ModelAccessAnswer = z.object({ data: z.array(ModelUsersAnswer) });
