import type { DatabaseSync } from 'node:sqlite';

/** Which turns were written or taken away, for the index of transcripts, which follows in a thread of its own. */
export type TurnChanges = ReturnType<typeof turnChanges>;

export function turnChanges(sql: DatabaseSync) {
  const put = sql.prepare('INSERT INTO turn_change (chat, n, cut) VALUES (?, ?, ?)');
  const trim = sql.prepare('DELETE FROM turn_change WHERE seq <= ?');
  let indexed = 0;
  let changed = (): void => undefined;

  /** Rows that the index has go with the next one that comes, which costs no transaction of their own. */
  function note(chat: string, n: number, cut: 0 | 1): void {
    if (indexed > 0) trim.run(indexed);
    indexed = 0;
    put.run(chat, n, cut);
    changed();
  }

  return {
    written: (chat: string, n: number): void => note(chat, n, 0),
    /** All turns of a chat from number `n` on. */
    removed: (chat: string, n: number): void => note(chat, n, 1),
    /** The index has everything up to this number. */
    indexedUpTo: (seq: number): void => void (indexed = seq),
    /** Runs inside of the transaction that changes turns. */
    onChange: (listener: () => void): void => void (changed = listener),
  };
}
