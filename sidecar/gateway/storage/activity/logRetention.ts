import type { Kysely } from 'kysely';
import { DAY_MS } from '../../../protocol/gateway/duration.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import type { LogLines } from './logLines.ts';

/** Lines in one statement: a call's own writes come between two of them. */
export const FORGOTTEN_AT_ONCE = 500;
/** Statements of one go, so that years of lines do not keep a disk busy for hours: what is left is for the next one. */
const MAX_STATEMENTS = 200;

/** Lets go of lines of calls that are too old. Sums by day stay. */
export class LogRetention {
  readonly #db: Kysely<Tables>;
  readonly #lines: Pick<LogLines, 'enterAll'>;
  constructor(db: Kysely<Tables>, lines: Pick<LogLines, 'enterAll'>) {
    this.#db = db;
    this.#lines = lines;
  }

  /** Oldest first. @returns how many lines it let go */
  async forget(beforeMs: number): Promise<number> {
    await this.#lines.enterAll();
    let forgotten = 0;
    for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
      const count = await asking(() => this.#some(beforeMs));
      forgotten += count;
      if (count < FORGOTTEN_AT_ONCE) break;
    }
    return forgotten;
  }

  async #some(beforeMs: number): Promise<number> {
    const oldest = this.#db
      .selectFrom('spend_logs')
      .select('request_id')
      .where('started_ms', '<', beforeMs)
      .orderBy('started_ms')
      .limit(FORGOTTEN_AT_ONCE);
    return this.#db.transaction().execute(async (transaction) => {
      const gone = await transaction
        .deleteFrom('spend_logs')
        .where('request_id', 'in', oldest)
        .returning('started_ms')
        .execute();
      const days = new Map<number, number>();
      for (const it of gone) {
        const day = Math.floor(Number(it.started_ms) / DAY_MS);
        days.set(day, (days.get(day) ?? 0) + 1);
      }
      // Days in the order in which whoever writes lines takes them: two that wait for each other would stop.
      for (const [day, count] of [...days].toSorted(([a], [b]) => a - b))
        await transaction
          .updateTable('log_days')
          .set((it) => ({ lines: it('lines', '-', count) }))
          .where('day', '=', day)
          .execute();
      return gone.length;
    });
  }
}
