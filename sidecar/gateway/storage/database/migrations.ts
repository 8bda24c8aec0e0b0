import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { activityMigration } from './activityMigration.ts';
import { alertMigration, refusedCallsMigration } from './alertMigration.ts';
import type { MigrationName } from './layout.ts';
import { listMigrations } from './listMigration.ts';
import { type Dialect, recordsMigration } from './recordsMigration.ts';

/** In order, by name; one that has run somewhere is never edited. The same names for both databases. */
export const migrations = (dialect: Dialect): Record<MigrationName, Migration> => ({
  '001_records': recordsMigration(dialect),
  '002_activity': activityMigration,
  '003_audit_changed_by': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('audit').addColumn('changed_by', 'text').execute();
      await db.schema.createIndex('audit_at').on('audit').columns(['at', 'id']).execute();
    },
  },
  '004_server_health': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('server_health')
        .addColumn('server_id', 'text', (it) => it.primaryKey())
        .addColumn('status', 'text', (it) => it.notNull())
        .addColumn('last_health_check', 'text', (it) => it.notNull())
        .addColumn('health_check_error', 'text')
        .execute();
    },
  },
  '005_spend_logs_filters': {
    async up(db: Kysely<unknown>) {
      // Filters of the logs page: the page counts what matches, and a count without an index reads every line.
      for (const column of ['model', 'status', 'end_user'])
        await db.schema.createIndex(`spend_logs_${column}`).on('spend_logs').columns([column, 'started_ms']).execute();
    },
  },
  '006_spend_logs_words': {
    async up(db: Kysely<unknown>) {
      await db.schema.createIndex('spend_logs_endpoint').on('spend_logs').columns(['endpoint', 'started_ms']).execute();
      // Words are looked for in errors alone. PostgreSQL's indexes take no text as long as an error can be.
      const columns = dialect === 'postgres' ? ['started_ms'] : ['started_ms', 'error'];
      await db.schema
        .createIndex('spend_logs_errors')
        .on('spend_logs')
        .columns(columns)
        .where(sql.ref('error'), 'is not', null)
        .execute();
      if (dialect === 'sqlite') return;
      // Texts that begin with something are together in the order of bytes, which is SQLite's own.
      for (const column of ['request_id', 'session_id'])
        await sql`create index ${sql.ref(`spend_logs_${column}_bytes`)} on spend_logs (${sql.ref(column)} collate "C")`.execute(
          db,
        );
    },
  },
  '007_spend_logs_trace': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('spend_logs').addColumn('trace_id', 'text').execute();
      const traceId = dialect === 'postgres' ? sql`body::jsonb ->> 'trace_id'` : sql`json_extract(body, '$.trace_id')`;
      await sql`update spend_logs set trace_id = ${traceId}`.execute(db);
      const columns = ['trace_id', 'started_ms'];
      await db.schema.createIndex('spend_logs_trace_id').on('spend_logs').columns(columns).execute();
    },
  },
  '008_a2a_owners': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('a2a_owners')
        .addColumn('id', 'text', (it) => it.primaryKey())
        .addColumn('owner', 'text', (it) => it.notNull())
        .addColumn('used_ms', 'bigint', (it) => it.notNull())
        .execute();
      await db.schema.createIndex('a2a_owners_used').on('a2a_owners').column('used_ms').execute();
    },
  },
  // Lines hold each value once from here on. An earlier version, which could not read them, refuses this database.
  '009_spend_logs_once': { up: async () => undefined },
  '010_replica_messages': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('replica_messages')
        .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (it) => it.primaryKey())
        .addColumn('replica', 'text', (it) => it.notNull())
        .addColumn('sealed', 'text', (it) => it.notNull())
        .addColumn('at_ms', 'bigint', (it) => it.notNull())
        .execute();
      await db.schema.createIndex('replica_messages_replica').on('replica_messages').column('replica').execute();
    },
  },
  '011_model_group': {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('spend_logs').addColumn('model_group', 'text').execute();
      for (const table of ['daily_activity', 'daily_tag_activity'])
        await db.schema
          .alterTable(table)
          .addColumn('model_group', 'text', (it) => it.notNull().defaultTo(''))
          .execute();
      const columns = ['model_group', 'started_ms'];
      await db.schema.createIndex('spend_logs_model_group').on('spend_logs').columns(columns).execute();
    },
  },
  '012_cache_tokens': cacheTokens,
  '020_alerts': alertMigration(dialect),
  '030_page_sessions': pageSessions,
  '031_audit_people': auditPeople,
  '032_refused_calls': refusedCallsMigration,
  '095_call_contents': callContents,
  ...listMigrations(dialect),
});

const cacheTokens: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['daily_activity', 'daily_tag_activity'])
      for (const column of ['cache_read_input_tokens', 'cache_creation_input_tokens'])
        await db.schema
          .alterTable(table)
          .addColumn(column, 'bigint', (it) => it.notNull().defaultTo(0))
          .execute();
  },
};

const pageSessions: Migration = {
  async up(db: Kysely<unknown>) {
    let table = db.schema.createTable('page_sessions').addColumn('id', 'text', (it) => it.primaryKey());
    for (const column of ['user_id', 'issuer', 'subject', 'rights', 'sealed'])
      table = table.addColumn(column, 'text', (it) => it.notNull());
    for (const column of ['until_ms', 'checked_ms', 'confirmed_ms'])
      table = table.addColumn(column, 'bigint', (it) => it.notNull());
    await table.addColumn('provider_session', 'text').execute();
    const of = ['issuer', 'subject'];
    await db.schema.createIndex('page_sessions_of').on('page_sessions').columns(of).execute();
  },
};

const auditPeople: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['actor_email', 'signed_in_by'])
      await db.schema.alterTable('audit').addColumn(column, 'text').execute();
  },
};

const callContents: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('call_contents')
      .addColumn('request_id', 'text', (it) => it.primaryKey())
      .addColumn('at_ms', 'bigint', (it) => it.notNull())
      .addColumn('request', 'text')
      .addColumn('response', 'text')
      .addColumn('request_bytes', 'bigint', (it) => it.notNull())
      .addColumn('response_bytes', 'bigint', (it) => it.notNull())
      .addColumn('request_cut', 'integer', (it) => it.notNull())
      .addColumn('response_cut', 'integer', (it) => it.notNull())
      .execute();
    await db.schema.createIndex('call_contents_at').on('call_contents').column('at_ms').execute();
  },
};
