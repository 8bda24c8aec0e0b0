import { CompiledQuery, type Kysely } from 'kysely';
import type { GatewayDatabase } from '../../storage/database/database.ts';
import type { Statement, StatementResult } from '../../storage/database/sqliteThread.ts';
import type { Tables } from '../../storage/database/tables.ts';

type Queries = Pick<Kysely<Tables>, 'executeQuery'>;
interface Held {
  readonly connection: Queries;
  readonly release: () => void;
}

/** Runs the statements of one worker on the owner's database. A transaction has the connection to itself until it ends. */
export class ServedDatabase {
  readonly #database: Pick<GatewayDatabase, 'db' | 'reports'>;
  #held: Held | undefined;
  /** The statements of a transaction that run now. Nothing else comes between them. */
  #running: Promise<unknown> | undefined;
  #isOver = false;

  constructor(database: Pick<GatewayDatabase, 'db' | 'reports'>) {
    this.#database = database;
  }

  async run(name: 'db' | 'reports', statements: readonly Statement[]): Promise<StatementResult> {
    if (name === 'reports') return all(this.#database.reports, statements);
    if (statements[0]?.sql.startsWith('begin')) {
      const held = await hold(this.#database.db);
      if (this.#isOver) {
        held.release();
        throw new Error('The worker has ended.');
      }
      this.#held = held;
    }
    const running = all(this.#held?.connection ?? this.#database.db, statements);
    if (this.#held) this.#running = running;
    const result = await running;
    if (statements.at(-1)?.sql === 'commit') this.#release();
    return result;
  }

  /** Takes back what is open of a transaction. */
  async rollback(): Promise<void> {
    const held = this.#held;
    // After a full disk SQLite has taken it back itself.
    await held?.connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
    if (this.#held === held) this.#release();
  }

  /** The worker has ended. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#running?.catch(() => undefined); // the caller of `run` has the reason
    await this.rollback();
  }

  #release(): void {
    this.#held?.release();
    this.#held = undefined;
  }
}

async function all(on: Queries, statements: readonly Statement[]): Promise<StatementResult> {
  let last: StatementResult = { rows: [] };
  for (const { sql, parameters } of statements) {
    const { rows, numAffectedRows } = await on.executeQuery<Record<string, unknown>>(
      CompiledQuery.raw(sql, [...parameters]),
    );
    last = { rows, ...(numAffectedRows !== undefined && { changes: Number(numAffectedRows) }) };
  }
  return last;
}

/** Waits until nobody else uses the connection. */
function hold(db: Kysely<Tables>): Promise<Held> {
  return new Promise((resolve, reject) => {
    db.connection()
      .execute((connection) => new Promise<void>((release) => void resolve({ connection, release })))
      .catch(reject);
  });
}
