import { momentOf } from '../../../platform/clock.ts';
import type { SpendLog } from '../../../protocol/gateway/activity.ts';
import type { CallColumns } from '../database/activityTables.ts';

/** What a line says of a call beside its times, its price and its outcome. */
export type LineFacts = Omit<SpendLog, keyof CallEnd | 'startTime' | 'endTime' | 'completionStartTime'>;

/** What differs from call to call. */
type CallEnd = Pick<
  SpendLog,
  | 'request_id'
  | 'request_duration_ms'
  | 'spend'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'total_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens'
  | 'status'
  | 'error'
  | 'error_code'
>;

/** Calls of one kind that use no tokens share all values of {@link LineKind.shared}. */
export const usesTokens = (it: CallEnd): boolean =>
  it.prompt_tokens !== 0 ||
  it.completion_tokens !== 0 ||
  it.cache_read_input_tokens !== 0 ||
  it.cache_creation_input_tokens !== 0;

/** The spans of a call, for whoever exports traces: the log has none of it. IDs are lower-case hexadecimal digits. */
export interface EndedTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** The caller's span. */
  readonly parentSpanId: string | undefined;
  /** What backends got as their parent. */
  readonly clientSpanId: string;
  readonly isSampled: boolean;
  /** From the start of the call until a backend was asked; `undefined` where none was. */
  readonly askedAfterMs: number | undefined;
}

/** A call that is over, on its way to the database. */
export interface EndedCall extends CallEnd {
  /** Shared by all calls of the same kind. */
  readonly facts: LineKind;
  readonly startedMs: number;
  readonly endedMs: number;
  /** From its start to its first byte, where that was seen. */
  readonly ttftMs: number | null;
  readonly trace?: EndedTrace | undefined;
}

/** {@link LineFacts}, with everything that is derived from them once for all calls of the kind. */
export class LineKind {
  readonly of: LineFacts;
  readonly columns: CallColumns;
  /** The values of the columns from `endpoint` to `model_group`. */
  readonly #values: readonly (string | null)[];
  readonly #shared: string;
  #day = '';
  #keys = { call: '', edge: '' };

  constructor(of: LineFacts) {
    this.of = of;
    this.columns = {
      endpoint: of.endpoint,
      api_key: of.api_key,
      team_id: of.team_id ?? '',
      organization_id: of.organization_id ?? '',
      user_id: of.user ?? '',
      model: of.model,
      model_group: of.model_group ?? '',
      provider: of.custom_llm_provider ?? '',
      mcp_namespaced_tool_name: of.mcp_namespaced_tool_name ?? '',
    };
    const { endpoint, api_key, user, team_id, organization_id, end_user, agent_id, session_id, trace_id } = of;
    const { model, model_group } = of;
    const ids = [endpoint, api_key, user, team_id, organization_id, end_user, agent_id, session_id, trace_id];
    this.#values = [...ids, model, model_group];
    this.#shared = this.#with({ prompt_tokens: 0, completion_tokens: 0 });
  }

  /** The values of the columns from `endpoint` to `body`, as JSON. The last one is JSON itself: what no other column contains. */
  shared(call: CallEnd): string {
    if (!usesTokens(call)) return this.#shared;
    const { prompt_tokens, completion_tokens, cache_read_input_tokens, cache_creation_input_tokens } = call;
    const hasCache = cache_read_input_tokens > 0 || cache_creation_input_tokens > 0;
    const cache = hasCache ? { cache_read_input_tokens, cache_creation_input_tokens } : {};
    return this.#with({ prompt_tokens, completion_tokens, ...cache });
  }

  #with(tokens: Readonly<Record<string, number>>): string {
    return JSON.stringify([...this.#values, bodyOf(this.of, tokens)]);
  }

  /** The keys that identify the rows of daily totals. The separator never occurs in the text of a call. */
  keysOn(day: string): { readonly call: string; readonly edge: string } {
    if (day !== this.#day) {
      const { columns, of } = this;
      const call = `${callKey(day, columns)}\0${of.end_user ?? ''}\0${of.agent_id ?? ''}`;
      this.#keys = { call, edge: `${day} ${of.endpoint}` };
      this.#day = day;
    }
    return this.#keys;
  }
}

export const callKey = (day: string, it: CallColumns): string =>
  `${day}\0${it.endpoint}\0${it.api_key}\0${it.team_id}\0${it.organization_id}\0${it.user_id}\0${it.model}\0${it.model_group}\0${it.provider}\0${it.mcp_namespaced_tool_name}`;

const bodyOf = (of: LineFacts, tokens: Readonly<Record<string, number>>): string =>
  JSON.stringify({
    call_type: of.call_type,
    ...tokens,
    custom_llm_provider: of.custom_llm_provider,
    api_base: of.api_base,
    mcp_namespaced_tool_name: of.mcp_namespaced_tool_name,
    request_tags: of.request_tags,
    requester_ip_address: of.requester_ip_address,
    metadata: of.metadata,
  });

/** Converts a line that was read back to a call. */
export function endedCall(log: SpendLog): EndedCall {
  const { startTime, endTime, completionStartTime, ...rest } = log;
  const startedMs = Date.parse(startTime);
  return {
    ...rest,
    facts: new LineKind(log),
    startedMs,
    endedMs: Date.parse(endTime),
    ttftMs: completionStartTime === null ? null : Date.parse(completionStartTime) - startedMs,
  };
}

const DAY_MS = 24 * 60 * 60_000;
let last = { day: Number.NaN, text: '' };

/** YYYY-MM-DD, UTC. */
export function dayOf(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== last.day) last = { day, text: momentOf(ms).slice(0, 10) };
  return last.text;
}
