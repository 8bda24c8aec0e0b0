import type { Item } from '../backends/mcp/listAll.ts';
import type { Probe } from '../backends/mcp/resilience/circuit.ts';
import type { StreamEvent } from '../backends/mcp/streamEvent.ts';
import type { Reply } from '../backends/mcp/types.ts';
import { type McpDeps, type McpServer, nameOf, type VisibleServer } from './mcpDeps.ts';
import type { Sending } from './mcpRequest.ts';

/** Requests that a server may get twice: they only read, or have the same effect each time. */
const repeatableMethods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'logging/setLevel',
]);

/** Whether a server has retries or a circuit breaker. */
export const isResilient = ({ retry, circuit_breaker: breaker }: McpServer): boolean =>
  Boolean(retry?.attempts || breaker?.failures || breaker?.failure_percent);

interface Asked {
  readonly deps: Pick<McpDeps, 'resilience'>;
  /** Read only if the server is asked. */
  readonly signal: AbortSignal;
}

/** Asks a server for something that it may be asked twice, within its retries and its circuit. */
export async function askResiliently<T>(
  asked: Asked,
  { server }: Pick<VisibleServer, 'server'>,
  ask: () => Promise<T>,
): Promise<T> {
  if (!isResilient(server)) return ask();
  const resilience = await asked.deps.resilience.open();
  const asking = {
    name: nameOf(server),
    isRepeatable: true,
    get signal() {
      return asked.signal;
    },
  };
  return resilience.run(server, asking, ask);
}

/** A server listed tools: which of them may be called twice decides which calls are repeated. */
export async function noteTools(
  { deps }: Pick<Asked, 'deps'>,
  { server }: Pick<VisibleServer, 'server'>,
  tools: readonly Item[],
): Promise<void> {
  if (server.retry?.attempts) (await deps.resilience.open()).note(server, tools);
}

/** @param sendOnce one try */
export async function sendResiliently(
  { deps, signal }: Asked,
  { server }: VisibleServer,
  { request, tool, isOpenEnded }: Sending,
  sendOnce: () => Promise<Reply>,
): Promise<Reply> {
  const resilience = await deps.resilience.open();
  const isRepeatable = tool === undefined ? repeatableMethods.has(request.method) : resilience.mayRepeat(server, tool);
  const asking = { name: nameOf(server), isRepeatable, signal, hasFailed: isServerError };
  return resilience.run(server, asking, async (later): Promise<Reply> => {
    const reply = await sendOnce();
    if (reply.kind === 'message' || isOpenEnded) return reply;
    const probe = later();
    // A caller who leaves says nothing of the server, and may have left before anybody read the stream.
    signal.addEventListener('abort', () => probe('abandoned'), { once: true });
    if (signal.aborted) probe('abandoned');
    const events = reply.events[Symbol.asyncIterator]();
    // Many servers answer every request with a stream, and fail in it. Nothing was passed on before the first event.
    const first = isRepeatable ? await events.next() : undefined;
    return { kind: 'stream', events: watched(first, events, probe) };
  });
}

/** An answer of the protocol under a status that says that the server, or what is behind it, is not well. */
const isServerError = (reply: Reply): boolean =>
  reply.kind === 'message' && (reply.status >= 500 || reply.isServerError === true);

/** Tells of the end of a stream: with an answer, or without. */
async function* watched(
  first: IteratorResult<StreamEvent> | undefined,
  events: AsyncIterator<StreamEvent>,
  probe: Probe,
): AsyncGenerator<StreamEvent> {
  try {
    for (let next = first ?? (await events.next()); !next.done; next = await events.next()) {
      if (next.value.message?.kind === 'response') probe('reached');
      yield next.value;
    }
    probe('reached');
  } catch (thrown) {
    probe('failed');
    throw thrown;
  } finally {
    probe('abandoned');
    await events.return?.();
  }
}
