import { readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, RequestError, type SessionUpdate } from '@agentclientprotocol/sdk';

/**
 * An agent on the SDK that keeps its conversations in a file: `{"<id>":{"cwd":…,"title":…,"updatedAt":…,"updates":[…]}}`. It lists one
 * of them at a time. A prompt is answered with the ID of its conversation, and how much is attached. With `--keeps-all` it deletes none.
 * It marks the conversations that the client closes. With `--forks` it copies conversations.
 */
interface Kept {
  readonly cwd: string;
  readonly title?: string;
  readonly updatedAt?: string;
  readonly updates: readonly SessionUpdate[];
  readonly isClosed?: true;
}
const [file = '', flag] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, Kept>;
const write = (all: Record<string, Kept>) => writeFileSync(file, JSON.stringify(all));
/** Not yet in the stable protocol. */
const forkParams = { parse: (params: unknown) => params as { readonly sessionId: string } };

agent({ name: 'keeper' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: {
        list: {},
        close: {},
        ...(flag !== '--keeps-all' && { delete: {} }),
        ...(flag === '--forks' && { fork: {} }),
      },
    },
  }))
  .onRequest(methods.agent.session.new, ({ params: { cwd } }) => {
    const all = read();
    const sessionId = `new-${Object.keys(all).length}`;
    write({ ...all, [sessionId]: { cwd, updates: [] } });
    return { sessionId };
  })
  .onRequest('session/fork', forkParams, ({ params: { sessionId: from } }) => {
    const all = read();
    const source = all[from];
    if (!source) throw new RequestError(-32002, 'Session not found');
    const sessionId = `copy of ${from}`;
    write({ ...all, [sessionId]: source });
    return { sessionId };
  })
  .onRequest(methods.agent.session.close, ({ params: { sessionId } }) => {
    const all = read();
    const closed = all[sessionId];
    if (closed) write({ ...all, [sessionId]: { ...closed, isClosed: true } });
    return {};
  })
  .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) => {
    const found = Object.entries(read()).filter(([, it]) => cwd == null || it.cwd === cwd);
    const at = Number(cursor ?? 0);
    const sessions = found
      .slice(at, at + 1)
      .map(([sessionId, { updates: _updates, ...about }]) => ({ sessionId, ...about }));
    return { sessions, ...(at + 1 < found.length && { nextCursor: String(at + 1) }) };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId, cwd }, client }) => {
    const kept = read()[sessionId];
    if (kept?.cwd !== cwd) throw new RequestError(-32002, 'Session not found');
    for (const update of kept.updates) await client.notify(methods.client.session.update, { sessionId, update });
    return {};
  })
  .onRequest(methods.agent.session.delete, ({ params: { sessionId } }) => {
    const { [sessionId]: _gone, ...others } = read();
    write(others);
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => undefined)
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const attached = prompt.length > 1 ? `, with ${prompt.length - 1} more` : '';
    const update = {
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text: `In ${sessionId}${attached}` },
    } as const;
    await client.notify(methods.client.session.update, { sessionId, update });
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );
