/** What is counted against budgets, and by which id: keys by `token_id`, which stays when a key is rotated. */
export type SpendKind = 'key' | 'team' | 'organization' | 'user' | 'end_user' | 'agent';

export interface Spent {
  /** US dollars since the last reset. */
  readonly spend: number;
  /** RFC 3339, UTC; absent where nothing resets it. */
  readonly budget_reset_at?: string | null;
}

/** What was spent. Built by the activity room. */
export interface Spending {
  /** Ids that nothing was spent on may be missing. @throws {Fault} `unavailable` */
  of(kind: SpendKind, ids: readonly string[]): Promise<ReadonlyMap<string, Spent>>;
  /** Sets what counts against the budget; sums by day do not change. @param to US dollars @returns what it was */
  reset(kind: SpendKind, id: string, to: number): Promise<Spent>;
}

/** Whose sums by day (completion 1.19). */
export type DailyEntity = 'user' | 'team' | 'agent' | 'customer' | 'organization' | 'tag';

export interface DayRange {
  /** `YYYY-MM-DD`, both inclusive. */
  readonly start_date: string;
  readonly end_date: string;
}

export interface DailyQuery extends DayRange {
  /** Ids of the entity; absent: all of them. */
  readonly ids?: readonly string[] | undefined;
  readonly exclude_ids?: readonly string[] | undefined;
  readonly model?: string | undefined;
  /** Hash of a key. */
  readonly api_key?: string | undefined;
  /** Minutes, with the sign of JavaScript's `getTimezoneOffset`. */
  readonly timezone?: number | undefined;
  /** Absent: one page with everything. */
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

export interface SpendLogsQuery {
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
  readonly page: number;
  readonly page_size: number;
  readonly api_key?: string | undefined;
  readonly user_id?: string | undefined;
  readonly team_id?: string | undefined;
  readonly end_user?: string | undefined;
  readonly request_id?: string | undefined;
  readonly session_id?: string | undefined;
  readonly key_alias?: string | undefined;
  readonly model?: string | undefined;
  readonly status_filter?: 'success' | 'failure' | undefined;
  readonly error_message?: string | undefined;
  readonly min_spend?: number | undefined;
  readonly max_spend?: number | undefined;
  readonly sort_by?: 'startTime' | 'endTime' | 'spend' | 'total_tokens' | 'request_duration_ms' | 'model' | undefined;
  readonly sort_order?: 'asc' | 'desc' | undefined;
  readonly group_by_session?: boolean | undefined;
  readonly search?: string | undefined;
}

export interface EndpointsQuery extends DayRange {
  readonly api_key?: string | undefined;
  readonly user_id?: string | undefined;
  readonly team_id?: string | undefined;
  readonly tag?: string | undefined;
}

type Line = Readonly<Record<string, unknown>>;

/** Answers of the read routes, ready to be sent. Built by the activity room. */
export interface ActivityReads {
  spendLogs(query: SpendLogsQuery): Promise<{
    readonly data: readonly Line[];
    readonly total: number;
    readonly page: number;
    readonly page_size: number;
    readonly total_pages: number;
  }>;
  /** Spend of each day, for `GET /spend/logs?summarize=true`. */
  spendByDay(query: Omit<SpendLogsQuery, 'page' | 'page_size'>): Promise<readonly Line[]>;
  daily(
    entity: DailyEntity,
    query: DailyQuery,
  ): Promise<{ readonly results: readonly Line[]; readonly metadata: Line }>;
  /** Counted at the HTTP edge. */
  gatewayDaily(range: DayRange): Promise<Line>;
  /** The spec's seven metrics for each endpoint, most calls first. */
  endpoints(query: EndpointsQuery): Promise<readonly Line[]>;
}
