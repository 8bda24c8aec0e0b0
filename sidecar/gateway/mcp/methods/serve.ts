import { Fault } from '../../../platform/faults.ts';
import { namesSecret } from '../../../platform/redact.ts';
import { mcpErrors, type RpcResponse } from '../../../protocol/gateway/mcpWire.ts';
import { hideHeaders } from '../../auth/callContent.ts';
import { BackendFailure } from '../../backends/mcp/failure.ts';
import { HandshakeRefused } from '../../backends/mcp/handshake.ts';
import { replyOf } from '../../backends/mcp/replies.ts';
import { eventOf, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { errorMessage, failureMessage, RpcRefusal } from '../answers.ts';
import { callerLeft, failedBy } from '../failed.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { GivenUp } from '../session/keptCalls.ts';
import type { McpState } from '../session/mcpState.ts';
import { metaProblem } from './metaLimits.ts';
import { answer } from './methods.ts';

/** A backend that wants the caller itself to sign in: passed on as HTTP 401, which makes clients begin to. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
  readonly serverId: string;
  /** The server's `WWW-Authenticate`. */
  readonly challenge: string | undefined;

  constructor(serverId: string, challenge: string | undefined) {
    super('sign-in required');
    this.serverId = serverId;
    this.challenge = challenge;
  }
}

/**
 * Answers a request and writes its record. Backends that fail become answers; faults of ours go on to the transport.
 *
 * @param act what answers it; the table of methods, unless a route has its own
 */
export async function serve(mcp: McpRequest, state: McpState, act = () => answer(mcp, state)): Promise<Reply> {
  try {
    checkMeta(mcp);
    const { trace, holdsKey } = mcp.context;
    trace?.continueFrom(mcp.request.params?.['_meta'], holdsKey);
    // A tool call leaves its arguments when they have been judged.
    if (hasContent(mcp) && mcp.request.method !== 'tools/call')
      mcp.record.content?.request(JSON.stringify(mcp.request.params ?? {}));
    const reply = await act();
    if (reply.kind === 'message') {
      done(mcp);
      keepAnswer(mcp, reply.message);
      conclude(mcp, reply.message);
      return reply;
    }
    return { kind: 'stream', events: concluded(mcp, reply.events) };
  } catch (thrown) {
    done(mcp);
    return caught(mcp, thrown);
  }
}

/** The request is no longer under way. */
const done = ({ session, request }: McpRequest) => void session?.inflight.delete(request.id);

function checkMeta({ request, era }: McpRequest): void {
  const problem = metaProblem(request.params);
  if (problem === undefined) return;
  throw new RpcRefusal(mcpErrors.invalidParams, `Invalid params: ${problem}`, { status: era === 'modern' ? 400 : 200 });
}

async function* concluded(mcp: McpRequest, events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent> {
  let isConcluded = false;
  let isEmpty = true;
  try {
    for await (const event of events) {
      isEmpty = false;
      if (hasContent(mcp)) keepEvent(mcp, event);
      const read = event.message;
      if (read?.kind === 'response') {
        isConcluded = true;
        conclude(mcp, read.message);
      }
      yield event;
    }
    // A server that lets its caller resume ends the stream before the answer, which comes on another one.
    if (!isConcluded) mcp.record.finish(isEmpty ? emptyStream : { status: 'success', spend: mcp.outcome.spend ?? 0 });
    isConcluded = true;
  } catch (thrown) {
    isConcluded = true;
    if (!(thrown instanceof BackendFailure || thrown instanceof Fault)) {
      mcp.record.finish(failedBy(thrown));
      throw thrown;
    }
    const message = thrown instanceof Fault ? refusedLate(mcp, thrown) : failed(mcp, thrown);
    conclude(mcp, message);
    yield eventOf({ kind: 'response', message });
  } finally {
    done(mcp);
    if (!isConcluded) mcp.record.finish(callerLeft);
  }
}

const emptyStream = {
  status: 'failure',
  error: 'The MCP server ended its response without sending anything. The call may have run.',
  error_code: 'ended',
} as const;

/** Requests whose parameters and answers are content, and not lists or settings. */
const withContent: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
const hasContent = ({ record, request }: McpRequest): boolean =>
  record.content !== undefined && withContent.has(request.method);

function keepAnswer(mcp: McpRequest, message: RpcResponse): void {
  if (!hasContent(mcp)) return;
  hideCredentials(mcp);
  mcp.record.content?.response(JSON.stringify('result' in message ? message.result : message.error));
}

function keepEvent(mcp: McpRequest, event: StreamEvent): void {
  hideCredentials(mcp);
  mcp.record.content?.response(`data: ${String(event.data)}\n\n`);
}

function hideCredentials({ record: { content }, ways }: McpRequest): void {
  if (!content) return;
  for (const { outbound, server } of ways) {
    hideHeaders(content, outbound.ownHeaders?.() ?? {});
    for (const [name, value] of Object.entries(server.env ?? {})) if (namesSecret(name)) content.hide(value);
  }
}

function caught(mcp: McpRequest, thrown: unknown): Reply {
  const { id } = mcp.request;
  if (thrown instanceof BackendFailure) {
    const { cause } = thrown;
    if (cause instanceof Fault && cause.code === 'auth_required') return caught(mcp, cause);
    checkSignIn(mcp, thrown);
    const message = failed(mcp, thrown);
    conclude(mcp, message);
    return replyOf(message);
  }
  if (thrown instanceof RpcRefusal) {
    const message = errorMessage(id, thrown.code, thrown.message, thrown.data);
    conclude(mcp, message);
    return replyOf(message, thrown.status);
  }
  if (thrown instanceof HandshakeRefused) {
    const message: RpcResponse = { ...thrown.answer, id };
    conclude(mcp, message);
    return replyOf(message);
  }
  mcp.record.finish(failedBy(thrown));
  throw thrown;
}

/** The stream has begun, so that the fault cannot become the status of the answer any more. */
function refusedLate(mcp: McpRequest, fault: Fault): RpcResponse {
  mcp.outcome.failure = fault.message;
  mcp.outcome.code = fault.code;
  return errorMessage(mcp.request.id, mcpErrors.internal, fault.message, { reason: fault.code });
}

function failed(mcp: McpRequest, failure: BackendFailure): RpcResponse {
  const { reason } = mcp.signal;
  const isGivenUp = failure.kind === 'cancelled' && reason instanceof GivenUp;
  mcp.outcome.failure = isGivenUp ? reason.message : failure.message;
  mcp.outcome.code = isGivenUp ? callerLeft.error_code : failure.kind;
  mcp.deps.log.warn({ failure, method: mcp.request.method }, 'A call to an MCP server failed.');
  return failureMessage(mcp.request.id, mcp.request.method, failure, mcp.era === 'modern');
}

function checkSignIn(mcp: McpRequest, failure: BackendFailure): void {
  const [only] = mcp.scope.servers;
  if (mcp.scope.kind !== 'single' || failure.status !== 401 || !only?.server.delegate_auth_to_upstream) return;
  mcp.record.finish({ status: 'failure', error: failure.message, error_code: 'auth_required' });
  throw new SignInNeeded(only.server.server_id, failure.challenge);
}

/** A tool's own `isError` is a success of the gateway; a refusal or a failed server is not. */
function conclude({ outcome, record }: McpRequest, message: RpcResponse): void {
  const code = 'error' in message ? `${message.error.code}` : undefined;
  const error = outcome.failure ?? code;
  const error_code = outcome.code ?? code;
  if (error !== undefined) record.finish({ status: 'failure', error, ...(error_code !== undefined && { error_code }) });
  else record.finish({ status: 'success', spend: outcome.spend ?? 0 });
}
