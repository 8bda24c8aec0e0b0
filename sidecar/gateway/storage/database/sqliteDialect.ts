import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import type { SqliteThread, Statement } from './sqliteThread.ts';

/**
 * Kysely's dialect over Node's own SQLite on a thread of its own: whoever serves calls never waits for the disk. One
 * connection; Kysely gives it to one user at a time.
 *
 * @param open called with the first query, and after a thread has died
 */
export const nodeSqliteDialect = (open: () => SqliteThread): Dialect => ({
  createDriver: () => new ThreadDriver(open),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db) => new SqliteIntrospector(db),
});

class ThreadDriver implements Driver {
  readonly #open: () => SqliteThread;
  #connection: ThreadConnection | undefined;
  constructor(open: () => SqliteThread) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connection = new ThreadConnection(this.#open());
  }
  /** A thread that died is followed by another one, never within a transaction. */
  async acquireConnection(): Promise<DatabaseConnection> {
    if (!this.#connection || this.#connection.thread.isDead) this.#connection = new ThreadConnection(this.#open());
    return this.#connection;
  }
  async beginTransaction(connection: ThreadConnection, { accessMode }: TransactionSettings): Promise<void> {
    connection.begin(accessMode === 'read only');
  }
  commitTransaction(connection: ThreadConnection): Promise<void> {
    return connection.commit();
  }
  rollbackTransaction(connection: ThreadConnection): Promise<void> {
    return connection.rollback();
  }
  async releaseConnection(): Promise<void> {
    return;
  }
  async destroy(): Promise<void> {
    await this.#connection?.thread.close();
  }
}

class ThreadConnection implements DatabaseConnection {
  readonly thread: SqliteThread;
  /** A transaction begins together with its first statement: one way to the thread less. */
  #begin: readonly Statement[] = [];
  constructor(thread: SqliteThread) {
    this.thread = thread;
  }

  /**
   * One that may write takes the lock for it at once, and waits for another process that has it. After it has read, SQLite would
   * refuse what it writes if another process has written since, without waiting.
   */
  begin(isReadOnly: boolean): void {
    this.#begin = [{ sql: isReadOnly ? 'begin' : 'begin immediate', parameters: [] }];
  }
  async commit(): Promise<void> {
    if (this.#begin.length === 0) await this.thread.run([{ sql: 'commit', parameters: [] }]);
    this.#begin = [];
  }
  async rollback(): Promise<void> {
    this.#begin = [];
    // With the thread its transaction is gone.
    if (!this.thread.isDead) await this.thread.rollback();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statements = [...this.#begin, { sql, parameters }];
    this.#begin = [];
    const { rows, changes } = await this.thread.run(statements);
    return { rows: rows as R[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
  }
  streamQuery(): never {
    throw new Error('The embedded database cannot stream rows. Request them in pieces instead.');
  }
}
