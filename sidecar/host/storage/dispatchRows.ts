import type { DatabaseSync } from 'node:sqlite';

/** How many dispatches are remembered at least, so that one that is sent again after a break is applied once. */
export const REMEMBERED_DISPATCHES = 1_000;

const TRIM_EVERY = 100;

export type DispatchRows = ReturnType<typeof dispatchRows>;

export function dispatchRows(sql: DatabaseSync) {
  const insert = sql.prepare('INSERT INTO dispatch (client_id, client_seq, server_seq) VALUES (?, ?, ?)');
  const trim = sql.prepare('DELETE FROM dispatch WHERE id <= ?');
  const all = sql.prepare('SELECT client_id, client_seq, server_seq FROM dispatch ORDER BY id DESC LIMIT 1000');

  let last = 0;
  let trimmedAt = 0;

  return {
    /** Called in the transaction of what it remembers. */
    remember(clientId: string, clientSeq: number, serverSeq: number): void {
      last = Number(insert.run(clientId, clientSeq, serverSeq).lastInsertRowid);
    },
    /** Forgets the oldest; called once for a transaction, works once in a while, since it touches other pages. */
    trim(): void {
      if (last < trimmedAt + TRIM_EVERY) return;
      trim.run(last - REMEMBERED_DISPATCHES);
      trimmedAt = last;
    },
    /** Oldest first. */
    all(): { clientId: string; clientSeq: number; serverSeq: number }[] {
      return all
        .all()
        .reverse()
        .map((it) => ({
          clientId: String(it['client_id']),
          clientSeq: Number(it['client_seq']),
          serverSeq: Number(it['server_seq']),
        }));
    },
  };
}
