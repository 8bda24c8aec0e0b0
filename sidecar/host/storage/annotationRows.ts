import type { DatabaseSync } from 'node:sqlite';

export type AnnotationRows = ReturnType<typeof annotationRows>;

/** Remarks by their session, one row each with all that was said to it. */
export function annotationRows(sql: DatabaseSync) {
  const all = sql.prepare('SELECT body FROM annotation WHERE session = ? ORDER BY n');
  const put = sql.prepare(
    'INSERT INTO annotation (session, id, n, body) VALUES (?, ?, ?, ?) ON CONFLICT (session, id) DO UPDATE SET n = excluded.n, body = excluded.body',
  );
  const remove = sql.prepare('DELETE FROM annotation WHERE session = ? AND id = ?');
  const removeAll = sql.prepare('DELETE FROM annotation WHERE session = ?');

  return {
    /** JSON texts, oldest first. */
    ofSession: (session: string): string[] => all.all(session).map((it) => String(it['body'])),
    put: (session: string, id: string, n: number, body: string): void => void put.run(session, id, n, body),
    remove: (session: string, id: string): void => void remove.run(session, id),
    removeAll: (session: string): void => void removeAll.run(session),
  };
}
