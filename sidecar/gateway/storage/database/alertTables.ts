import type { Generated } from 'kysely';

/** Tables of alerts. */
export interface AlertTables {
  /** What happened, once for all replicas. */
  alert_events: {
    /** The order in which rules see them. */
    readonly seq: Generated<number>;
    /** Says what happened to whom and when: the same on all replicas. */
    readonly occasion: string;
    /** The only rule that it is for; null for all of them. */
    readonly rule: string | null;
    readonly type: string;
    readonly subject_id: string;
    readonly at_ms: number;
    /** 1 as soon as its messages are written. */
    readonly is_routed: number;
    /** JSON of an alert event. */
    readonly body: string;
  };
  /** Messages: those that wait, those that were delivered, and dead letters. */
  alert_deliveries: {
    readonly seq: Generated<number>;
    readonly id: string;
    readonly target: string;
    readonly rule: string;
    readonly type: string;
    /** Events that it is about. */
    readonly count: number;
    /** JSON of an alert message. */
    readonly body: string;
    readonly state: 'waiting' | 'delivered' | 'dead';
    readonly created_ms: number;
    /** Until then, more events join it. */
    readonly due_ms: number;
    readonly attempts: number;
    /** Not tried before. */
    readonly next_ms: number;
    readonly ended_ms: number | null;
    readonly error: string | null;
  };
  /** Calls that guardrails and budgets refused, until alerts looked at them. */
  refused_calls: {
    readonly request_id: string;
    readonly started_ms: number;
    /** JSON of what alerts say of the call. */
    readonly body: string;
  };
  /** Until when a rule is muted. */
  alert_marks: { readonly name: string; readonly at_ms: number };
}
