import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const callColumns = [
  'endpoint',
  'api_key',
  'team_id',
  'organization_id',
  'user_id',
  'model',
  'provider',
  'mcp_namespaced_tool_name',
];

export const activityMigration: Migration = {
  async up(db: Kysely<unknown>) {
    await logTable(db);
    const sums = <T extends string, C extends string>(table: CreateTableBuilder<T, C>) =>
      table
        .addColumn('spend', 'double precision', (it) => it.notNull())
        .addColumn('prompt_tokens', 'bigint', (it) => it.notNull())
        .addColumn('completion_tokens', 'bigint', (it) => it.notNull())
        .addColumn('successful_requests', 'bigint', (it) => it.notNull())
        .addColumn('failed_requests', 'bigint', (it) => it.notNull());
    for (const [name, own] of [
      ['daily_activity', ['end_user', 'agent_id']],
      ['daily_tag_activity', ['tag']],
    ] as const) {
      let table = db.schema
        .createTable(name)
        .addColumn('id', 'text', (it) => it.primaryKey())
        .addColumn('date', 'text', (it) => it.notNull());
      for (const column of [...own, ...callColumns]) table = table.addColumn(column, 'text', (it) => it.notNull());
      await sums(table).execute();
      await db.schema.createIndex(`${name}_date`).on(name).column('date').execute();
      for (const column of ['api_key', 'team_id'])
        await db.schema.createIndex(`${name}_${column}`).on(name).columns([column, 'date']).execute();
    }
    await db.schema
      .createTable('daily_edge')
      .addColumn('date', 'text', (it) => it.notNull())
      .addColumn('endpoint', 'text', (it) => it.notNull())
      .addColumn('successful_requests', 'bigint', (it) => it.notNull())
      .addColumn('failed_requests', 'bigint', (it) => it.notNull())
      .addPrimaryKeyConstraint('daily_edge_pk', ['date', 'endpoint'])
      .execute();
    await db.schema
      .createTable('flush_marks')
      .addColumn('writer', 'text', (it) => it.primaryKey())
      .addColumn('seq', 'bigint', (it) => it.notNull())
      .addColumn('at_ms', 'bigint', (it) => it.notNull())
      .execute();
    await limitTables(db);
  },
};

async function logTable(db: Kysely<unknown>): Promise<void> {
  let log = db.schema.createTable('spend_logs').addColumn('request_id', 'text', (it) => it.primaryKey());
  for (const column of ['started_ms', 'ended_ms', 'total_tokens'])
    log = log.addColumn(column, 'bigint', (it) => it.notNull());
  for (const column of ['duration_ms', 'spend']) log = log.addColumn(column, 'double precision', (it) => it.notNull());
  log = log.addColumn('ttft_ms', 'double precision');
  for (const column of ['endpoint', 'api_key', 'model', 'status', 'body'])
    log = log.addColumn(column, 'text', (it) => it.notNull());
  for (const column of ['user_id', 'team_id', 'organization_id', 'end_user', 'agent_id', 'session_id'])
    log = log.addColumn(column, 'text');
  await log.addColumn('error', 'text').addColumn('error_code', 'text').execute();
  await db.schema.createIndex('spend_logs_started').on('spend_logs').column('started_ms').execute();
  for (const column of ['api_key', 'team_id', 'user_id', 'session_id'])
    await db.schema.createIndex(`spend_logs_${column}`).on('spend_logs').columns([column, 'started_ms']).execute();
}

async function limitTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('budget_counters')
    .addColumn('counter', 'text', (it) => it.primaryKey())
    .addColumn('scope', 'text', (it) => it.notNull())
    .addColumn('start_ms', 'bigint', (it) => it.notNull())
    .addColumn('end_ms', 'bigint', (it) => it.notNull())
    .addColumn('spent', 'double precision', (it) => it.notNull())
    .execute();
  await db.schema.createIndex('budget_counters_scope').on('budget_counters').column('scope').execute();
  await db.schema
    .createTable('allowances')
    .addColumn('counter', 'text', (it) => it.notNull())
    .addColumn('holder', 'text', (it) => it.notNull())
    .addColumn('amount', 'double precision', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .addPrimaryKeyConstraint('allowances_pk', ['counter', 'holder'])
    .execute();
}
