import type { DatabaseSync } from 'node:sqlite';

export interface FileRow {
  readonly id: string;
  readonly n: number;
  readonly body: string;
}

export type ChangesetRows = ReturnType<typeof changesetRows>;

/** Changesets by file, so that one edit among thousands writes one row. */
export function changesetRows(sql: DatabaseSync) {
  const head = sql.prepare('SELECT session, body FROM changeset WHERE uri = ?');
  const put = sql.prepare(
    'INSERT INTO changeset (uri, session, body) VALUES (?, ?, ?) ON CONFLICT (uri) DO UPDATE SET body = excluded.body',
  );
  const files = sql.prepare('SELECT body FROM changeset_file WHERE changeset = ? ORDER BY n');
  const putFile = sql.prepare(
    'INSERT INTO changeset_file (changeset, id, n, body) VALUES (?, ?, ?, ?) ON CONFLICT (changeset, id) DO UPDATE SET n = excluded.n, body = excluded.body',
  );
  const removeFile = sql.prepare('DELETE FROM changeset_file WHERE changeset = ? AND id = ?');
  const ofFile = sql.prepare('SELECT changeset, body FROM changeset_file WHERE id = ?');
  const ofSession = sql.prepare('SELECT uri FROM changeset WHERE session = ?');
  const removals = ['DELETE FROM changeset WHERE uri = ?', 'DELETE FROM changeset_file WHERE changeset = ?'].map((it) =>
    sql.prepare(it),
  );

  return {
    head(uri: string): { session: string; body: string } | undefined {
      const row = head.get(uri);
      return row && { session: String(row['session']), body: String(row['body']) };
    },
    put: (uri: string, session: string, body: string): void => void put.run(uri, session, body),
    files: (uri: string): string[] => files.all(uri).map((it) => String(it['body'])),
    putFile: (uri: string, file: FileRow): void => void putFile.run(uri, file.id, file.n, file.body),
    removeFile: (uri: string, id: string): void => void removeFile.run(uri, id),
    /** The file with this id in all changesets: its URI, or the one that it had before it went. */
    ofFile: (id: string): { changeset: string; body: string }[] =>
      ofFile.all(id).map((it) => ({ changeset: String(it['changeset']), body: String(it['body']) })),
    ofSession: (session: string): string[] => ofSession.all(session).map((it) => String(it['uri'])),
    remove: (uri: string): void => removals.forEach((it) => void it.run(uri)),
  };
}
