import type { Generated } from 'kysely';
import type { PageSessionRow } from '../pageSessions.ts';
import type { KeptHealth } from '../serverHealth.ts';
import type { ActivityTables } from './activityTables.ts';
import type { AlertTables } from './alertTables.ts';

/** What people register: keys, teams, servers and so on, one row each. */
export interface RecordRow {
  readonly kind: string;
  readonly id: string;
  /** A second name, unique within its kind. */
  readonly alias: string | null;
  readonly team_id: string | null;
  readonly organization_id: string | null;
  readonly user_id: string | null;
  readonly agent_id: string | null;
  readonly created_at: string;
  /** JSON, read by the schema of the kind. */
  readonly body: string;
}

export interface Tables extends ActivityTables, AlertTables {
  records: RecordRow;
  /** One row for each write of a record, in the order of commits: how replicas learn of each other. */
  changes: { readonly seq: Generated<number>; readonly kind: string; readonly id: string; readonly at_ms: number };
  /** Sealed: never in clear text. */
  secrets: { readonly kind: string; readonly id: string; readonly name: string; readonly sealed: string };
  /** Words that count once, on whichever replica. */
  claims: { readonly id: string; readonly expires_at_ms: number };
  /** Messages from one replica to another, sealed. */
  replica_messages: {
    readonly seq: Generated<number>;
    readonly replica: string;
    readonly sealed: string;
    readonly at_ms: number;
  };
  page_sessions: PageSessionRow;
  leases: { readonly name: string; readonly holder: string; readonly expires_at_ms: number };
  server_health: KeptHealth;
  /** Contexts and tasks of A2A agents, and the callers that they belong to. */
  a2a_owners: { readonly id: string; readonly owner: string; readonly used_ms: number };
  audit: {
    readonly id: string;
    readonly at: string;
    readonly actor: string;
    readonly changed_by: string | null;
    readonly actor_email: string | null;
    readonly signed_in_by: string | null;
    readonly action: string;
    readonly kind: string;
    readonly object_id: string;
    readonly before: string | null;
    readonly after: string | null;
  };
}
