import { DatabaseSync } from 'node:sqlite';

export interface TurnChange {
  readonly seq: number;
  readonly chat: string;
  readonly n: number;
  /** The turns from `n` on went. */
  readonly isCut: boolean;
}

export type HostTurns = ReturnType<typeof openHostTurns>;

/** The host's database as the index reads it: each read is over at once, so that the host's log can be written back. */
export function openHostTurns(file: string) {
  const sql = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  const identity = sql.prepare("SELECT value FROM meta WHERE key = 'identity'");
  const newestChange = sql.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'turn_change'");
  const changes = sql.prepare('SELECT seq, chat, n, cut FROM turn_change WHERE seq > ? ORDER BY seq LIMIT ?');
  const newestTurn = sql.prepare('SELECT max(rowid) AS rowid FROM turn');
  const older = sql.prepare('SELECT rowid, chat, n FROM turn WHERE rowid < ? ORDER BY rowid DESC LIMIT ?');
  const turn = sql.prepare('SELECT id, body FROM turn WHERE chat = ? AND n = ?');
  const session = sql.prepare(
    `SELECT session.uri, json_extract(session.summary, '$.title') AS title FROM chat_head
     JOIN session ON session.uri = chat_head.session WHERE chat_head.uri = ?`,
  );
  return {
    identity: (): string => String(identity.get()?.['value']),
    /** The number of the last change that was ever noted. */
    newestChange: (): number => Number(newestChange.get()?.['seq'] ?? 0),
    changesAfter: (seq: number, limit: number): TurnChange[] =>
      changes.all(seq, limit).map((it) => ({
        seq: Number(it['seq']),
        chat: String(it['chat']),
        n: Number(it['n']),
        isCut: it['cut'] === 1,
      })),
    newestTurn: (): number => Number(newestTurn.get()?.['rowid'] ?? 0),
    turnsBefore: (rowid: number, limit: number) =>
      older
        .all(rowid, limit)
        .map((it) => ({ rowid: Number(it['rowid']), chat: String(it['chat']), n: Number(it['n']) })),
    turn(chat: string, n: number): { readonly id: string; readonly body: string } | undefined {
      const row = turn.get(chat, n);
      return row && { id: String(row['id']), body: String(row['body']) };
    },
    /** Of a chat that is there. */
    session(chat: string): { readonly session: string; readonly title: string } | undefined {
      const row = session.get(chat);
      return row && { session: String(row['uri']), title: String(row['title']) };
    },
    close: () => sql.close(),
  };
}
