import type { DatabaseSync } from 'node:sqlite';
import type { TurnChanges } from './turnChanges.ts';

/** A finished turn on disk: `n` counts from 0 in its chat, `body` is JSON text. */
export interface TurnRow {
  readonly n: number;
  readonly body: string;
}

export type ChatRows = ReturnType<typeof chatRows>;

export function chatRows(sql: DatabaseSync, turns: TurnChanges) {
  const head = sql.prepare('SELECT session, body FROM chat_head WHERE uri = ?');
  const putHead = sql.prepare(
    'INSERT INTO chat_head (uri, session, body) VALUES (?, ?, ?) ON CONFLICT (uri) DO UPDATE SET body = excluded.body',
  );
  const ofSession = sql.prepare('SELECT uri FROM chat_head WHERE session = ? ORDER BY rowid');
  const insertTurn = sql.prepare('INSERT INTO turn (chat, n, id, body) VALUES (?, ?, ?, ?)');
  const deleteFrom = sql.prepare('DELETE FROM turn WHERE chat = ? AND n >= ?');
  const before = sql.prepare('SELECT n, body FROM turn WHERE chat = ? AND n < ? ORDER BY n DESC LIMIT ?');
  const numberOf = sql.prepare('SELECT n FROM turn WHERE chat = ? AND id = ?');
  const appendOp = sql.prepare('INSERT INTO op (chat, seq, envelope) VALUES (?, ?, ?)');
  const clearOps = sql.prepare('DELETE FROM op WHERE chat = ?');
  const ops = sql.prepare('SELECT envelope FROM op WHERE chat = ? ORDER BY seq');
  const running = sql.prepare('SELECT DISTINCT chat FROM op');
  const attached = sql.prepare('SELECT at, body FROM attached_chat WHERE chat = ? AND message = ?');
  const attaching = sql.prepare('SELECT DISTINCT message FROM attached_chat WHERE chat = ?');
  const putAttached = sql.prepare('INSERT INTO attached_chat (chat, message, at, body) VALUES (?, ?, ?, ?)');
  const removeAttached = sql.prepare('DELETE FROM attached_chat WHERE chat = ? AND message = ?');
  const removals = [
    'DELETE FROM chat_head WHERE uri = ?',
    'DELETE FROM turn WHERE chat = ?',
    'DELETE FROM op WHERE chat = ?',
    'DELETE FROM resume WHERE chat = ?',
    'DELETE FROM attached_chat WHERE chat = ?',
    'DELETE FROM restored WHERE chat = ?',
    'DELETE FROM cut_turn WHERE chat = ?',
    'DELETE FROM conversation WHERE chat = ?',
  ].map((it) => sql.prepare(it));

  return {
    head(uri: string): { session: string; body: string } | undefined {
      const row = head.get(uri);
      return row && { session: String(row['session']), body: String(row['body']) };
    },
    putHead: (uri: string, session: string, body: string): void => void putHead.run(uri, session, body),
    ofSession: (session: string): string[] => ofSession.all(session).map((it) => String(it['uri'])),
    remove(uri: string): void {
      for (const it of removals) it.run(uri);
      turns.removed(uri, 0);
    },
    insertTurn(chat: string, n: number, id: string, body: string): void {
      insertTurn.run(chat, n, id, body);
      turns.written(chat, n);
    },
    deleteTurnsFrom(chat: string, n: number): void {
      deleteFrom.run(chat, n);
      turns.removed(chat, n);
    },
    /** At most `limit` turns before number `n`, oldest first. */
    turnsBefore(chat: string, n: number, limit: number): TurnRow[] {
      return before
        .all(chat, n, limit)
        .map((it) => ({ n: Number(it['n']), body: String(it['body']) }))
        .reverse();
    },
    numberOfTurn(chat: string, id: string): number | undefined {
      const row = numberOf.get(chat, id);
      return row && Number(row['n']);
    },
    appendOp: (chat: string, seq: number, envelope: string): void => void appendOp.run(chat, seq, envelope),
    clearOps: (chat: string): void => void clearOps.run(chat),
    ops: (chat: string): string[] => ops.all(chat).map((it) => String(it['envelope'])),
    /** What a message attaches of other chats, by the place of each attachment. */
    attached: (chat: string, message: string): ReadonlyMap<number, string> =>
      new Map(attached.all(chat, message).map((it) => [Number(it['at']), String(it['body'])])),
    /** The messages of a chat for which something is kept. */
    attaching: (chat: string): string[] => attaching.all(chat).map((it) => String(it['message'])),
    putAttached(chat: string, message: string, texts: ReadonlyMap<number, string>): void {
      removeAttached.run(chat, message);
      for (const [at, body] of texts) putAttached.run(chat, message, at, body);
    },
    removeAttached: (chat: string, message: string): void => void removeAttached.run(chat, message),
    /** Chats whose turn ran when the rows were written. */
    running: (): string[] => running.all().map((it) => String(it['chat'])),
  };
}
