import type { Generated } from 'kysely';

/** What sums count; they only grow. */
export interface SumColumns {
  /** US dollars. */
  readonly spend: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Parts of `prompt_tokens`. */
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly successful_requests: number;
  readonly failed_requests: number;
}

/** The facts by which sums group calls; empty where a call has none. */
export interface CallColumns {
  readonly endpoint: string;
  readonly api_key: string;
  readonly team_id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly model: string;
  /** The name under which a caller requested the model. */
  readonly model_group: string;
  readonly provider: string;
  /** `{server}/{tool}`. */
  readonly mcp_namespaced_tool_name: string;
}

export interface DailyRow extends CallColumns, SumColumns {
  /** A hash of all that follows but the sums: texts may be longer than an index takes. */
  readonly id: string;
  /** YYYY-MM-DD, UTC, of the start of the call. */
  readonly date: string;
  readonly end_user: string;
  readonly agent_id: string;
}
export interface DailyTagRow extends CallColumns, SumColumns {
  readonly id: string;
  readonly date: string;
  readonly tag: string;
}

export interface SpendLogRow {
  readonly request_id: string;
  readonly started_ms: number;
  readonly ended_ms: number;
  readonly duration_ms: number;
  /** To the first byte, where that was seen. */
  readonly ttft_ms: number | null;
  readonly endpoint: string;
  readonly api_key: string;
  readonly user_id: string | null;
  readonly team_id: string | null;
  readonly organization_id: string | null;
  readonly end_user: string | null;
  readonly agent_id: string | null;
  readonly session_id: string | null;
  readonly trace_id: string | null;
  readonly model: string;
  readonly model_group: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly spend: number;
  readonly total_tokens: number;
  /** What no other column has, JSON. Lines of before have all of themselves here. */
  readonly body: string;
}

export interface IncomingLinesRow {
  readonly seq: Generated<number>;
  /** How many there are. */
  readonly lines: number;
  /** JSON: the own values of each line, of which the last one is a position in `shared`. */
  readonly lists: string;
  /** JSON: lists of the other values of lines. */
  readonly shared: string;
}

/** What is stored of the request and the response of a call, without secrets. */
export interface CallContentRow {
  readonly request_id: string;
  /** When the call ended. */
  readonly at_ms: number;
  /** `null` where it was not stored, as for a call that a guardrail refused. */
  readonly request: string | null;
  readonly response: string | null;
  /** Of the whole, before it was cut and cleaned. */
  readonly request_bytes: number;
  readonly response_bytes: number;
  /** 1 where the stored text is not the whole. */
  readonly request_cut: number;
  readonly response_cut: number;
}

/** Tables of calls: the log, its daily sums, and what budgets and limits count. */
export interface ActivityTables {
  spend_logs: SpendLogRow;
  /** Batches of lines that have been counted and are not in `spend_logs` yet. Only SQLite adds rows. */
  incoming_lines: IncomingLinesRow;
  /** How many lines began on each day: days since 1970, UTC. */
  log_days: { readonly day: number; readonly lines: number };
  daily_activity: DailyRow;
  /** A call with three tags counts in three rows. */
  daily_tag_activity: DailyTagRow;
  /** Every request at the edge, also those of callers that nobody knows. */
  daily_edge: {
    readonly date: string;
    readonly endpoint: string;
    readonly successful_requests: number;
    readonly failed_requests: number;
  };
  call_contents: CallContentRow;
  /** The last batch that each process has written: one that is sent again is known by it. */
  flush_marks: { readonly writer: string; readonly seq: number; readonly at_ms: number };
  /** What was spent in one window of one budget. */
  budget_counters: {
    readonly counter: string;
    /** Whose: `key:<hash>`, `team:<id>` and so on. */
    readonly scope: string;
    readonly start_ms: number;
    readonly end_ms: number;
    readonly spent: number;
  };
  /** What a replica may give out of a limit without asking again. */
  allowances: {
    readonly counter: string;
    readonly holder: string;
    readonly amount: number;
    readonly expires_at_ms: number;
  };
}
