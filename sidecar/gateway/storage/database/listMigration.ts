import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { member } from '../recordList.ts';
import type { Dialect } from './recordsMigration.ts';

export const listMigrations = (dialect: Dialect) => ({
  '105_records_listed': listMigration(dialect),
  '106_log_days': logDaysMigration,
  '107_daily_owners': dailyOwnersMigration,
  '113_spend_logs_ordered_days': orderedDaysMigration,
  '114_spend_logs_magnitude': magnitudeMigration,
  '115_spend_logs_present': presentMigration,
  '116_incoming_lines': incomingMigration(dialect),
});

/** Lines of calls are written here first, because adding a line to all indexes of the log takes several times as long as writing it. */
const incomingMigration = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('incoming_lines')
      .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (it) => it.primaryKey())
      .addColumn('lines', 'bigint', (it) => it.notNull())
      .addColumn('lists', 'text', (it) => it.notNull())
      .addColumn('shared', 'text', (it) => it.notNull())
      .execute();
  },
});

/** Pages of a list and searches are found in indexes, without the bodies of the records. */
const listMigration = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    const listed = ['kind', 'created_at', 'id', 'alias'];
    await db.schema.createIndex('records_listed').on('records').columns(listed).execute();
    await db.schema.dropIndex('records_created_at').execute();
    const isShared = dialect === 'postgres';
    const budget = member('max_budget', isShared);
    const nulls = isShared ? sql`nulls first` : sql``;
    for (const [name, value] of [
      ['max_budget', isShared ? sql`((${budget})::double precision)` : budget],
      ['expires', member('expires', isShared)],
    ] as const)
      await sql`create index ${sql.ref(`records_keys_${name}`)} on records (kind, ${value} ${nulls}, created_at, id)
        where kind = 'key'`.execute(db);
  },
});

/** To count the lines of a large log takes seconds, and its page says how many there are. */
const logDaysMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('log_days')
      .addColumn('day', 'bigint', (it) => it.primaryKey())
      .addColumn('lines', 'bigint', (it) => it.notNull())
      .execute();
    await sql`insert into log_days (day, lines)
      select started_ms / 86400000, count(*) from spend_logs group by started_ms / 86400000`.execute(db);
  },
};

/** What a budget has spent is counted from the sums of its owner, not of everybody. A team's key does not count against its user. */
const dailyOwnersMigration: Migration = {
  async up(db: Kysely<unknown>) {
    const owners = { user_id: ['user_id', 'team_id'], end_user: ['end_user'], agent_id: ['agent_id'] };
    for (const [name, columns] of Object.entries({ ...owners, organization_id: ['organization_id'] }))
      await db.schema
        .createIndex(`daily_activity_${name}`)
        .on('daily_activity')
        .columns([...columns, 'date'])
        .execute();
  },
};

/** The most expensive and the slowest calls of a day are found without a look at all the others. */
const orderedDaysMigration: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['spend', 'duration_ms'])
      await sql`create index ${sql.ref(`spend_logs_day_${column}`)} on spend_logs
        ((started_ms / 86400000), ${sql.ref(column)}, started_ms)`.execute(db);
  },
};

/**
 * Durations are random, so each batch of calls changed hundreds of pages of the index above. This index sorts calls by the magnitude of
 * their duration: how many digits its microseconds have, and the first digit. A batch adds entries at about forty places.
 */
const magnitudeMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.dropIndex('spend_logs_day_duration_ms').execute();
    const micros = sql`cast(cast(duration_ms * 1000 as bigint) as text)`;
    await sql`create index spend_logs_magnitude on spend_logs
      ((length(${micros}) * 10 + cast(substr(${micros}, 1, 1) as integer)), started_ms)`.execute(db);
  },
};

/**
 * No search looks for calls that lack one of these values, or for successful calls by their status. Most calls lack some values, and
 * succeed.
 */
const presentMigration: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['team_id', 'user_id', 'session_id', 'end_user', 'trace_id', 'model_group']) {
      const name = `spend_logs_${column}`;
      await db.schema.dropIndex(name).execute();
      await db.schema
        .createIndex(name)
        .on('spend_logs')
        .columns([column, 'started_ms'])
        .where(sql.ref(column), 'is not', null)
        .execute();
    }
    await db.schema.dropIndex('spend_logs_status').execute();
    await sql`create index spend_logs_status on spend_logs (status, started_ms) where status = 'failure'`.execute(db);
  },
};
