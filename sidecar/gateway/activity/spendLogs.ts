import { momentOf } from '../../platform/clock.ts';
import type { SpendLog, SpendLogPage } from '../../protocol/gateway/activity.ts';
import type { SpendLogsQuery } from '../../protocol/gateway/activityQueries.ts';
import { type ExportFormat, toCsv, toJsonLines } from '../../protocol/gateway/csv.ts';
import type { CallContents } from '../storage/activity/callContents.ts';
import type { LogFilter } from '../storage/activity/logConditions.ts';
import type { SpendLogReads } from '../storage/activity/spendLogReads.ts';

/** `GET /spend/logs/v2`. */
export async function spendLogsV2(reads: Pick<SpendLogReads, 'page'>, query: SpendLogsQuery): Promise<SpendLogPage> {
  const { data, total, isMore, sinceMs } = await reads.page(query);
  const { page, page_size } = query;
  return {
    ...{ data, total, page, page_size, total_pages: Math.ceil(total / page_size) },
    ...(isMore && { total_is_more: true }),
    ...(sinceMs !== undefined && { looked_at_since: momentOf(sinceMs) }),
  };
}

const columns = [
  'request_id',
  'startTime',
  'endTime',
  'request_duration_ms',
  'call_type',
  'endpoint',
  'model',
  'mcp_namespaced_tool_name',
  'status',
  'error',
  'error_code',
  'spend',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'api_key',
  'user',
  'team_id',
  'organization_id',
  'end_user',
  'agent_id',
  'session_id',
  'trace_id',
  'custom_llm_provider',
  'api_base',
] as const satisfies readonly (keyof SpendLog)[];
const PIECE = 1_000;

/**
 * All lines that match, newest first, piece by piece. CSV begins with the names of the columns; JSON Lines have everything that
 * is kept of a call.
 *
 * @param contents adds what is stored of requests and responses, in JSON Lines
 */
export async function* exportedSpendLogs(
  reads: Pick<SpendLogReads, 'all'>,
  filter: LogFilter,
  format: ExportFormat,
  contents?: Pick<CallContents, 'of'>,
): AsyncGenerator<string, void> {
  if (format === 'jsonl') {
    // Requests and responses are large: fewer of them are held at a time.
    for await (const piece of reads.all(filter, contents ? PIECE / 10 : PIECE))
      yield toJsonLines(contents ? await withContent(piece, contents) : piece);
    return;
  }
  yield toCsv([[...columns, 'request_tags']]);
  for await (const piece of reads.all(filter, PIECE))
    yield toCsv(piece.map((it) => [...columns.map((name) => it[name]), it.request_tags.join(';')]));
}

async function withContent(lines: readonly SpendLog[], contents: Pick<CallContents, 'of'>) {
  const found = await contents.of(lines.map((it) => it.request_id));
  return lines.map((line) => {
    const row = found.get(line.request_id);
    return {
      ...line,
      request: row?.request ?? null,
      request_is_cut: row?.request_cut === 1,
      response: row?.response ?? null,
      response_is_cut: row?.response_cut === 1,
    };
  });
}
