import type { DatabaseSync } from 'node:sqlite';

export type DecisionRows = ReturnType<typeof decisionRows>;

/** The number of decisions that are kept. Each new one replaces the oldest. */
const KEPT = 100_000;

/** What was allowed and denied, as JSON text. Rows are only added; a page costs the same wherever it begins. */
export function decisionRows(sql: DatabaseSync, kept = KEPT) {
  const add = sql.prepare('INSERT INTO decision (session, body) VALUES (?, ?)');
  const trim = sql.prepare('DELETE FROM decision WHERE n <= ?');
  const all = sql.prepare('SELECT n, body FROM decision WHERE n < ? ORDER BY n DESC LIMIT ?');
  const own = sql.prepare('SELECT n, body FROM decision WHERE session = ? AND n < ? ORDER BY n DESC LIMIT ?');
  return {
    add(session: string, body: string): void {
      const { lastInsertRowid } = add.run(session, body);
      trim.run(Number(lastInsertRowid) - kept);
    },
    /** Newest first. @param before the number of the last row of the page before */
    page(size: number, before = Number.MAX_SAFE_INTEGER, session?: string): { n: number; body: string }[] {
      const rows = session === undefined ? all.all(before, size) : own.all(session, before, size);
      return rows.map((it) => ({ n: Number(it['n']), body: String(it['body']) }));
    },
  };
}
