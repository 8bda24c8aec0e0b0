import type {
  DailyActivity,
  EndpointActivity,
  GatewayDaily,
  SpendLogPage,
} from '../../../protocol/gateway/activity.ts';
import type {
  EndpointActivityQuery,
  EntityKind,
  GatewayDailyQuery,
  SpendLogsQuery,
} from '../../../protocol/gateway/activityQueries.ts';
import type { AgentRecord } from '../../../protocol/gateway/agent.ts';
import type { ExportFormat } from '../../../protocol/gateway/csv.ts';
import type { KeyRecord } from '../../../protocol/gateway/key.ts';
import type { RecordCalls } from '../../../protocol/gateway/pages/recordUse.ts';
import type { EndUserRecord, OrganizationRecord, TeamRecord, UserRecord } from '../../../protocol/gateway/people.ts';
import type { DaysAsked } from '../../activity/namedDays.ts';
import type { CallsOf } from '../../storage/activity/recordCallReads.ts';

/** Whose spending is counted against budgets. */
export interface Spenders {
  readonly key: KeyRecord;
  readonly team: TeamRecord;
  readonly organization: OrganizationRecord;
  readonly user: UserRecord;
  readonly end_user: EndUserRecord;
  readonly agent: AgentRecord;
}

export interface Spent {
  /** US dollars since the last reset. */
  readonly spend: number;
  /** RFC 3339, UTC; absent where nothing resets it. */
  readonly budget_reset_at?: string | null;
}

/** What was spent. Built by the activity room. */
export interface Spending {
  /** In the order of the records. @throws {Fault} `unavailable` */
  of<K extends keyof Spenders>(kind: K, records: readonly Spenders[K][]): Promise<readonly Spent[]>;
  /** Sets what counts against the budget; sums by day do not change. @param to US dollars @returns what it was */
  reset<K extends keyof Spenders>(kind: K, record: Spenders[K], to: number): Promise<Spent>;
}

/** The answers of the read routes for calls. @throws {Fault} `invalid_params`, `unavailable` */
export interface ActivityReads {
  spendLogs(query: SpendLogsQuery): Promise<SpendLogPage>;
  /** All lines that match, piece by piece. @param content with their requests and responses, in JSON Lines */
  exportedSpendLogs(query: SpendLogsQuery, format: ExportFormat, content: boolean): AsyncIterable<string>;
  daily(entity: EntityKind, query: DaysAsked): Promise<DailyActivity>;
  /** The same, with every day on one page. */
  wholeDaily(entity: EntityKind, query: DaysAsked): Promise<DailyActivity>;
  gatewayDaily(query: GatewayDailyQuery): Promise<GatewayDaily>;
  endpoints(query: EndpointActivityQuery): Promise<EndpointActivity>;
  /** @param start YYYY-MM-DD, as `end`; both included */
  recordCalls(of: CallsOf, start: string, end: string): Promise<RecordCalls>;
}
