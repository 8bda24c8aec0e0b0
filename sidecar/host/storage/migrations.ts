/**
 * The steps from an empty file to the newest layout; `user_version` counts those that were taken. A step is never
 * changed once it was released: a new layout is a new entry at the end.
 *
 * - `chat_head` holds a chat without its turns, as it was before its running turn began.
 * - `turn` holds finished turns, `n` from 0 on without gaps.
 * - `op` holds the envelopes of the running turn only; they go in the transaction that inserts the finished turn.
 * - `turn_change` holds which turns were written (`cut` 0) or went, from `n` on (`cut` 1), until the index of transcripts has it.
 *   `identity` tells that index whose turns it has.
 * - `attached_chat` holds what was said in the chats that a waiting message attaches, as it was when it was accepted.
 * - `restored` holds what a restore of a chat needs to be taken back, and `cut_turn` the turns that it cut off, until the next
 *   turn of the chat begins.
 * - `spending` holds the number and the total cost of calls to models, by account and day; `day` is empty for all days.
 * - `conversation` holds the conversations of agents that have no storage, by chat and resume ID.
 * - `decision` holds what was decided about calls of agents, in the order in which it was.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) WITHOUT ROWID, STRICT;
   CREATE TABLE session (
     uri TEXT PRIMARY KEY, body TEXT NOT NULL, summary TEXT NOT NULL, created_at TEXT NOT NULL, modified_at TEXT NOT NULL,
     listed INTEGER NOT NULL, busy INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX session_by_time ON session (modified_at DESC, uri DESC) WHERE listed = 1;
   CREATE INDEX session_busy ON session (uri) WHERE busy = 1;
   CREATE INDEX session_unlisted ON session (created_at) WHERE listed = 0;
   CREATE TABLE chat_head (uri TEXT PRIMARY KEY, session TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE INDEX chat_by_session ON chat_head (session);
   CREATE TABLE turn (chat TEXT NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (chat, n)) STRICT;
   CREATE UNIQUE INDEX turn_by_id ON turn (chat, id);
   CREATE TABLE op (chat TEXT NOT NULL, seq INTEGER NOT NULL, envelope TEXT NOT NULL, PRIMARY KEY (chat, seq)) STRICT;
   CREATE TABLE changeset (uri TEXT PRIMARY KEY, session TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE INDEX changeset_by_session ON changeset (session);
   CREATE TABLE changeset_file (
     changeset TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (changeset, id)
   ) WITHOUT ROWID, STRICT;
   CREATE TABLE dispatch (
     id INTEGER PRIMARY KEY, client_id TEXT NOT NULL, client_seq INTEGER NOT NULL, server_seq INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE rule (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
   CREATE TABLE resume (chat TEXT PRIMARY KEY, resume_id TEXT NOT NULL) STRICT;
   CREATE TABLE content (session TEXT NOT NULL, sha TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (session, sha)) WITHOUT ROWID, STRICT;
   CREATE INDEX content_by_sha ON content (sha);`,
  `CREATE TABLE annotation (
     session TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, id)
   ) WITHOUT ROWID, STRICT;`,
  `CREATE TABLE attached_chat (
     chat TEXT NOT NULL, message TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (chat, message, at)
   ) STRICT;`,
  `CREATE TABLE turn_change (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, n INTEGER NOT NULL, cut INTEGER NOT NULL
   ) STRICT;
   INSERT INTO meta (key, value) VALUES ('identity', lower(hex(randomblob(16))));`,
  `CREATE TABLE restored (chat TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
   CREATE TABLE cut_turn (chat TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (chat, n)) STRICT;`,
  'CREATE INDEX changeset_file_by_id ON changeset_file (id);',
  `CREATE TABLE decision (n INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE INDEX decision_by_session ON decision (session, n);`,
  // A summary lists its session's chats. Members that are NULL are left out.
  `UPDATE session SET summary = json_patch(summary, json_object(
     'defaultChat', body ->> '$.defaultChat',
     'chats', (SELECT json_group_array(json_patch('{}', json_object(
       'resource', value ->> '$.resource', 'title', value ->> '$.title', 'status', value -> '$.status',
       'origin', value -> '$.origin', 'interactivity', value ->> '$.interactivity'
     ))) FROM json_each(body, '$.chats'))
   )) WHERE json_valid(body) AND json_valid(summary);`,
  `CREATE TABLE spending (
     account TEXT NOT NULL, day TEXT NOT NULL, calls INTEGER NOT NULL, dollars REAL NOT NULL, PRIMARY KEY (account, day)
   ) WITHOUT ROWID, STRICT;`,
  `CREATE TABLE conversation (
     chat TEXT NOT NULL, resume_id TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (chat, resume_id, n)
   ) STRICT;`,
];
