import type { DatabaseSync } from 'node:sqlite';

export type ConversationRows = ReturnType<typeof conversationRows>;

/** The conversations of agents that have no storage: their entries, by chat and resume ID. */
export function conversationRows(sql: DatabaseSync) {
  const all = sql.prepare('SELECT body FROM conversation WHERE chat = ? AND resume_id = ? ORDER BY n');
  const append = sql.prepare(
    `INSERT INTO conversation (chat, resume_id, n, body)
     VALUES (?1, ?2, (SELECT coalesce(max(n), -1) + 1 FROM conversation WHERE chat = ?1 AND resume_id = ?2), ?3)`,
  );
  const clear = sql.prepare('DELETE FROM conversation WHERE chat = ? AND resume_id = ?');
  const removeOthers = sql.prepare('DELETE FROM conversation WHERE chat = ? AND resume_id <> ?');
  return {
    /** Oldest first. */
    all: (chat: string, resumeId: string): string[] => all.all(chat, resumeId).map((it) => String(it['body'])),
    append: (chat: string, resumeId: string, body: string): void => void append.run(chat, resumeId, body),
    /** Replaces all entries. */
    replace(chat: string, resumeId: string, bodies: readonly string[]): void {
      clear.run(chat, resumeId);
      for (const body of bodies) append.run(chat, resumeId, body);
    },
    removeOthers: (chat: string, resumeId: string): void => void removeOthers.run(chat, resumeId),
  };
}
