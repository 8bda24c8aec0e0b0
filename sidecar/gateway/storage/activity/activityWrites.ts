import type { Kysely, Transaction } from 'kysely';
import type { RefusedCalls } from '../alerts/refusedCalls.ts';
import type { Tables } from '../database/tables.ts';
import { asking } from '../storeFault.ts';
import type { DailySums } from './dailySums.ts';
import { lockFlushes } from './flushLock.ts';
import type { LogLines } from './logLines.ts';
import type { CallLines } from './spendLogRow.ts';
import { addLinesOfDays, addSums } from './sumWrites.ts';

/** Money spent by somebody at some time: it counts in every window of theirs that this time is in. */
export interface Spending {
  readonly scope: string;
  readonly atMs: number;
  readonly amount: number;
}
/** Part of an allowance that was spent, and is therefore no longer set aside. */
export interface UsedAllowance {
  readonly counter: string;
  readonly amount: number;
}

/** What one process has to write; never changed once it was made, so that it can be sent again as it is. */
export interface ActivityBatch {
  /** Names the process; `seq` counts its batches from 1. */
  readonly writer: string;
  readonly seq: number;
  readonly atMs: number;
  readonly lines: CallLines;
  /** Of the lines, and of calls without one: refused at the edge, or let go while the store was down. */
  readonly sums: DailySums;
  readonly spendings: readonly Spending[];
  readonly used: readonly UsedAllowance[];
}

/** Scopes or windows in one statement: databases limit how many values it may have. */
const NAMED = 500;
/** No batch is sent again, and no call settles, after so long. */
const KEPT_MS = 2 * 24 * 60 * 60_000;

/** Writes batches of calls: lines, sums and spendings in one transaction, and each batch and line once. */
export class ActivityWrites {
  readonly #db: Kysely<Tables>;
  readonly #isShared: boolean;
  readonly #lines: LogLines;
  readonly #refused: Pick<RefusedCalls, 'note'>;

  constructor(db: Kysely<Tables>, isShared: boolean, lines: LogLines, refused: Pick<RefusedCalls, 'note'>) {
    this.#db = db;
    this.#lines = lines;
    this.#refused = refused;
    this.#isShared = isShared;
  }

  /** A batch or line that was written before is not written again, and adds nothing to the sums. */
  async write(batch: ActivityBatch): Promise<void> {
    await this.#lines.makeRoom();
    await asking(() =>
      this.#db.transaction().execute(async (transaction) => {
        // Replicas write one after another, else two that update the same sums in different order stop each other.
        if (this.#isShared) await lockFlushes(transaction);
        if (!(await isNew(transaction, batch))) return;
        await addLinesOfDays(transaction, batch.lines.days);
        await addSums(transaction, batch.sums);
        await this.#lines.add(transaction, batch.lines);
        await this.#refused.note(transaction, batch.lines);
        await addSpendings(transaction, batch);
      }),
    );
  }

  /** Forgets marks, windows and allowances that nobody can ask for any more. */
  async tidy(nowMs: number): Promise<void> {
    await asking(async () => {
      await this.#db
        .deleteFrom('flush_marks')
        .where('at_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('budget_counters')
        .where('end_ms', '<', nowMs - KEPT_MS)
        .execute();
      await this.#db
        .deleteFrom('allowances')
        .where('expires_at_ms', '<', nowMs - KEPT_MS)
        .execute();
    });
  }
}

async function isNew(transaction: Transaction<Tables>, { writer, seq, atMs }: ActivityBatch): Promise<boolean> {
  const row = await transaction
    .insertInto('flush_marks')
    .values({ writer, seq, at_ms: atMs })
    .onConflict((it) => it.column('writer').doUpdateSet({ seq, at_ms: atMs }).where('flush_marks.seq', '<', seq))
    .returning('seq')
    .executeTakeFirst();
  return row !== undefined;
}

async function addSpendings(
  transaction: Transaction<Tables>,
  { writer, spendings, used }: ActivityBatch,
): Promise<void> {
  const scopes = [...new Set(spendings.map((it) => it.scope))];
  for (let at = 0; at < scopes.length; at += NAMED) {
    const windows = await transaction
      .selectFrom('budget_counters')
      .select(['counter', 'scope', 'start_ms', 'end_ms'])
      .where('scope', 'in', scopes.slice(at, at + NAMED))
      .orderBy('counter')
      .execute();
    const rows = windows.flatMap((it) => {
      const within = spendings.filter(
        ({ scope, atMs }) => scope === it.scope && atMs >= it.start_ms && atMs < it.end_ms,
      );
      const spent = within.reduce((sum, { amount }) => sum + amount, 0);
      return spent === 0 ? [] : [{ ...it, spent }];
    });
    // All of these rows exist, so each statement only adds to them.
    for (let from = 0; from < rows.length; from += NAMED)
      await transaction
        .insertInto('budget_counters')
        .values(rows.slice(from, from + NAMED))
        .onConflict((it) =>
          it.column('counter').doUpdateSet((row) => ({
            spent: row('budget_counters.spent', '+', row.ref('excluded.spent')),
          })),
        )
        .execute();
  }
  for (const { counter, amount } of used)
    await transaction
      .updateTable('allowances')
      .set((it) => ({ amount: it('amount', '-', amount) }))
      .where('counter', '=', counter)
      .where('holder', '=', writer)
      .execute();
}
