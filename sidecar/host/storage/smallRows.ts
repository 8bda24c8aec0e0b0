import type { DatabaseSync } from 'node:sqlite';

export type SmallRows = ReturnType<typeof smallRows>;

/** The tables of a few columns: counters, granted rules, conversations to resume, references to stored content. */
export function smallRows(sql: DatabaseSync) {
  const getMeta = sql.prepare('SELECT value FROM meta WHERE key = ?');
  const putMeta = sql.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const rules = sql.prepare('SELECT body FROM rule ORDER BY rowid');
  const putRule = sql.prepare(
    'INSERT INTO rule (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
  );
  const removeRule = sql.prepare('DELETE FROM rule WHERE id = ?');
  const resume = sql.prepare('SELECT resume_id FROM resume WHERE chat = ?');
  const putResume = sql.prepare(
    'INSERT INTO resume (chat, resume_id) VALUES (?, ?) ON CONFLICT (chat) DO UPDATE SET resume_id = excluded.resume_id',
  );
  const resumeIds = sql.prepare('SELECT resume_id FROM resume');
  const removeResume = sql.prepare('DELETE FROM resume WHERE chat = ?');
  const putContent = sql.prepare('INSERT INTO content (session, sha, size) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const contentOf = sql.prepare('SELECT sha, size FROM content WHERE session = ?');
  const forget = sql.prepare('DELETE FROM content WHERE session = ?');
  const size = sql.prepare('SELECT size FROM content WHERE sha = ? LIMIT 1');
  const users = sql.prepare('SELECT count(*) AS n FROM content WHERE sha = ?');

  return {
    number: (key: string): number => Number(getMeta.get(key)?.['value'] ?? 0),
    putNumber: (key: string, value: number): void => void putMeta.run(key, value),
    text(key: string): string | undefined {
      const row = getMeta.get(key);
      return row && String(row['value']);
    },
    putText: (key: string, value: string): void => void putMeta.run(key, value),
    /** JSON text of each rule, oldest first. */
    rules: (): string[] => rules.all().map((it) => String(it['body'])),
    putRule: (id: string, body: string): void => void putRule.run(id, body),
    removeRule: (id: string): boolean => removeRule.run(id).changes > 0,
    resumeId(chat: string): string | undefined {
      const row = resume.get(chat);
      return row && String(row['resume_id']);
    },
    /** Of all chats. */
    resumeIds: (): string[] => resumeIds.all().map((it) => String(it['resume_id'])),
    removeResumeId: (chat: string): void => void removeResume.run(chat),
    putResumeId: (chat: string, resumeId: string): void => void putResume.run(chat, resumeId),
    /** Notes that `session` refers to the content with this SHA-256 (hex). */
    rememberContent: (session: string, sha: string, size: number): void => void putContent.run(session, sha, size),
    contentOf: (session: string): { sha: string; size: number }[] =>
      contentOf.all(session).map((it) => ({ sha: String(it['sha']), size: Number(it['size']) })),
    /** `undefined` where nobody refers to it. */
    sizeOfContent(sha: string): number | undefined {
      const row = size.get(sha);
      return row && Number(row['size']);
    },
    usesContent: (sha: string): boolean => Number(users.get(sha)?.['n']) > 0,
    /** Drops the references of a session and answers what nobody refers to any more. */
    forgetContent(session: string): string[] {
      const shas = contentOf.all(session).map((it) => String(it['sha']));
      forget.run(session);
      return shas.filter((sha) => Number(users.get(sha)?.['n']) === 0);
    },
  };
}
