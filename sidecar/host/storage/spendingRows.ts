import type { DatabaseSync } from 'node:sqlite';
import type { Spent } from '../../protocol/channels/session/budgets.ts';

export type SpendingRows = ReturnType<typeof spendingRows>;

/** The cost of calls to models: one row per account and day, which holds the sum. */
export function spendingRows(sql: DatabaseSync) {
  const get = sql.prepare('SELECT calls, dollars FROM spending WHERE account = ? AND day = ?');
  const put = sql.prepare(
    `INSERT INTO spending (account, day, calls, dollars) VALUES (?, ?, ?, ?)
     ON CONFLICT (account, day) DO UPDATE SET calls = excluded.calls, dollars = excluded.dollars`,
  );
  const remove = sql.prepare('DELETE FROM spending WHERE account = ?');
  const removeBefore = sql.prepare(`DELETE FROM spending WHERE day <> '' AND day < ?`);
  return {
    /** @param day `2026-01-31`; empty: all days */
    get(account: string, day: string): Spent | undefined {
      const row = get.get(account, day);
      return row && { calls: Number(row['calls']), dollars: Number(row['dollars']) };
    },
    put: (account: string, day: string, { calls, dollars }: Spent): void => void put.run(account, day, calls, dollars),
    remove: (account: string): void => void remove.run(account),
    /** The spend of past days no longer counts toward a budget. */
    removeBefore: (day: string): void => void removeBefore.run(day),
  };
}
