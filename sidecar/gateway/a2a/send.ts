import { type CallContent, hideHeaders } from '../auth/callContent.ts';
import type { CallContext } from '../auth/caller.ts';
import { isHeaderValue } from '../backends/headerNames.ts';
import type { BackendResponse } from '../backends/net/exchange.ts';
import type { A2aDeps, FoundAgent } from './a2aDeps.ts';

/** Headers of A2A that pass both ways. Before A2A 1.0 the second one began with `x-`. */
const protocolHeaders = ['a2a-version', 'a2a-extensions', 'x-a2a-extensions'] as const;

export interface Sending {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly accept: string;
  readonly body?: string;
  /** The media type of the body. */
  readonly type?: string;
  readonly isLongLived?: boolean;
}

/**
 * Sends to an agent under its registration, without the key and the end user of the caller
 * (`gateway.trace.key-not-forwarded`, `gateway.trace.end-user-not-forwarded`). @throws {Fault}
 */
export async function sendToAgent(
  deps: A2aDeps,
  context: CallContext,
  { agent }: FoundAgent,
  { accept, body, type, ...sending }: Sending,
  signal: AbortSignal,
  content?: CallContent,
): Promise<BackendResponse> {
  const { traceId } = context.caller;
  const outbound = await deps.outbound(agent, context, {
    'X-Gateway-Trace-Id': traceId !== undefined && mayLeave(traceId, context) ? traceId : context.requestId,
    'X-Gateway-Agent-Id': agent.agent_id,
  });
  if (content) hideHeaders(content, outbound.ownHeaders?.() ?? {});
  const headers: Record<string, string> = { accept };
  if (type !== undefined) headers['content-type'] = type;
  for (const name of protocolHeaders) {
    const value = context.headers.get(name);
    if (value !== undefined && mayLeave(value, context)) headers[name] = value;
  }
  return waited(context, outbound.send({ ...sending, headers, ...(body !== undefined && { body }) }, signal));
}

/** For something that an agent is waited for. */
export const waited = <T>({ progress }: CallContext, work: Promise<T>): Promise<T> => progress.during(work);

const mayLeave = (value: string, { holdsKey }: CallContext) => isHeaderValue(value) && !holdsKey(value);

/** What of an agent's headers the caller gets to see. */
export function passedBack({ headers }: BackendResponse): Record<string, string> {
  const found = protocolHeaders.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    found.filter((it): it is readonly [(typeof protocolHeaders)[number], string] => typeof it[1] === 'string'),
  );
}

export function contentType({ headers }: BackendResponse): string {
  const type = headers['content-type'];
  return (typeof type === 'string' ? type : '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The media type of JSON from an agent: that of A2A 1.0 over HTTP+JSON, or the general one. */
export const jsonType = (response: BackendResponse): string =>
  contentType(response) === 'application/a2a+json' ? 'application/a2a+json' : 'application/json';
