import type { DatabaseSync } from 'node:sqlite';

export type RestoreRows = ReturnType<typeof restoreRows>;

/** What a restore of a chat needs to be taken back: `body` is JSON text, as are the turns that it cut off. */
export function restoreRows(sql: DatabaseSync) {
  const get = sql.prepare('SELECT body FROM restored WHERE chat = ?');
  const put = sql.prepare(
    'INSERT INTO restored (chat, body) VALUES (?, ?) ON CONFLICT (chat) DO UPDATE SET body = excluded.body',
  );
  const cut = sql.prepare('SELECT body FROM cut_turn WHERE chat = ? ORDER BY n');
  const putCut = sql.prepare('INSERT INTO cut_turn (chat, n, body) VALUES (?, ?, ?)');
  const removals = ['DELETE FROM restored WHERE chat = ?', 'DELETE FROM cut_turn WHERE chat = ?'].map((it) =>
    sql.prepare(it),
  );
  return {
    body(chat: string): string | undefined {
      const row = get.get(chat);
      return row && String(row['body']);
    },
    /** Oldest first. */
    turns: (chat: string): string[] => cut.all(chat).map((it) => String(it['body'])),
    put: (chat: string, body: string): void => void put.run(chat, body),
    putTurns(chat: string, turns: readonly string[]): void {
      removals[1]?.run(chat);
      for (const [n, body] of turns.entries()) putCut.run(chat, n, body);
    },
    remove(chat: string): void {
      for (const it of removals) it.run(chat);
    },
  };
}
