import type { StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import type { Freshness } from '../aggregation/mergedLists.ts';
import type { VisibleServer } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';

/** How a client comes in and finds out what is here: free, so that one that is at its limits gets an answer and is not cut off. */
const handshake: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

/**
 * Answers a request within the budgets and limits of its caller. The request costs nothing itself; a budget that is
 * used up refuses it all the same. Tool calls have a price and check their limits themselves.
 *
 * @throws {Fault} `budget_exceeded`, `rate_limited`
 */
export function withinLimits(mcp: McpRequest, act: () => Promise<Reply>): Promise<Reply> {
  const { method } = mcp.request;
  return method === 'tools/call' || handshake.has(method) ? act() : admitted(mcp, act);
}

async function admitted(mcp: McpRequest, act: () => Promise<Reply>): Promise<Reply> {
  const { method } = mcp.request;
  const settle = await admitRequest(mcp);
  let reply: Reply;
  try {
    reply = await act();
  } catch (thrown) {
    settle();
    throw thrown;
  }
  // A subscription only listens and is no call under way: it takes no place among the parallel ones.
  if (reply.kind === 'stream' && method !== 'subscriptions/listen')
    return { kind: 'stream', events: settledAtEnd(reply.events, settle) };
  settle();
  return reply;
}

/** @returns to be called when the request is over @throws {Fault} `budget_exceeded`, `rate_limited` */
export async function admitRequest({ deps, context, scope }: McpRequest): Promise<() => void> {
  const [only] = scope.kind === 'single' ? scope.servers : [];
  const admission = await deps.admit(context, { cost: 0, ...(only && { server_id: only.server.server_id }) });
  return () => admission.settle(0);
}

/**
 * One of several servers is asked on behalf of a request that was admitted: only what counts by server is left to see.
 *
 * @param freshness hears of a server that counts or is guarded, also if it refuses @throws {Fault} `rate_limited`
 */
export async function admitPart(
  { deps, context }: Pick<McpRequest, 'deps' | 'context'>,
  { server }: VisibleServer,
  freshness?: Freshness,
): Promise<void> {
  let isCounted = true;
  try {
    const admission = await deps.admit(context, { cost: 0, server_id: server.server_id, isPart: true });
    admission.settle(0);
    isCounted = admission.isCounted !== false;
  } finally {
    if (freshness && (isCounted || deps.guards({ context, server }))) freshness.once();
  }
}

async function* settledAtEnd(events: AsyncIterable<StreamEvent>, settle: () => void): AsyncGenerator<StreamEvent> {
  try {
    yield* events;
  } finally {
    settle();
  }
}
