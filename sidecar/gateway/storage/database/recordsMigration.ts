import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export type Dialect = 'sqlite' | 'postgres';

const text = 'text';

/** Records, changes, secrets, claims, leases and the audit. */
export const recordsMigration = (dialect: Dialect): Migration => ({
  async up(db: Kysely<unknown>) {
    await records(db);
    await changes(db, dialect);
    await secrets(db);
    await claimsAndLeases(db);
    await audit(db);
  },
});

async function records(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('records')
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('id', text, (it) => it.notNull())
    .addColumn('alias', text)
    .addColumn('team_id', text)
    .addColumn('organization_id', text)
    .addColumn('user_id', text)
    .addColumn('agent_id', text)
    .addColumn('created_at', text, (it) => it.notNull())
    .addColumn('body', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('records_pk', ['kind', 'id'])
    .execute();
  await db.schema
    .createIndex('records_alias')
    .unique()
    .on('records')
    .columns(['kind', 'alias'])
    .where(sql.ref('alias'), 'is not', null)
    .execute();
  for (const column of ['team_id', 'organization_id', 'user_id', 'agent_id', 'created_at'])
    await db.schema.createIndex(`records_${column}`).on('records').columns(['kind', column]).execute();
}

async function changes(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('seq', dialect === 'postgres' ? 'bigserial' : 'integer', (it) =>
      dialect === 'postgres' ? it.primaryKey() : it.primaryKey().autoIncrement(),
    )
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('id', text, (it) => it.notNull())
    .addColumn('at_ms', 'bigint', (it) => it.notNull())
    .execute();
}

async function secrets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('secrets')
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('id', text, (it) => it.notNull())
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('sealed', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('secrets_pk', ['kind', 'id', 'name'])
    .execute();
}

async function claimsAndLeases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('claims')
    .addColumn('id', text, (it) => it.primaryKey())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await db.schema
    .createTable('leases')
    .addColumn('name', text, (it) => it.primaryKey())
    .addColumn('holder', text, (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .execute();
}

async function audit(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('id', text, (it) => it.primaryKey())
    .addColumn('at', text, (it) => it.notNull())
    .addColumn('actor', text, (it) => it.notNull())
    .addColumn('action', text, (it) => it.notNull())
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('object_id', text, (it) => it.notNull())
    .addColumn('before', text)
    .addColumn('after', text)
    .execute();
  await db.schema.createIndex('audit_object').on('audit').columns(['kind', 'object_id', 'at']).execute();
}
