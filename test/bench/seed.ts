import { randomUUID } from 'node:crypto';
import { operationsFor } from '../../sidecar/host/changes/ledger/undone.ts';
import { openStorage } from '../../sidecar/host/storage/hostStorage.ts';
import { parseSessionUri, sessionUri, turnChangesetUri } from '../../sidecar/protocol/uris.ts';

/** Opens the rows of a host that does not run. */
async function withStorage(dataDir: string, work: (storage: ReturnType<typeof openStorage>) => void): Promise<void> {
  const storage = openStorage({
    dataDir,
    now: '2026-01-01T00:00:00.000Z',
    onDamage: () => undefined,
    warn: (message) => process.stderr.write(`${message}\n`),
  });
  storage.transaction(() => work(storage));
  await storage.close();
}

/**
 * Puts finished turns of `bytes` each behind the turns of a chat: words of the agent, or the output of a tool. Each has a
 * changeset, as every turn that was played.
 */
export function seedTurns(
  dataDir: string,
  chat: string,
  count: number,
  bytes: number,
  what: 'words' | 'output' = 'words',
): Promise<void> {
  const changeset = JSON.stringify({ status: 'ready', operations: operationsFor([], [], false, false) });
  return withStorage(dataDir, ({ chats, changesets }) => {
    const session = chats.head(chat)?.session ?? '';
    const uuid = parseSessionUri(session) ?? '';
    const from = (chats.turnsBefore(chat, Number.MAX_SAFE_INTEGER, 1)[0]?.n ?? -1) + 1;
    for (let n = from; n < from + count; n += 1) {
      const id = randomUUID();
      const turn = {
        id,
        startedAt: '2026-01-01T00:00:00.000Z',
        duration: 1_000,
        message: { text: `question ${n}`, origin: { kind: 'user' } },
        responseParts: [what === 'words' ? wordsOf(id, bytes) : outputOf(id, bytes)],
        state: 'complete',
      };
      chats.insertTurn(chat, n, id, JSON.stringify(turn));
      changesets.put(turnChangesetUri(uuid, id), session, changeset);
    }
  });
}

const wordsOf = (id: string, bytes: number) =>
  ({ kind: 'markdown', id: `${id}-1`, content: 'An answer of many words. '.repeat(bytes / 25) }) as const;

const outputOf = (id: string, bytes: number) =>
  ({
    kind: 'toolCall',
    toolCall: {
      toolCallId: `${id}-1`,
      toolName: 'shell',
      displayName: 'Run',
      invocationMessage: 'Running the tests',
      toolInput: 'npm test',
      confirmed: 'user-action',
      status: 'completed',
      success: true,
      pastTenseMessage: 'Ran the tests',
      content: [{ type: 'text', text: 'a line of the output...\n'.repeat(bytes / 24) }],
    },
  }) as const;

/** Copies a session that is there, so that `count` are listed. */
export function seedSessions(dataDir: string, session: string, count: number): Promise<void> {
  return withStorage(dataDir, ({ sessions }) => {
    const row = sessions.get(session);
    if (!row) throw new Error('there is no session to copy');
    const uuid = session.slice(sessionUri('').length);
    for (let n = 1; n < count; n += 1) {
      const copy = randomUUID();
      const at = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
      sessions.put({
        uri: sessionUri(copy),
        body: row.body.replaceAll(uuid, copy),
        summary: row.summary.replaceAll(uuid, copy),
        createdAt: at,
        modifiedAt: at,
        listed: true,
        busy: false,
      });
    }
  });
}
