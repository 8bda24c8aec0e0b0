import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { after, before, describe, it } from 'mocha';
import { migrations } from '../../../../../../sidecar/gateway/storage/database/migrations.ts';
import { nodeSqliteDialect } from '../../../../../../sidecar/gateway/storage/database/sqliteDialect.ts';
import { openSqliteThread } from '../../../../../../sidecar/gateway/storage/database/sqliteThread.ts';
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
});
