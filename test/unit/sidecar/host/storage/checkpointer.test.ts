import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openCheckpointer } from '../../../../../sidecar/host/storage/checkpointer.ts';
import { until } from '../../../../support/until.ts';

/** A hundred pages of SQLite: what the log may hold here before the writer ends a checkpoint itself. */
const MOST_PAGES = 100;

describe('the log of the host database', () => {
  let folder = '';
  let file = '';
  let sql: DatabaseSync;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-checkpoints-'));
    file = join(folder, 'host.db');
    sql = new DatabaseSync(file);
    sql.exec(
      'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000; CREATE TABLE t (body TEXT);',
    );
  });
  afterEach(() => {
    sql.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const write = () => sql.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(8_000));

  it('begins anew also while something is written all the time', async () => {
    const failures: string[] = [];
    let caughtUp = 0;
    const checkpointer = openCheckpointer({
      file,
      onDamage: () => assert.fail('nothing is damaged'),
      onFailure: (message) => failures.push(message),
      catchUp: () => {
        sql.exec('PRAGMA wal_checkpoint(PASSIVE)');
        caughtUp += 1;
      },
      mostPages: MOST_PAGES,
    });
    let isAnew = false;
    while (!isAnew) {
      const { size } = statSync(`${file}-wal`);
      write();
      isAnew = caughtUp > 0 && statSync(`${file}-wal`).size === size;
      checkpointer.wrote();
      await turn();
    }
    await checkpointer.close();
    assert.deepEqual(failures, []);
  });

  it('grows, and loses nothing, where a checkpoint fails', async () => {
    const failures: string[] = [];
    const checkpointer = openCheckpointer({
      file,
      onDamage: () => assert.fail('nothing is damaged'),
      onFailure: (message) => failures.push(message),
      catchUp: () => {
        throw new Error('the disk made an error');
      },
      mostPages: MOST_PAGES,
    });
    let written = 0;
    while (failures.length === 0) {
      write();
      written += 1;
      checkpointer.wrote();
      await turn();
    }
    assert.match(failures[0]!, /the disk made an error/);
    assert.equal(sql.prepare('SELECT count(*) AS n FROM t').get()?.['n'], written);
    await checkpointer.close();
  });

  const quiet = {
    onDamage: () => assert.fail('nothing is damaged'),
    onFailure: (message: string) => assert.fail(message),
    catchUp: () => assert.fail('nothing is behind'),
  };

  it('is brought back to nothing when nothing runs', async () => {
    const checkpointer = openCheckpointer({ ...quiet, file });
    for (let round = 0; round < 2; round += 1) {
      write();
      checkpointer.wrote();
      assert.ok(statSync(`${file}-wal`).size > 0);
      checkpointer.tidy();
      await until('the log is empty', () => statSync(`${file}-wal`).size === 0);
    }
    await checkpointer.close();
  });

  it('makes the writer catch up once for each report that it is too long', async () => {
    let caughtUp = 0;
    const checkpointer = openCheckpointer({ ...quiet, file, catchUp: () => void (caughtUp += 1), mostPages: 1 });
    write();
    for (let n = 0; n < 250; n += 1) checkpointer.wrote();
    // The worker reports on a turn of its own; after one report many transactions follow in one go.
    await until('the report came', () => {
      checkpointer.wrote();
      return caughtUp > 0;
    });
    for (let n = 0; n < 100; n += 1) checkpointer.wrote();
    assert.equal(caughtUp, 1);
    await checkpointer.close();
  });

  for (const { says, position } of [
    { says: 'at its head', position: 0 },
    { says: 'in the middle', position: 4096 * 3 },
  ])
    it(`does not stand in the way of finding damage ${says}`, async () => {
      for (let n = 0; n < 10; n += 1) write();
      sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      sql.close();
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, position);
      closeSync(handle);
      let damaged = 0;
      const checkpointer = openCheckpointer({
        ...quiet,
        file,
        onDamage: () => void (damaged += 1),
        onFailure: () => undefined,
      });
      checkpointer.check();
      await until('the damage is reported', () => damaged > 0);
      await checkpointer.close();
      sql = new DatabaseSync(':memory:');
    });

  it('can be closed where its worker cannot begin: before that showed, and after', async () => {
    const failures: string[] = [];
    const checkpointer = openCheckpointer({
      ...quiet,
      file: join(folder, 'missing', 'host.db'),
      onFailure: (message) => failures.push(message),
    });
    await checkpointer.close(); // nothing was asked for yet
    for (const isLate of [false, true]) {
      checkpointer.check();
      if (isLate) await until('the failure is reported', () => failures.length > 1);
      await checkpointer.close();
    }
    assert.equal(failures.length, 2);
  });
});
