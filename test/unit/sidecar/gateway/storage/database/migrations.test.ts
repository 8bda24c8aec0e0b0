import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { after, before, describe, it } from 'mocha';
import { migrationNames } from '../../../../../../sidecar/gateway/storage/database/layout.ts';
import { migrate } from '../../../../../../sidecar/gateway/storage/database/migrate.ts';
import { migrations } from '../../../../../../sidecar/gateway/storage/database/migrations.ts';
import { nodeSqliteDialect } from '../../../../../../sidecar/gateway/storage/database/sqliteDialect.ts';
import { openSqliteThread } from '../../../../../../sidecar/gateway/storage/database/sqliteThread.ts';
import type { Tables } from '../../../../../../sidecar/gateway/storage/database/tables.ts';
import { verifies } from '../../../../../support/verifies.ts';

describe('the layout of the database', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-layout-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('lets lines of calls that are older than the column of traces be found by their trace', async () => {
    verifies('gateway.log.trace-filter');
    const thread = openSqliteThread(join(folder, 'gateway.db'), { readOnly: false });
    const db = new Kysely<unknown>({ dialect: nodeSqliteDialect(() => thread) });
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations('sqlite') } });
    try {
      assert.equal((await migrator.migrateTo('006_spend_logs_words')).error, undefined);
      for (const [id, trace] of [
        ['a', 't1'],
        ['b', null],
      ])
        await sql`insert into spend_logs (request_id, started_ms, ended_ms, total_tokens, duration_ms, spend, endpoint, api_key, model, status, body)
          values (${id}, 1, 1, 0, 0, 0, '/mcp', '', 'm', 'success', ${JSON.stringify({ trace_id: trace })})`.execute(
          db,
        );
      assert.equal((await migrator.migrateToLatest()).error, undefined);
      const found = await sql<{ request_id: string }>`select request_id from spend_logs where trace_id = 't1'`.execute(
        db,
      );
      assert.deepEqual(found.rows, [{ request_id: 'a' }]);
    } finally {
      await db.destroy();
    }
  });

  it('is named by all migrations, in their order, for either database', () => {
    for (const dialect of ['sqlite', 'postgres'] as const)
      assert.deepEqual(Object.keys(migrations(dialect)), migrationNames);
  });

  it('is the newest after the first start, and is checked with one query at the next', async () => {
    const thread = openSqliteThread(join(folder, 'twice.db'), { readOnly: false });
    let asked: string[] = [];
    const db = new Kysely<Tables>({
      dialect: nodeSqliteDialect(() => thread),
      log: ({ query }) => void asked.push(query.sql),
    });
    try {
      await migrate('sqlite', db);
      const run = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
      assert.deepEqual(
        run.rows.map((it) => it.name),
        Object.keys(migrations('sqlite')),
      );
      asked = [];
      await migrate('sqlite', db);
      assert.deepEqual(asked, ['select name from kysely_migration order by name']);
    } finally {
      await db.destroy();
    }
  });

  it('is refused if a later version has added to it', async () => {
    const thread = openSqliteThread(join(folder, 'later.db'), { readOnly: false });
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(() => thread) });
    try {
      await migrate('sqlite', db);
      await sql`insert into kysely_migration (name, timestamp) values ('999_later', '2999-01-01T00:00:00.000Z')`.execute(
        db,
      );
      await assert.rejects(migrate('sqlite', db), /corrupted migrations/);
    } finally {
      await db.destroy();
    }
  });
});
