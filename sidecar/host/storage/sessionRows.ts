import type { DatabaseSync } from 'node:sqlite';

/** One session on disk. `body` and `summary` are JSON text; times are RFC 3339, UTC. */
export interface SessionRow {
  readonly uri: string;
  readonly body: string;
  readonly summary: string;
  readonly createdAt: string;
  readonly modifiedAt: string;
  /** In the list of sessions: from its first turn on. */
  readonly listed: boolean;
  /** Something ran or was asked when the row was written: looked at again after a restart. */
  readonly busy: boolean;
}
export interface ListPosition {
  readonly modifiedAt: string;
  readonly uri: string;
}

export type SessionRows = ReturnType<typeof sessionRows>;

export function sessionRows(sql: DatabaseSync) {
  const get = sql.prepare('SELECT body, summary, created_at, listed FROM session WHERE uri = ?');
  const put = sql.prepare(
    `INSERT INTO session (uri, body, summary, created_at, modified_at, listed, busy) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (uri) DO UPDATE SET body = excluded.body, summary = excluded.summary,
       modified_at = excluded.modified_at, listed = excluded.listed, busy = excluded.busy`,
  );
  const remove = sql.prepare('DELETE FROM session WHERE uri = ?');
  const folders = sql.prepare(
    "SELECT DISTINCT folder.value AS uri FROM session, json_each(session.summary, '$.workingDirectories') AS folder",
  );
  const inTrees = sql.prepare(
    `SELECT session.uri AS session, folder.value AS folder, json_extract(summary, '$.title') AS title
       FROM session, json_each(session.summary, '$.workingDirectories') AS folder
       WHERE folder.value LIKE '%.worktrees/%' ORDER BY session.created_at`,
  );
  const count = sql.prepare('SELECT count(*) AS n FROM session WHERE listed = 1');
  const busy = sql.prepare('SELECT uri FROM session WHERE busy = 1');
  const unlisted = sql.prepare('SELECT uri FROM session WHERE listed = 0 AND created_at < ?');
  const columns = 'SELECT uri, modified_at, summary FROM session WHERE listed = 1';
  const first = sql.prepare(`${columns} ORDER BY modified_at DESC, uri DESC LIMIT ?`);
  const next = sql.prepare(`${columns} AND (modified_at, uri) < (?, ?) ORDER BY modified_at DESC, uri DESC LIMIT ?`);

  return {
    get(uri: string): { body: string; summary: string; createdAt: string; listed: boolean } | undefined {
      const row = get.get(uri);
      return (
        row && {
          body: String(row['body']),
          summary: String(row['summary']),
          createdAt: String(row['created_at']),
          listed: row['listed'] === 1,
        }
      );
    },
    put(row: SessionRow): void {
      put.run(row.uri, row.body, row.summary, row.createdAt, row.modifiedAt, Number(row.listed), Number(row.busy));
    },
    remove: (uri: string): void => void remove.run(uri),
    /** URIs of the folders in which sessions work, as they were named; looks at all sessions. */
    folders: (): string[] => folders.all().map((it) => String(it['uri'])),
    /** Each folder in a `<repository>.worktrees` in which a session works; looks at all sessions. */
    inTrees: (): { session: string; folder: string; title: string }[] =>
      inTrees.all().map((it) => ({
        session: String(it['session']),
        folder: String(it['folder']),
        title: String(it['title']),
      })),
    /** How many are in the list. */
    count: (): number => Number(count.get()?.['n'] ?? 0),
    busy: (): string[] => busy.all().map((it) => String(it['uri'])),
    /** Sessions without a turn that were made before `time`. */
    unlistedBefore: (time: string): string[] => unlisted.all(time).map((it) => String(it['uri'])),
    /** Newest first. `after` is the last entry of the page before; absent for the first page. */
    page(limit: number, after?: ListPosition): (ListPosition & { summary: string })[] {
      const rows = after ? next.all(after.modifiedAt, after.uri, limit) : first.all(limit);
      return rows.map((it) => ({
        uri: String(it['uri']),
        modifiedAt: String(it['modified_at']),
        summary: String(it['summary']),
      }));
    },
  };
}
