import type { Kysely, Transaction } from 'kysely';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import { DailySums } from './dailySums.ts';
import { endedCall } from './endedCall.ts';
import { lockFlushes } from './flushLock.ts';
import { insertPostgres, insertSqlite } from './lineInserts.ts';
import { CallLines } from './spendLogRow.ts';
import { addLinesOfDays, addSums } from './sumWrites.ts';

/** If more lines wait, some of them enter before the next batch is written. */
export const MOST_INCOMING = 10_000;
/** The limits of one transaction. A batch may have a single line. */
const LINES = 2_000;
const BATCHES = 200;

/**
 * Writes lines of calls into the log. An entry in each index of the log takes several times as long as the line itself, and would slow
 * down the calls that come meanwhile. So SQLite first keeps a batch of lines as one row, in the transaction that counts them. They enter
 * the log when no calls come, or before somebody reads it. PostgreSQL writes them at once; it has such rows only from a backup.
 */
export class LogLines {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  /** Composed when the first lines enter, which is after the start. */
  #insertKept: ReturnType<typeof insertSqlite> | undefined;
  #insertLines: ReturnType<typeof insertPostgres> | undefined;
  /** No lines can wait any more: this is PostgreSQL, and those of a backup have entered. */
  #isDone = false;
  /** How many lines this process kept that have not entered yet. */
  #kept = 0;

  constructor(db: Kysely<Tables>, isShared: boolean) {
    this.#db = db;
    this.#isShared = isShared;
  }

  /** @param within the transaction that counts them */
  async add(within: Transaction<Tables>, lines: CallLines): Promise<void> {
    if (lines.length === 0) return;
    if (this.#isShared) return takeBack(within, lines, await this.#insert(within, lines));
    this.#kept += lines.length;
    await within
      .insertInto('incoming_lines')
      .values({ ...lines.texts(), lines: lines.length })
      .execute();
  }

  /** Enters some lines if too many wait. Called before each batch. @throws {Fault} `unavailable` */
  async makeRoom(): Promise<void> {
    if (this.#kept > MOST_INCOMING) await this.enterAll(() => false);
  }

  /**
   * Enters the oldest lines first, in several transactions, so that others can use the database in between.
   *
   * @param goesOn asked before each further transaction
   * @throws {Fault} `unavailable`; what is left is entered the next time
   */
  async enterAll(goesOn: () => boolean = () => true): Promise<void> {
    if (this.#isDone) return;
    let entered: number;
    do {
      entered = await asking(() => this.#db.transaction().execute((transaction) => this.#enterSome(transaction)));
      this.#kept = entered === 0 ? 0 : Math.max(0, this.#kept - entered);
    } while (entered > 0 && goesOn());
    this.#isDone = this.#isShared && entered === 0;
  }

  /** @param within a transaction that reads the log and writes what it found */
  async enterAllWithin(within: Transaction<Tables>): Promise<void> {
    while (!this.#isDone && (await this.#enterSome(within)) > 0);
  }

  /** @returns how many lines; 0 where none wait */
  async #enterSome(transaction: Transaction<Tables>): Promise<number> {
    if (this.#isShared) await lockFlushes(transaction); // if two replicas do this, the second one finds no lines
    const heads = transaction.selectFrom('incoming_lines').select(['seq', 'lines']).orderBy('seq').limit(BATCHES);
    let lines = 0;
    const batches: number[] = [];
    for (const it of await heads.execute()) {
      if (lines > 0 && lines + it.lines > LINES) break;
      lines += it.lines;
      batches.push(it.seq);
    }
    for (const seq of batches) await this.#enter(transaction, seq);
    if (batches.length > 0) await transaction.deleteFrom('incoming_lines').where('seq', 'in', batches).execute();
    return lines;
  }

  async #enter(transaction: Transaction<Tables>, seq: number): Promise<void> {
    const read = async () => {
      const texts = transaction.selectFrom('incoming_lines').select(['lists', 'shared']).where('seq', '=', seq);
      return CallLines.parse(await texts.executeTakeFirstOrThrow());
    };
    if (this.#isShared) {
      const lines = await read();
      return takeBack(transaction, lines, await this.#insert(transaction, lines));
    }
    const known = await (this.#insertKept ??= insertSqlite(this.#db))(transaction, seq);
    if (known.length > 0) await takeBack(transaction, await read(), known);
  }

  #insert(transaction: Transaction<Tables>, lines: CallLines): Promise<readonly number[]> {
    return (this.#insertLines ??= insertPostgres())(transaction, lines);
  }
}

/** Subtracts lines that were already in the log, because their batch counted them again. */
async function takeBack(transaction: Transaction<Tables>, lines: CallLines, known: readonly number[]): Promise<void> {
  if (known.length === 0) return;
  const sums = new DailySums();
  const days = new Map<number, number>();
  for (const at of known) {
    const line = lines.read(at);
    const day = Math.floor(Date.parse(line.startTime) / DAY_MS);
    sums.remove(endedCall(line));
    days.set(day, (days.get(day) ?? 0) - 1);
  }
  await addLinesOfDays(transaction, days);
  await addSums(transaction, sums);
}
