import type {
  DailyActivity,
  EndpointActivity,
  GatewayDaily,
  SpendLogPage,
} from '../../../protocol/gateway/activity.ts';
import type {
  DailyActivityQuery,
  EndpointActivityQuery,
  EntityKind,
  GatewayDailyQuery,
  SpendLogsQuery,
} from '../../../protocol/gateway/activityQueries.ts';

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

/** What the read routes of calls answer (completion 1.19). @throws {Fault} `invalid_params`, `unavailable` */
export interface ActivityReads {
  spendLogs(query: SpendLogsQuery): Promise<SpendLogPage>;
  /** All lines that match, as CSV, piece by piece. */
  spendLogsCsv(query: SpendLogsQuery): AsyncIterable<string>;
  daily(entity: EntityKind, query: DailyActivityQuery): Promise<DailyActivity>;
  /** The same, with every day on one page. */
  wholeDaily(entity: EntityKind, query: DailyActivityQuery): Promise<DailyActivity>;
  gatewayDaily(query: GatewayDailyQuery): Promise<GatewayDaily>;
  endpoints(query: EndpointActivityQuery): Promise<EndpointActivity>;
}
