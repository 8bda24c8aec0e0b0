import type { Guardrail } from '../../../protocol/gateway/guardrail.ts';
import type { LimitLevel } from '../../activity/limits/levels.ts';
import type { RateStanding } from '../../activity/limits/limits.ts';
import type { ProcessFigures } from '../../activity/telemetry/processFigures.ts';
import type { EndedCall, LineFacts } from '../../storage/activity/endedCall.ts';
import type { Statement, StatementResult } from '../../storage/database/sqliteThread.ts';
import type { KindName } from '../../storage/kinds.ts';
import type { Numbered } from './numbered.ts';

/** What a worker is told at its start. */
export interface WorkerStart {
  /** That callers reach. */
  readonly port: number;
  /** Where the owner takes requests that are for it. */
  readonly pipe: string;
  readonly guardrails: readonly Guardrail[];
}

/** A call that the owner admitted. */
export interface AdmittedCall {
  /** For its settlement; unique within a worker. */
  readonly permit: number;
  readonly rates: readonly RateStanding[];
  /** US dollars that the key has spent, if the owner knows. */
  readonly spent: number | undefined;
}

export type SentCall = Omit<EndedCall, 'facts'> & { readonly facts: Numbered<LineFacts> };

/** What workers ask and tell the owner, which has the database, the limits, the records of calls, and the log. */
export interface OwnerSide {
  begin(): WorkerStart;
  /** It serves from now on. */
  ready(): void;
  run(database: 'db' | 'reports', statements: readonly Statement[]): Promise<StatementResult>;
  rollback(): Promise<void>;
  /** A worker wrote a record. */
  changed(kind: KindName, id: string): void;
  /** @throws {Fault} as the limits of a gateway without workers */
  admit(
    levels: Numbered<readonly LimitLevel[]>,
    call: { readonly cost: number; readonly servers: Numbered<readonly string[]> },
  ): Promise<AdmittedCall>;
  settle(permit: number, spend: number, tokens: number): void;
  release(permit: number): void;
  spent(level: LimitLevel): Promise<number>;
  ended(call: SentCall): void;
  refused(endpoint: string): void;
  /** A line of the log. */
  line(text: string): void;
  credentialRefused(): void;
  /** Answers once everything that was told before is known. */
  known(): void;
}

/** What the owner asks and tells a worker. */
export interface WorkerSide {
  /** Another process wrote a record. */
  changed(kind: KindName, id: string): void;
  guardrails(now: readonly Guardrail[]): void;
  figures(): ProcessFigures;
  /** As `Gateway.close`; then the process ends. */
  leave(graceMs: number, leaveMs: number): void;
}
