import * as z from 'zod';

export const CallStatus = z.enum(['success', 'failure']);

/** One line of the spend log, one for each request (completion 1.19). */
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
  /** RFC 3339, UTC. */
  startTime: z.string(),
  endTime: z.string(),
  request_duration_ms: z.number(),
  /** `MCP: {tool}`, `a2a_agent/{name}`, `<prefix>/<prefix>:agent:create`. */
  model: z.string(),
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
  status: CallStatus,
  /** In words, without secrets. */
  error: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
});
export type SpendLog = z.infer<typeof SpendLog>;

/** Sums of a group of calls. */
export const Metrics = z.object({
  spend: z.number(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  successful_requests: z.int(),
  failed_requests: z.int(),
  api_requests: z.int(),
});
export type Metrics = z.infer<typeof Metrics>;
