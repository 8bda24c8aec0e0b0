import type { HttpRequest } from '../../platform/httpMessages.ts';
import type { RpcRequest } from '../../protocol/gateway/mcpWire.ts';
import type { McpRoute } from './address.ts';
import type { Scope } from './aggregation/scope.ts';
import type { McpContext, McpDeps } from './mcpDeps.ts';
import type { McpRequest } from './mcpRequest.ts';
import type { KeptCalls } from './session/keptCalls.ts';
import type { McpState } from './session/mcpState.ts';
import type { Session, Sessions } from './session/sessions.ts';

/** What every transport of the MCP surface is given. */
export interface FrontDeps {
  readonly deps: McpDeps;
  readonly sessions: Sessions;
  readonly state: McpState;
  readonly kept: KeptCalls;
}

/** One HTTP request with its caller, its route and the servers that it is about. */
export interface RequestContext extends FrontDeps {
  readonly request: HttpRequest;
  readonly context: McpContext;
  readonly route: McpRoute;
  readonly scope: Scope;
}

/** A request of a client: known to its session as under way, with its record begun. */
export function mcpRequestOf(
  {
    deps,
    context,
    scope,
    request,
    route,
  }: Pick<RequestContext, 'deps' | 'context' | 'scope' | 'request'> & { route: { template: string } },
  message: RpcRequest,
  more: { era: McpRequest['era']; session: Session | undefined; controller: AbortController },
): McpRequest {
  const { era, session, controller } = more;
  session?.inflight.set(message.id, controller);
  const record = deps.record(context, {
    endpoint: route.template,
    call_type: `mcp:${message.method}`,
    model: `MCP: ${message.method}`,
  });
  // A session that the caller names groups calls of several surfaces; the one of the protocol is our own.
  if (session && context.caller.sessionId === undefined) record.note({ session_id: session.id });
  const { signal } = controller;
  if (signal !== context.signal) {
    context.signal.addEventListener('abort', () => controller.abort(), { once: true });
    if (context.signal.aborted) controller.abort();
  }
  return {
    deps,
    context,
    scope,
    era,
    session,
    request: message,
    headers: request.headers,
    signal,
    record,
    outcome: {},
    ways: [],
  };
}

/** For work that no request of a client began: it leaves no record. */
export function unrecordedRequest({ deps, context, scope, request }: RequestContext, session: Session): McpRequest {
  const record = { note: () => undefined, finish: () => undefined };
  const message: RpcRequest = { jsonrpc: '2.0', id: 'sb-listen', method: 'listen' };
  return {
    deps,
    context,
    scope,
    era: 'legacy',
    session,
    request: message,
    headers: request.headers,
    signal: context.signal,
    record,
    outcome: {},
    ways: [],
  };
}
