// Tables of calls: the log, its daily sums, and what budgets and limits count.
export interface ActivityTables {
  spend_logs: {
    readonly request_id: string;
    readonly started_ms: number;
    readonly call_type: string;
    readonly endpoint: string;
    readonly api_key: string;
    readonly team_id: string | null;
    readonly end_user: string | null;
    readonly agent_id: string | null;
    readonly session_id: string | null;
    readonly model: string;
    readonly status: string;
    readonly spend: number;
    readonly total_tokens: number;
    readonly duration_ms: number;
    /** The whole line, JSON. */
    readonly body: string;
  };
}
