import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { gatewayUpkeep } from '../../../sidecar/gateway/editions/upkeep/upkeep.ts';
import { keptNames } from '../../../sidecar/gateway/storage/backup/keptTables.ts';
import { connectDatabase, type DatabaseAddress } from '../../../sidecar/gateway/storage/database/database.ts';
import { type GatewayStore, openStore } from '../../../sidecar/gateway/storage/store.ts';
import type { GatewayStorage } from '../../../sidecar/launch/gateway/upkeepContract.ts';
import { systemClock } from '../../../sidecar/platform/clock.ts';
import { SpendLogsQuery } from '../../../sidecar/protocol/gateway/activityQueries.ts';
import { line, linesOf } from '../../support/gateway/activityLines.ts';
import { postgresDatabase } from '../../support/network/postgres.ts';
import { verifies } from '../../support/verifies.ts';

const AT = '2026-11-27T10:00:00.000Z';
/** Of running processes, or kept for some days only: what a backup leaves out. */
const ofProcesses = [
  ...[
    'alert_deliveries',
    'alert_events',
    'allowances',
    'call_contents',
    'changes',
    'flush_marks',
    'leases',
    'page_sessions',
    'refused_calls',
  ],
  'replica_messages',
];

interface Place extends GatewayStorage {
  readonly address: DatabaseAddress;
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`upkeep of a gateway with ${kind}`, function upkeep() {
    let folder: string;
    let secret: Uint8Array;
    let place: Place;
    let secretFile: string;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchboard-upkeep-'));
      secret = randomBytes(32);
      secretFile = join(folder, 'secret');
      writeFileSync(secretFile, `${Buffer.from(secret).toString('base64')}\n`);
      place = await newPlace(kind, 'first');
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    async function newPlace(of: 'sqlite' | 'postgres', name: string): Promise<Place> {
      const dataDir = join(folder, name);
      if (of === 'sqlite')
        return { dataDir, database: undefined, address: { kind: 'sqlite', file: join(dataDir, 'gateway.db') } };
      const url = await postgresDatabase();
      const database = join(folder, `${name}.url`);
      writeFileSync(database, url);
      return { dataDir, database, address: { kind: 'postgres', url } };
    }

    const opened = ({ address }: Place, sealedWith: Uint8Array = secret) =>
      openStore({ address, clock: systemClock, secret: sealedWith, holder: 'a' });

    /** More rows than are read at a time, with texts that a careless file would not survive. */
    async function fill(store: GatewayStore) {
      const audits = Array.from({ length: 1_203 }, (_, n) => ({
        ...{ id: `${n}`, at: AT, actor: 'line\nend "ü" \u2028', action: 'created', kind: 'team', object_id: `t${n}` },
        ...{ before: null, after: '{}', changed_by: null },
      }));
      await store.database.db.insertInto('audit').values(audits).execute();
      const lines = linesOf([line('r1', AT, 0.5), line('r2', AT, 0.25)]);
      await store.activityWrites.write({ writer: 'a', seq: 1, atMs: 0, spendings: [], used: [], ...lines });
      const stamps = { created_at: AT, updated_at: AT };
      await store.budget.insert({ budget_id: 'b', max_budget: 2.5, ...stamps } as never);
      await store.secrets.put('mcp_server', 'github', 'credentials', 'the credential');
    }

    async function rowsOf({ address }: Place) {
      const { db, close } = await connectDatabase(address, { isReader: true });
      const all = await Promise.all(
        keptNames.map(
          async (it) => [it, (await sql<object>`select * from ${sql.table(it)}`.execute(db)).rows] as const,
        ),
      );
      await close();
      return Object.fromEntries(all.map(([name, rows]) => [name, rows.map((it) => JSON.stringify(it)).sort()]));
    }

    it('backs up each table that does not belong to running processes alone', async () => {
      verifies('gateway.upkeep.backup');
      const store = await opened(place);
      const tables = await store.database.db.introspection.getTables();
      await store.close();
      const names = tables.map((it) => it.name).filter((it) => !it.startsWith('kysely_'));
      assert.deepEqual(names.sort(), [...keptNames, ...ofProcesses].sort());
    });

    for (const target of ['sqlite', 'postgres'] as const)
      it(`restores a backup, which was written beside a running gateway, to ${target}`, async () => {
        verifies('gateway.upkeep.backup');
        const store = await opened(place);
        const file = join(folder, 'backup.gz');
        try {
          await fill(store);
          const rows = await gatewayUpkeep.backup(place, file, '1.2.3', AT);
          const counts = ['audit', 'records', 'secrets', 'spend_logs', 'incoming_lines'].map((it) => rows[it]);
          assert.deepEqual(counts, [1_203, 1, 1, ...(kind === 'sqlite' ? [0, 1] : [2, 0])]);
          const other = await newPlace(target, 'second');
          assert.deepEqual(await gatewayUpkeep.restore(other, file), rows);
          assert.deepEqual(await rowsOf(other), await rowsOf(place));
          const restored = await opened(other);
          assert.equal(await restored.secrets.get('mcp_server', 'github', 'credentials'), 'the credential');
          const { data } = await restored.spendLogs.page(SpendLogsQuery.parse({}));
          assert.deepEqual(
            data.map((it) => it.request_id),
            ['r2', 'r1'],
          );
          await restored.close();
        } finally {
          await store.close();
        }
      });

    it('refuses to replace a backup, and to restore to a database that is not empty', async () => {
      verifies('gateway.upkeep.nothing-replaced');
      const store = await opened(place);
      await fill(store);
      await store.close();
      const file = join(folder, 'backup.gz');
      await gatewayUpkeep.backup(place, file, '1.2.3', AT);
      await assert.rejects(gatewayUpkeep.backup(place, file, '1.2.3', AT), { code: 'already_exists' });
      await assert.rejects(gatewayUpkeep.restore(place, file), { code: 'conflict' });
    });

    it('refuses a backup that is damaged, cut, or of a later version, and restores nothing of it', async () => {
      verifies('gateway.upkeep.damaged');
      const store = await opened(place);
      await fill(store);
      await store.close();
      const whole = join(folder, 'backup.gz');
      await gatewayUpkeep.backup(place, whole, '1.2.3', AT);
      const bytes = readFileSync(whole);
      const lines = gunzipSync(bytes).toString().split('\n');
      const later = [lines[0]?.replace('"001_records"', '"001_records","999_later"'), ...lines.slice(1)];
      const other = ['["audit",{"id":"x","no_such_column":1}]', '["changes",{"seq":1}]', '["audit",[]]', '{"rows":{}}'];
      const wrong: readonly (readonly [code: string, bytes: Buffer])[] = [
        ['internal', bytes.subarray(0, bytes.byteLength / 2)],
        ['internal', Buffer.from('{}')],
        ['internal', gzipSync('{}\n')],
        ['internal', gzipSync(lines.slice(0, -2).join('\n'))],
        ['internal', gzipSync(lines.toSpliced(5, 1).join('\n'))],
        ...other.map((it) => ['internal', gzipSync(lines.toSpliced(2, 0, it).join('\n'))] as const),
        ['unsupported_version', gzipSync(later.join('\n'))],
      ];
      const file = join(folder, 'wrong.gz');
      const target = await newPlace(kind, 'target');
      for (const [at, [code, content]] of wrong.entries()) {
        writeFileSync(file, content);
        await assert.rejects(gatewayUpkeep.restore(target, file), { code }, `number ${at}`);
      }
      if (kind === 'sqlite') assert.deepEqual(readdirSync(target.dataDir), []);
      assert.deepEqual((await gatewayUpkeep.restore(target, whole))['audit'], 1_203);
    });

    it('brings the backup of an earlier version to the newest layout', async () => {
      verifies('gateway.upkeep.backup');
      const head = {
        ...{ switchboard: 'gateway backup', format: 1, version: '0.0.9', at: AT },
        migrations: ['001_records', '002_activity'],
      };
      const row = {
        id: 'a',
        at: AT,
        actor: 'x',
        action: 'created',
        kind: 'team',
        object_id: 't',
        before: null,
        after: null,
      };
      const lines = [head, ['audit', row], { rows: { audit: 1 } }].map((it) => JSON.stringify(it));
      const file = join(folder, 'old.gz');
      writeFileSync(file, gzipSync(lines.join('\n')));
      await gatewayUpkeep.restore(place, file);
      const store = await opened(place);
      const [found] = await store.database.db.selectFrom('audit').selectAll().execute();
      await store.close();
      assert.deepEqual({ ...found }, { ...row, changed_by: null, actor_email: null, signed_in_by: null });
    });

    const rotate = (nowMs: number) =>
      gatewayUpkeep.rotateSecret({ ...place, secret: secretFile, random: randomBytes, nowMs });
    const readSecret = (path: string) => Buffer.from(readFileSync(path, 'utf8'), 'base64');

    it('seals all credentials with a new secret, and keeps the old one for older backups', async () => {
      verifies('gateway.upkeep.rotate');
      const store = await opened(place);
      await fill(store);
      await store.close();
      const { sealed, file, kept } = await rotate(Date.parse(AT));
      assert.deepEqual([sealed, file, kept], [1, secretFile, `${secretFile}.until-20261127T100000Z`]);
      assert.deepEqual(readSecret(kept), Buffer.from(secret));
      if (process.platform !== 'win32') assert.equal(statSync(secretFile).mode & 0o777, 0o600);
      const after = await opened(place, readSecret(secretFile));
      assert.equal(await after.secrets.get('mcp_server', 'github', 'credentials'), 'the credential');
      await after.close();
      const before = await opened(place);
      await assert.rejects(before.secrets.get('mcp_server', 'github', 'credentials'), { code: 'internal' });
      await before.close();
    });

    it('refuses to rotate the secret while a gateway runs, and with another secret, and changes nothing', async () => {
      verifies('gateway.upkeep.rotate');
      const store = await opened(place);
      await fill(store);
      await store.leases.take('leader', 15_000);
      await assert.rejects(rotate(systemClock.nowMs()), { code: 'conflict' });
      await store.leases.release('leader');
      await store.close();
      writeFileSync(secretFile, randomBytes(32).toString('base64'));
      await assert.rejects(rotate(Date.parse(AT)), { code: 'internal' });
      rmSync(secretFile);
      await assert.rejects(rotate(Date.parse(AT)), { code: 'not_found' });
      const after = await opened(place);
      assert.equal(await after.secrets.get('mcp_server', 'github', 'credentials'), 'the credential');
      await after.close();
    });

    it('finishes a rotation that was killed before the new secret took the place of the old one', async () => {
      verifies('gateway.upkeep.rotate');
      const store = await opened(place);
      await fill(store);
      await store.close();
      const { kept } = await rotate(Date.parse(AT));
      renameSync(secretFile, `${secretFile}.new`);
      renameSync(kept, secretFile);
      const next = readSecret(`${secretFile}.new`);
      const { sealed } = await rotate(Date.parse(AT) + 1_000);
      assert.equal(sealed, 1);
      assert.deepEqual(readSecret(secretFile), next);
      assert.equal(existsSync(`${secretFile}.new`), false);
      const after = await opened(place, next);
      assert.equal(await after.secrets.get('mcp_server', 'github', 'credentials'), 'the credential');
      await after.close();
    });

    it('checks the database, and whether the secret is the one that sealed what is there', async () => {
      verifies('gateway.upkeep.check');
      const options = { ...place, config: undefined, deadline: undefined, env: {} };
      const states = async (file: string) =>
        (await gatewayUpkeep.check({ ...options, secret: file })).map((it) => `${it.part}: ${it.state}`).slice(1);
      assert.deepEqual(await states(secretFile), ['database: ok']);
      const store = await opened(place);
      await fill(store);
      await store.close();
      assert.deepEqual(await states(secretFile), ['database: ok', 'sealing secret: ok']);
      const other = join(folder, 'other');
      writeFileSync(other, randomBytes(32).toString('base64'));
      assert.deepEqual(await states(other), ['database: ok', 'sealing secret: failed']);
      assert.deepEqual(await states(join(folder, 'missing')), ['database: ok', 'sealing secret: failed']);
    });

    it('checks the document of an OpenAPI service', async () => {
      const config = join(folder, 'servers.jsonc');
      writeFileSync(config, JSON.stringify({ mcp_servers: { api: { spec_path: './api.json' } } }));
      const deadline = () => new AbortController().signal;
      const checked = async () => {
        const parts = await gatewayUpkeep.check({ ...place, secret: secretFile, config, deadline, env: {} });
        return parts.flatMap(({ part, state, message }) => (part === 'server api' ? [`${state}: ${message}`] : []));
      };
      assert.deepEqual(await checked(), ['failed: The file of its OpenAPI document was not found.']);
      writeFileSync(join(folder, 'api.json'), '{}');
      assert.deepEqual(await checked(), ['ok: The OpenAPI document was found.']);
    });
  });
}
