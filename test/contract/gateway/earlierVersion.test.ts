import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { readConfig } from '../../../sidecar/gateway/configuration/readConfig.ts';
import { gatewayUpkeep } from '../../../sidecar/gateway/editions/upkeep/upkeep.ts';
import { openStore } from '../../../sidecar/gateway/storage/store.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { verifies } from '../../support/verifies.ts';

const fixture = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../fixtures/gateway/version-0.1.0', name), 'utf8');

describe('what version 0.1.0 wrote', function earlier() {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'switchboard-earlier-'));
    file = join(dataDir, 'gateway.db');
    run(fixture('gateway.sql'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  function run(sql: string): void {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  }
  const open = () =>
    openStore({
      address: { kind: 'sqlite', file },
      clock: systemClock,
      secret: new Uint8Array(32).fill(7),
      holder: 'a',
    });
  const check = () =>
    gatewayUpkeep.check({
      ...{ dataDir, database: undefined, config: undefined },
      ...{ secret: join(dataDir, 'none'), deadline: undefined, env: {} },
    });

  it('is opened with its records, credentials and call records', async () => {
    verifies('gateway.upkeep.earlier-version');
    const store = await open();
    try {
      const [team, key, server] = [
        await store.team.get('platform'),
        await store.key.get('a'.repeat(64)),
        await store.mcp_server.get('github'),
      ];
      assert.deepEqual([team?.max_budget, key?.object_permission?.mcp_servers], [200, ['github']]);
      assert.deepEqual([server?.url, server?.auth_type], ['https://mcp.example.com/github', 'bearer_token']);
      const credential = await store.secrets.get('mcp_server', 'github', 'credentials');
      assert.equal(credential, '{"auth_value":"the credential"}');
      const { db } = store.database;
      const [call] = await db.selectFrom('spend_logs').selectAll().execute();
      const [audit] = await db.selectFrom('audit').selectAll().execute();
      assert.deepEqual([call?.spend, call?.trace_id, call?.model_group], [0.5, 'tr', null]);
      assert.deepEqual([audit?.object_id, audit?.after], ['platform', '{}']);
    } finally {
      await store.close();
    }
  });

  it('is said to be of an earlier version by a check, which changes nothing', async () => {
    verifies('gateway.upkeep.earlier-version');
    for (let times = 0; times < 2; times += 1) {
      const database = (await check()).find((it) => it.part === 'database');
      assert.equal(database?.state, 'warning');
      assert.match(database.message, /was written by an earlier version\. The gateway migrates it/);
    }
  });

  it('as a configuration is accepted without errors and warnings', () => {
    verifies('gateway.upkeep.earlier-version');
    const result = readConfig(fixture('switchboard.jsonc'));
    assert.ok('config' in result, JSON.stringify(result));
    assert.deepEqual(result.warnings, []);
  });

  it('is refused in words once a later version has migrated it, and stays as it is', async () => {
    verifies('gateway.upkeep.later-version');
    await (await open()).close();
    run(`insert into kysely_migration (name, timestamp) values ('999_later', '2027-01-01T00:00:00.000Z')`);
    const message = 'The gateway database was written by a later version. Update Switchboard.';
    await assert.rejects(open(), { code: 'unsupported_version', message });
    const database = (await check()).find((it) => it.part === 'database');
    assert.deepEqual([database?.state, database?.message], ['failed', message]);
    const left = new DatabaseSync(file);
    assert.equal(left.prepare('select count(*) as count from secrets').get()?.['count'], 1);
    left.close();
  });
});
