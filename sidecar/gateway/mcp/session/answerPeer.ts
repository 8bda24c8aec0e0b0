import type { McpDeps } from '../mcpDeps.ts';
import type { KeptCalls } from './keptCalls.ts';
import { PeerAsk, type SomeEvents } from './peers.ts';
import type { Sessions } from './sessions.ts';

interface AnsweringDeps {
  readonly deps: Pick<McpDeps, 'connections' | 'log'>;
  readonly sessions: Sessions;
  readonly kept: KeptCalls;
}

/** Answers what another replica asks for its client. */
export async function answerPeer({ deps, sessions, kept }: AnsweringDeps, body: unknown): Promise<unknown> {
  const ask = PeerAsk.parse(body);
  const session = sessions.opened(ask.session);
  if (ask.kind === 'events') {
    const stream = session && kept.find(session, ask.stream);
    return (stream ? await kept.someOf(stream, ask.after) : null) satisfies SomeEvents;
  }
  if (ask.kind === 'cancel') {
    session?.inflight.get(ask.requestId)?.abort();
    return {};
  }
  return { count: await deliver(deps, ask) };
}

async function deliver(
  { connections, log }: AnsweringDeps['deps'],
  { session, servers, message, headers }: PeerAsk & { kind: 'deliver' },
): Promise<number> {
  const { signal } = new AbortController();
  const open = servers.flatMap((it) => connections.ofSession(session, it));
  const sent = await Promise.allSettled(
    open.map(({ backend, outbound }) => backend.send(message, { outbound, signal, headers })),
  );
  for (const it of sent)
    if (it.status === 'rejected')
      log.warn({ thrown: it.reason }, 'A message that came to another replica could not be brought to its server.');
  return sent.filter((it) => it.status === 'fulfilled').length;
}
