import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Dialect } from './recordsMigration.ts';

/** What happened and is to be reported, and the messages about it. */
export const alertMigration = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    const sequence = dialect === 'postgres' ? 'bigserial' : 'integer';
    await db.schema
      .createTable('alert_events')
      .addColumn('seq', sequence, (it) => it.primaryKey())
      .addColumn('occasion', 'text', (it) => it.notNull().unique())
      .addColumn('rule', 'text')
      .addColumn('type', 'text', (it) => it.notNull())
      .addColumn('subject_id', 'text', (it) => it.notNull())
      .addColumn('at_ms', 'bigint', (it) => it.notNull())
      .addColumn('is_routed', 'integer', (it) => it.notNull())
      .addColumn('body', 'text', (it) => it.notNull())
      .execute();
    await db.schema.createIndex('alert_events_routed').on('alert_events').columns(['is_routed', 'seq']).execute();
    await db.schema
      .createIndex('alert_events_subject')
      .on('alert_events')
      .columns(['type', 'subject_id', 'seq'])
      .execute();
    await db.schema
      .createTable('alert_deliveries')
      .addColumn('seq', sequence, (it) => it.primaryKey())
      .addColumn('id', 'text', (it) => it.notNull().unique())
      .addColumn('target', 'text', (it) => it.notNull())
      .addColumn('rule', 'text', (it) => it.notNull())
      .addColumn('type', 'text', (it) => it.notNull())
      .addColumn('count', 'integer', (it) => it.notNull())
      .addColumn('body', 'text', (it) => it.notNull())
      .addColumn('state', 'text', (it) => it.notNull())
      .addColumn('created_ms', 'bigint', (it) => it.notNull())
      .addColumn('due_ms', 'bigint', (it) => it.notNull())
      .addColumn('attempts', 'integer', (it) => it.notNull())
      .addColumn('next_ms', 'bigint', (it) => it.notNull())
      .addColumn('ended_ms', 'bigint')
      .addColumn('error', 'text')
      .execute();
    const waiting = ['state', 'target', 'due_ms', 'seq'];
    await db.schema.createIndex('alert_deliveries_waiting').on('alert_deliveries').columns(waiting).execute();
    await db.schema
      .createTable('alert_marks')
      .addColumn('name', 'text', (it) => it.primaryKey())
      .addColumn('at_ms', 'bigint', (it) => it.notNull())
      .execute();
  },
});

/** Refused calls that alerts have not looked at. */
export const refusedCallsMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('refused_calls')
      .addColumn('request_id', 'text', (it) => it.primaryKey())
      .addColumn('started_ms', 'bigint', (it) => it.notNull())
      .addColumn('body', 'text', (it) => it.notNull())
      .execute();
    await db.schema.createIndex('refused_calls_started').on('refused_calls').column('started_ms').execute();
  },
};
