import * as z from 'zod';

export const CallStatus = z.enum(['success', 'failure']);
export type CallStatus = z.infer<typeof CallStatus>;

/** One line of the spend log. Each request has one (`gateway.service.tracked`). */
export const SpendLog = z.object({
  request_id: z.string(),
  /** As `call_mcp_tool`, `list_mcp_tools`, `asend_message`, or a class of the pass-through. */
  call_type: z.string(),
  /** Route template, as `/a2a/{agent_id}`: never a raw path. */
  endpoint: z.string(),
  /** Hash of the key; empty where no key was needed. */
  api_key: z.string(),
  /** US dollars. */
  spend: z.number(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  /** Input tokens that were read from the provider's prompt cache. Part of `prompt_tokens`. */
  cache_read_input_tokens: z.int().default(0),
  /** Input tokens that were written to the provider's prompt cache. Part of `prompt_tokens`. */
  cache_creation_input_tokens: z.int().default(0),
  /** RFC 3339, UTC. */
  startTime: z.string(),
  endTime: z.string(),
  /** When the first byte of the answer came, where that was seen. */
  completionStartTime: z.string().nullable(),
  request_duration_ms: z.number(),
  /** `MCP: {tool}`, `a2a_agent/{name}`, `<prefix>/<prefix>:agent:create`, or the provider's name of a model. */
  model: z.string(),
  /** The model name that the caller used; null for calls that do not use a model. */
  model_group: z.string().nullable(),
  custom_llm_provider: z.string().nullable(),
  api_base: z.string().nullable(),
  user: z.string().nullable(),
  team_id: z.string().nullable(),
  organization_id: z.string().nullable(),
  end_user: z.string().nullable(),
  agent_id: z.string().nullable(),
  session_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  /** `{server}/{tool}`. */
  mcp_namespaced_tool_name: z.string().nullable(),
  request_tags: z.array(z.string()),
  requester_ip_address: z.string().nullable(),
  status: CallStatus,
  /** In words, without secrets. */
  error: z.string().nullable(),
  /** The `type` word or number that the caller was answered with. */
  error_code: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
export type SpendLog = z.infer<typeof SpendLog>;

/** Sums of a group of calls. */
export const Metrics = z.object({
  spend: z.number(),
  /** Subscriptions have no price of a call: always 0 (`gateway.cloud.cost`). */
  flat_cost: z.number(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  /** Part of `prompt_tokens`, as the providers of models count them. */
  cache_read_input_tokens: z.int(),
  cache_creation_input_tokens: z.int(),
  successful_requests: z.int(),
  failed_requests: z.int(),
  api_requests: z.int(),
});
export type Metrics = z.infer<typeof Metrics>;

/** What is known of a key beside its hash. */
export interface KeyFacts {
  readonly key_alias: string | null;
  readonly team_id: string | null;
  readonly user_id: string | null;
  readonly user_email: string | null;
}
export interface KeyActivity {
  readonly metrics: Metrics;
  readonly metadata: KeyFacts;
}
export interface GroupActivity {
  readonly metrics: Metrics;
  readonly metadata: Readonly<Record<string, never>>;
  readonly api_key_breakdown: Readonly<Record<string, KeyActivity>>;
}
export const breakdowns = ['mcp_servers', 'models', 'model_groups', 'providers', 'endpoints', 'entities'] as const;

/** One day of `GET /user/daily/activity` and its siblings. */
export interface DayActivity {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly metrics: Metrics;
  readonly breakdown: Readonly<Record<(typeof breakdowns)[number], Readonly<Record<string, GroupActivity>>>> & {
    readonly api_keys: Readonly<Record<string, KeyActivity>>;
  };
}
export interface DailyActivity {
  /** Newest first. */
  readonly results: readonly DayActivity[];
  /** Totals of the days in `results`: those of all pages add up to those of the whole range. */
  readonly metadata: {
    readonly total_spend: number;
    readonly total_flat_cost: number;
    readonly total_prompt_tokens: number;
    readonly total_completion_tokens: number;
    readonly total_tokens: number;
    readonly total_api_requests: number;
    readonly total_successful_requests: number;
    readonly total_failed_requests: number;
    readonly total_cache_read_input_tokens: number;
    readonly total_cache_creation_input_tokens: number;
    readonly page: number;
    readonly total_pages: number;
    readonly has_more: boolean;
  };
}

/** `GET /gateway/daily/activity`: every request at the edge, also those of nobody we know. */
export interface GatewayDaily {
  readonly total_successful_requests: number;
  readonly total_failed_requests: number;
  readonly by_date: readonly {
    readonly date: string;
    readonly successful_requests: number;
    readonly failed_requests: number;
  }[];
  readonly by_route: readonly {
    readonly category: string;
    readonly route: string;
    readonly successful_requests: number;
    readonly failed_requests: number;
  }[];
}

/** The seven metrics of an endpoint (`gateway.activity.…`). */
export interface EndpointMetrics {
  readonly successful_requests: number;
  readonly failed_requests: number;
  readonly total_requests: number;
  /** Percent; null where there was no request. */
  readonly success_rate: number | null;
  readonly total_tokens: number;
  readonly spend: number;
}
export type EndpointDay = EndpointMetrics & { readonly date: string };
export interface EndpointActivity {
  /** Most requests first. `daily` has every day of the range, oldest first, also those without a request. */
  readonly endpoints: readonly (EndpointMetrics & {
    readonly endpoint: string;
    readonly daily: readonly EndpointDay[];
  })[];
  readonly totals: EndpointMetrics;
  readonly daily: readonly EndpointDay[];
}

export interface SpendLogPage {
  readonly data: readonly SpendLog[];
  readonly total: number;
  readonly page: number;
  readonly page_size: number;
  readonly total_pages: number;
  /** There are more calls than `total`. */
  readonly total_is_more?: true;
  /** RFC 3339, UTC: calls that started before were not looked at, but for words that begin their ids. */
  readonly looked_at_since?: string;
}
