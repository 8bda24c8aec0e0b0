import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { after, before, describe, it } from 'mocha';
import { type GatewayDatabase, openDatabase } from '../../../../../../sidecar/gateway/storage/database/database.ts';
import { nodeSqliteDialect } from '../../../../../../sidecar/gateway/storage/database/sqliteDialect.ts';
import {
  openSqliteThread,
  SOON,
  type SqliteThread,
} from '../../../../../../sidecar/gateway/storage/database/sqliteThread.ts';

interface Words {
  word: { readonly text: string };
}

describe('the thread of the embedded database', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-thread-'));
    file = join(folder, 'words.db');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('waits for the disk at each write except those that may be synced later, also if one of them fails', async () => {
    const thread = openSqliteThread(join(folder, 'durable.db'), { readOnly: false });
    const FULL = 2;
    const synchronous = async () => (await thread.run([{ sql: 'pragma synchronous', parameters: [] }])).rows;
    assert.deepEqual(await synchronous(), [{ synchronous: FULL }]);
    await thread.run([{ sql: 'create table word (text text primary key)', parameters: [] }]);
    const soon = { sql: `insert into word values (?) ${SOON}`, parameters: ['a'] };
    assert.deepEqual(await thread.run([soon]), { rows: [], changes: 1 });
    assert.deepEqual(await synchronous(), [{ synchronous: FULL }]);
    await assert.rejects(thread.run([soon]), /UNIQUE/);
    assert.deepEqual(await synchronous(), [{ synchronous: FULL }]);
    assert.deepEqual((await thread.run([{ sql: 'select text from word', parameters: [] }])).rows, [{ text: 'a' }]);
    await thread.close();
  });

  it('waits for the disk again after migrations', async () => {
    const database = await openDatabase({ kind: 'sqlite', file: join(folder, 'layout.db') });
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(database.db);
    assert.deepEqual(rows, [{ synchronous: 2 }]);
    await database.close();
  });

  it('leaves the thread that serves free while a statement runs', async () => {
    const thread = openSqliteThread(file, { readOnly: false });
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const counted =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select max(i) as i from n';
    const { rows } = await thread.run([{ sql: counted, parameters: [] }]);
    isOver = true;
    assert.deepEqual(rows, [{ i: 200_000 }]);
    assert.ok(turns > 10, `${turns} turns`);
    await thread.close();
  });

  it('tells what SQLite says of a statement that fails, with its number, and goes on', async () => {
    const thread = openSqliteThread(file, { readOnly: false });
    const failed = thread.run([{ sql: 'select * from nobody', parameters: [] }]);
    await assert.rejects(failed, { message: 'no such table: nobody', errcode: 1 });
    assert.deepEqual((await thread.run([{ sql: 'select ? as it', parameters: ['x'] }])).rows, [{ it: 'x' }]);
    await thread.close();
  });

  it('fails with the first statement where the file cannot be opened', async () => {
    const thread = openSqliteThread(folder, { readOnly: false });
    await assert.rejects(thread.run([{ sql: 'select 1', parameters: [] }]), {
      message: 'unable to open database file',
    });
    await thread.close();
  });

  it('opens the file again for each statement until it can be read', async () => {
    const damaged = join(folder, 'damaged.db');
    writeFileSync(damaged, 'This is not a database. '.repeat(100));
    const thread = openSqliteThread(damaged, { readOnly: false });
    const ask = () => thread.run([{ sql: 'pragma journal_mode', parameters: [] }]);
    for (let n = 0; n < 3; n += 1) await assert.rejects(ask(), { message: 'file is not a database' });
    rmSync(damaged);
    assert.deepEqual((await ask()).rows, [{ journal_mode: 'wal' }]);
    await thread.close();
  });

  it('ends a transaction whose thread died, writes nothing of it, and goes on with another thread', async () => {
    const opened: { thread: SqliteThread; isCut: boolean }[] = [];
    const dialect = nodeSqliteDialect(() => {
      const one = { thread: openSqliteThread(file, { readOnly: false }), isCut: false };
      opened.push(one);
      const cut = () => Promise.reject(new Error('The database thread exited with code 1.'));
      return {
        get isDead() {
          return one.isCut;
        },
        run: (statements) => (one.isCut ? cut() : one.thread.run(statements)),
        rollback: () => (one.isCut ? cut() : one.thread.rollback()),
        close: () => one.thread.close(),
      };
    });
    const db = new Kysely<Words>({ dialect });
    await sql`create table word (text text)`.execute(db);
    const broken = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('word').values({ text: 'one' }).execute();
      const [first] = opened;
      assert.ok(first);
      first.isCut = true;
      await first.thread.close();
      await transaction.insertInto('word').values({ text: 'two' }).execute();
    });
    await assert.rejects(broken, { message: 'The database thread exited with code 1.' });
    assert.deepEqual(await db.selectFrom('word').selectAll().execute(), []);
    assert.equal(opened.length, 2);
    await db.destroy();
  });

  describe('whose file another process uses, too', () => {
    let [one, other]: readonly Kysely<Words>[] = [];
    before(async () => {
      const shared = join(folder, 'shared.db');
      const open = () =>
        new Kysely<Words>({ dialect: nodeSqliteDialect(() => openSqliteThread(shared, { readOnly: false })) });
      [one, other] = [open(), open()];
      await sql`create table word (text text)`.execute(one);
    });
    after(() => Promise.all([one, other].map((it) => it?.destroy())));

    it('writes in a transaction what it has read before, and the other one waits for it', async () => {
      const order: string[] = [];
      let second: Promise<unknown> | undefined;
      await one!.transaction().execute(async (transaction) => {
        await transaction.selectFrom('word').selectAll().execute();
        second = other!
          .insertInto('word')
          .values({ text: 'second' })
          .execute()
          .then(() => order.push('second'));
        await wait(100);
        await transaction.insertInto('word').values({ text: 'first' }).execute();
        order.push('first');
      });
      await second;
      assert.deepEqual(order, ['first', 'second']);
    });

    it('reads in a transaction that only reads, and the other one does not wait for it', async () => {
      const reading = one!.transaction().setAccessMode('read only');
      await reading.execute(async (transaction) => {
        const before = await transaction.selectFrom('word').selectAll().execute();
        await other!.insertInto('word').values({ text: 'third' }).execute();
        assert.deepEqual(await transaction.selectFrom('word').selectAll().execute(), before);
      });
    });
  });
});

describe('reports of the embedded database', () => {
  let folder: string;
  let database: GatewayDatabase;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-reports-'));
    database = await openDatabase({ kind: 'sqlite', file: join(folder, 'gateway.db') });
  });
  after(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const claims = (of: typeof database.db) => of.selectFrom('claims').select('id').execute();

  it('do not wait for a transaction, do not see what is not committed, and see it when it is', async () => {
    const { db, reports } = database;
    await db.transaction().execute(async (transaction) => {
      await transaction.insertInto('claims').values({ id: 'one', expires_at_ms: 1 }).execute();
      assert.deepEqual(await claims(reports), []);
    });
    assert.deepEqual(await claims(reports), [{ id: 'one' }]);
  });

  it('write nothing', () =>
    assert.rejects(database.reports.deleteFrom('claims').execute(), {
      message: 'attempt to write a readonly database',
    }));
});
