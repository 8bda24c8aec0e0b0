import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openCheckpointer } from '../../../../../sidecar/host/storage/checkpointer.ts';

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
    sql.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (body TEXT);');
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
});
