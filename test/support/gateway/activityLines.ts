import type { ActivityBatch } from '../../../sidecar/gateway/storage/activity/activityWrites.ts';
import { DailySums } from '../../../sidecar/gateway/storage/activity/dailySums.ts';
import { type EndedCall, endedCall } from '../../../sidecar/gateway/storage/activity/endedCall.ts';
import { CallLines } from '../../../sidecar/gateway/storage/activity/spendLogRow.ts';
import type { SpendLog } from '../../../sidecar/protocol/gateway/activity.ts';

/** The record of a call. @param spend US dollars */
export const line = (request_id: string, startTime: string, spend: number, more: Partial<SpendLog> = {}): SpendLog => ({
  request_id,
  startTime,
  endTime: startTime,
  spend,
  call_type: 'call_mcp_tool',
  endpoint: '/mcp',
  api_key: 'key',
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  completionStartTime: null,
  request_duration_ms: 0,
  model: 'm',
  custom_llm_provider: null,
  api_base: null,
  user: null,
  team_id: null,
  organization_id: null,
  end_user: null,
  agent_id: null,
  session_id: null,
  trace_id: null,
  model_group: null,
  mcp_namespaced_tool_name: null,
  request_tags: [],
  requester_ip_address: null,
  status: 'success',
  error: null,
  error_code: null,
  metadata: {},
  ...more,
});

/** Lines of a batch, and what they add to the sums of their days. @param sums of calls without a line */
export function linesOf(
  logs: readonly SpendLog[],
  sums: DailySums = new DailySums(),
): Pick<ActivityBatch, 'lines' | 'sums'> {
  const all = new DailySums(sums);
  const calls = logs.map(endedCall);
  for (const it of calls) all.add(it);
  return { lines: callLines(calls), sums: all };
}

export function callLines(calls: readonly EndedCall[] = []): CallLines {
  const lines = new CallLines();
  for (const it of calls) lines.add(it);
  return lines;
}

/** The calls whose lines a batch holds. */
export const requestsOf = ({ lines }: Pick<ActivityBatch, 'lines'>): readonly string[] =>
  lines.own.map((_, at) => lines.read(at).request_id);
