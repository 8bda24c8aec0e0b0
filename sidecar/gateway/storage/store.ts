import type { Clock } from '../../platform/clock.ts';
import { sealerFor } from '../../platform/seal.ts';
import { A2aOwners } from './a2aOwners.ts';
import { ActivityReads } from './activity/activityReads.ts';
import { ActivityWrites } from './activity/activityWrites.ts';
import { BudgetReservations } from './activity/budgetReservations.ts';
import { CallContents } from './activity/callContents.ts';
import { LogLines } from './activity/logLines.ts';
import { LogRetention } from './activity/logRetention.ts';
import { RecordCallReads } from './activity/recordCallReads.ts';
import { SpendLogReads } from './activity/spendLogReads.ts';
import { AlertDeliveries } from './alerts/alertDeliveries.ts';
import { AlertOutbox } from './alerts/alertOutbox.ts';
import { AlertReads } from './alerts/alertReads.ts';
import { RefusedCalls } from './alerts/refusedCalls.ts';
import { Audit } from './audit.ts';
import { Changes } from './changes.ts';
import { type DatabaseAddress, type GatewayDatabase, openDatabase } from './database/database.ts';
import { EndedSessions } from './endedSessions.ts';
import { type KindName, kinds } from './kinds.ts';
import { Leases } from './leases.ts';
import { PageSessions } from './pageSessions.ts';
import { Records } from './records.ts';
import { ReplicaMessages } from './replicaMessages.ts';
import { Secrets } from './secrets.ts';
import { ServerHealth } from './serverHealth.ts';
import { asking } from './storeFault.ts';

export interface StoreOptions {
  readonly address: DatabaseAddress;
  readonly clock: Clock;
  /** Seals secrets at rest; at least 32 bytes, kept outside of the database, the same on all replicas. */
  readonly secret: Uint8Array;
  /** Names this process among replicas. */
  readonly holder: string;
  /** Default: {@link openDatabase}. */
  readonly openDatabase?: ((address: DatabaseAddress) => Promise<GatewayDatabase>) | undefined;
}

export type AllRecords = { readonly [K in KindName]: Records<K> };

/** Everything the gateway keeps, on SQLite or PostgreSQL behind the same functions. */
export interface GatewayStore extends AllRecords {
  readonly database: GatewayDatabase;
  readonly secrets: Secrets;
  readonly leases: Leases;
  readonly audit: Audit;
  readonly changes: Changes;
  readonly endedSessions: EndedSessions;
  readonly replicaMessages: ReplicaMessages;
  readonly serverHealth: ServerHealth;
  readonly a2aOwners: A2aOwners;
  readonly pageSessions: PageSessions;
  readonly alerts: AlertOutbox;
  readonly alertDeliveries: AlertDeliveries;
  readonly alertReads: AlertReads;
  readonly refusedCalls: RefusedCalls;
  readonly activityWrites: ActivityWrites;
  readonly activityReads: ActivityReads;
  readonly logLines: LogLines;
  readonly logRetention: LogRetention;
  readonly callContents: CallContents;
  readonly reservations: BudgetReservations;
  readonly spendLogs: SpendLogReads;
  readonly recordCalls: RecordCallReads;
  /** Which of these kinds have records. */
  kindsAmong(names: readonly KindName[]): Promise<ReadonlySet<string>>;
  /** Whether the database answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** @throws {Fault} as {@link openDatabase} */
export async function openStore(options: StoreOptions): Promise<GatewayStore> {
  const { address, clock, secret, holder } = options;
  const database = await (options.openDatabase ?? openDatabase)(address);
  const { db, reports } = database;
  const isShared = address.kind === 'postgres';
  const changes = new Changes(db, clock, isShared);
  await changes.start();
  const records = Object.fromEntries(
    (Object.keys(kinds) as KindName[]).map((name) => [
      name,
      new Records(db, name, isShared, changes.mark, changes.emit),
    ]),
  ) as unknown as AllRecords;
  const leases = new Leases(db, clock, holder);
  const alerts = new AlertOutbox(db);
  const refusedCalls = new RefusedCalls(db, alerts);
  const logLines = new LogLines(db, isShared);
  return {
    ...records,
    database,
    secrets: new Secrets(db, sealerFor(secret, 'secrets')),
    leases,
    endedSessions: new EndedSessions(db, leases, changes, isShared),
    replicaMessages: new ReplicaMessages(db, clock, sealerFor(secret, 'replica messages'), holder),
    serverHealth: new ServerHealth(db, alerts),
    alerts,
    alertDeliveries: new AlertDeliveries(db, isShared),
    alertReads: new AlertReads(reports, isShared, logLines),
    refusedCalls,
    a2aOwners: new A2aOwners(db),
    pageSessions: new PageSessions(db, sealerFor(secret, 'page sessions')),
    audit: new Audit(db),
    changes,
    logLines,
    logRetention: new LogRetention(db, logLines),
    callContents: new CallContents(db, reports),
    reservations: new BudgetReservations(db, isShared, logLines),
    activityReads: new ActivityReads(reports),
    spendLogs: new SpendLogReads(reports, isShared, logLines),
    recordCalls: new RecordCallReads(reports, logLines),
    activityWrites: new ActivityWrites(db, isShared, logLines, refusedCalls),
    async kindsAmong(names) {
      const rows = await asking(() =>
        db.selectFrom('records').select('kind').distinct().where('kind', 'in', names).execute(),
      );
      return new Set(rows.map((it) => it.kind));
    },
    ping: () =>
      db
        .selectFrom('leases')
        .select('name')
        .limit(1)
        .execute()
        .then(
          () => true,
          () => false,
        ),
    close: () => database.close(),
  };
}
