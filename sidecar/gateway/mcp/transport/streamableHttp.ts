import { Fault } from '../../../platform/faults.ts';
import { type HttpResponse, TextResponse } from '../../../platform/httpMessages.ts';
import { isRecord } from '../../../platform/isRecord.ts';
import { readBody } from '../../../platform/requestBody.ts';
import {
  eraOf,
  InitializeParams,
  legacyVersions,
  mcpErrors,
  type RpcMessage,
  type RpcRequest,
} from '../../../protocol/gateway/mcpWire.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import { ForOwner } from '../../routing/forOwner.ts';
import type { RouteCall } from '../../routing/route.ts';
import type { ClientMessage } from '../../wire/mcpMessage.ts';
import { mcpRouteOf } from '../address.ts';
import { resolveScope, type Scope } from '../aggregation/scope.ts';
import { resultReply } from '../answers.ts';
import { type EraRefusal, judgeEra } from '../era.ts';
import { callerOf, nameOf } from '../mcpDeps.ts';
import type { McpRequest } from '../mcpRequest.ts';
import { addressTool } from '../methods/callTool.ts';
import { deliverAnswer, deliverNotification } from '../methods/clientMessages.ts';
import { initializeOne, mergedCapabilities, serverInfo } from '../methods/methods.ts';
import { SignInNeeded, serve } from '../methods/serve.ts';
import { versionsOf } from '../methods/versions.ts';
import { type FrontDeps, mcpRequestOf, type RequestContext, unrecordedRequest } from '../requestContext.ts';
import { isResilient } from '../resilient.ts';
import { readEventPlace } from '../session/eventPlace.ts';
import { type Session, type Sessions, upstreamOf } from '../session/sessions.ts';
import { type Arrival, arrivalOf, dropsNotification, recordRefusal, refusalMessage } from './arrival.ts';
import { answerBatch } from './batch.ts';
import { debugHeaders } from './debugHeaders.ts';
import { outlivingConnection, resume, streamKept } from './keptAnswers.ts';
import { keepAliveOf, openStream, rpcError, toResponse } from './responses.ts';
import { listenTo } from './sessionStream.ts';
import { signInResponse } from './signIn.ts';

/** The largest batch that one POST may hold. */
const maxBatch = 32;

/** Streamable HTTP of both eras on one address: POST for messages, GET for what comes by itself, DELETE for the end. */
export function serveStreamable(call: RouteCall, front: FrontDeps): Promise<HttpResponse> {
  const { request, context } = call;
  const route = mcpRouteOf(call);
  const serveFor = (scope: Scope | undefined) => {
    if (!scope) throw new Fault('not_found', 'MCP server, toolset, or access group not found.');
    return served({ ...front, request, context, route, scope }, call.pathname);
  };
  const scope = resolveScope(front.deps, context, route);
  return scope instanceof Promise ? scope.then(serveFor) : serveFor(scope);
}

async function served(requestContext: RequestContext, pathname: string): Promise<HttpResponse> {
  const { request, deps, context } = requestContext;
  try {
    if (request.method === 'POST') {
      const wrongType = checkContentType(request.headers);
      return wrongType ?? (await post(requestContext, await readBody(request, deps.options.maxBodyBytes)));
    }
    if (request.method === 'GET') return await get(requestContext);
    if (request.method === 'DELETE') return await remove(requestContext);
    return rpcError(405, mcpErrors.invalidRequest, 'Method not allowed');
  } catch (thrown) {
    if (thrown instanceof SignInNeeded) return signInResponse(deps, context, pathname, thrown);
    throw thrown;
  }
}

function checkContentType(headers: RequestContext['request']['headers']): HttpResponse | undefined {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/json') || type.toLowerCase().startsWith('application/json')) return undefined;
  return rpcError(415, mcpErrors.invalidRequest, 'Content-Type must be application/json');
}

/** At once where nothing has to be waited for. @param text of the body; `undefined` for one that is too large */
function post(requestContext: RequestContext, text: string | undefined): HttpResponse | Promise<HttpResponse> {
  const { request, deps } = requestContext;
  const arrival = arrivalOf(text, deps);
  if (deps.isWorker && text !== undefined && !isForWorker(requestContext, arrival)) throw new ForOwner(text);
  if (arrival.kind === 'unread') {
    recordRefusal(requestContext, arrival);
    return rpcError(arrival.status, arrival.code, arrival.words);
  }
  if (arrival.kind === 'batch') return batch(requestContext, arrival.messages);
  const read = arrival.message;
  if (read.kind === 'refused') {
    recordRefusal(requestContext, read);
    return TextResponse.json(refusalMessage(read), 400);
  }
  const era = judgeEra(read, request.headers);
  if (typeof era === 'object') return refuseEra(requestContext, era, read.kind === 'request' ? read.message.id : null);
  if (era === 'modern') return read.kind === 'request' ? ask(requestContext, read.message, era, undefined) : accepted();
  if (read.kind === 'request' && read.message.method === 'initialize') return initialize(requestContext, read.message);
  const serveIn = (session: Session | 'unknown' | undefined): HttpResponse | Promise<HttpResponse> => {
    if (session === 'unknown') return sessionNotFound();
    if (read.kind === 'request') return ask(requestContext, read.message, era, session);
    return session ? deliver(requestContext, session, read).then(accepted) : accepted();
  };
  const found = sessionOf(requestContext);
  return found instanceof Promise ? found.then(serveIn) : serveIn(found);
}

/** A tool call to an HTTP server of which nothing is counted in one process. What is refused, the owner refuses. */
function isForWorker(requestContext: RequestContext, arrival: Arrival): boolean {
  if (arrival.kind !== 'one' || arrival.message.kind !== 'request') return false;
  const { method, params } = arrival.message.message;
  const name = params?.['name'];
  if (method !== 'tools/call' || typeof name !== 'string') return false;
  const server = addressTool(requestContext, name)?.server.server;
  return server?.transport === 'http' && !server.max_concurrent_requests && !isResilient(server);
}

async function refuseEra(
  requestContext: RequestContext,
  { status, code, message, data }: EraRefusal,
  id: RpcRequest['id'] | null,
): Promise<HttpResponse> {
  const isUnknown = code === mcpErrors.unsupportedVersion && isRecord(data);
  const known = isUnknown ? { ...data, supported: await versionsOf(requestContext) } : data;
  return rpcError(status, code, message, id, known);
}

async function deliver(
  requestContext: RequestContext,
  session: Session,
  read: Exclude<RpcMessage, { kind: 'request' }>,
): Promise<void> {
  const mcp = unrecordedRequest(requestContext, session);
  if (read.kind === 'response') await deliverAnswer(mcp, session, read.message);
  else if (!dropsNotification(requestContext, read.message)) await deliverNotification(mcp, session, read.message);
}

function ask(
  requestContext: RequestContext,
  message: RpcRequest,
  era: McpRequest['era'],
  session: Session | undefined,
): Promise<HttpResponse> {
  const controller = cancellerOf(requestContext);
  if (session) requestContext.request.onCut = session.onCut;
  const mcp = mcpRequestOf(requestContext, message, { era, session, controller });
  return serve(mcp, requestContext.state).then((reply) =>
    session && reply.kind === 'stream'
      ? streamKept(mcp, requestContext, session, controller, reply.events)
      : respond(mcp, requestContext, reply, {}, controller),
  );
}

/** The session's beginning: with one server it is that server's own handshake, with several the gateway's. */
async function initialize(requestContext: RequestContext, message: RpcRequest): Promise<HttpResponse> {
  const { sessions, scope, context, state } = requestContext;
  const params = InitializeParams.safeParse(message.params ?? {});
  if (!params.success)
    return rpcError(400, mcpErrors.invalidParams, 'Invalid params: protocolVersion is missing or invalid', message.id);
  const session = sessions.start(callerOf(context), scope.address, message.params as InitializeParams);
  const controller = cancellerOf(requestContext);
  const mcp = mcpRequestOf(requestContext, message, { era: 'legacy', session, controller });
  let isOpen = false;
  try {
    const reply = await serve(mcp, state, () => introduce(mcp, session, sessions));
    isOpen = reply.kind === 'message' && 'result' in reply.message;
    return respond(mcp, requestContext, reply, isOpen ? { 'mcp-session-id': session.token } : {}, controller);
  } finally {
    if (!isOpen) sessions.drop(session);
  }
}

export async function introduce(mcp: McpRequest, session: Session, sessions: Sessions): Promise<Reply> {
  const [only] = mcp.scope.servers;
  if (mcp.scope.kind === 'single' && only) {
    const { hello, sessionId } = await initializeOne(mcp, only);
    if (!hello) throw new Error('a legacy connection has no handshake');
    sessions.seal(session, upstreamOf(only.server.server_id, hello, sessionId));
    return resultReply(mcp.request.id, hello);
  }
  sessions.seal(session);
  const wanted = session.params.protocolVersion;
  return resultReply(mcp.request.id, {
    protocolVersion: legacyVersions.some((it) => it === wanted) ? wanted : legacyVersions[0],
    capabilities: mergedCapabilities,
    serverInfo: serverInfo(mcp.deps.options.version),
    ...(mcp.scope.servers.length > 0 && {
      instructions: `Tools from: ${mcp.scope.servers.map((it) => nameOf(it.server)).join(', ')}.`,
    }),
  });
}

async function batch(requestContext: RequestContext, body: readonly ClientMessage[]): Promise<HttpResponse> {
  if (body.length === 0 || body.length > maxBatch) {
    return rpcError(400, mcpErrors.invalidRequest, `Invalid request: a batch must contain 1 to ${maxBatch} messages`);
  }
  const session = await sessionOf(requestContext);
  if (session === 'unknown') return sessionNotFound();
  const answering = () =>
    answerBatch(requestContext, body, session, async (it) => session && deliver(requestContext, session, it));
  const answers = await (session ? outlivingConnection(requestContext, session, answering) : answering());
  return answers.length === 0 ? accepted() : TextResponse.json(answers);
}

async function get(requestContext: RequestContext): Promise<HttpResponse> {
  const { request, deps } = requestContext;
  if (eraOf(request.headers.get('mcp-protocol-version') ?? '') === 'modern') {
    return rpcError(405, mcpErrors.invalidRequest, 'Method not allowed');
  }
  if (!(request.headers.get('accept') ?? '').includes('text/event-stream')) {
    return rpcError(406, mcpErrors.invalidRequest, 'Accept must include text/event-stream');
  }
  const session = await sessionOf(requestContext);
  if (session === undefined) return rpcError(400, mcpErrors.invalidRequest, 'Mcp-Session-Id is missing');
  if (session === 'unknown') return sessionNotFound();
  const last = request.headers.get('last-event-id') ?? undefined;
  const place = last === undefined ? undefined : readEventPlace(last);
  if (place) {
    const resumed = await resume(requestContext, session, place);
    if (resumed) return resumed;
  }
  const queue = listenTo(unrecordedRequest(requestContext, session), session, place ? place.behind : last);
  return openStream(queue, keepAliveOf(deps), () => queue.onLeft());
}

async function remove(requestContext: RequestContext): Promise<HttpResponse> {
  const session = await sessionOf(requestContext);
  if (session === undefined) return rpcError(400, mcpErrors.invalidRequest, 'Mcp-Session-Id is missing');
  if (session === 'unknown') return sessionNotFound();
  await requestContext.sessions.end(session);
  return new Response(null, { status: 200 });
}

function sessionOf({
  request,
  sessions,
  context,
  scope,
}: RequestContext): Session | 'unknown' | undefined | Promise<Session | 'unknown'> {
  const token = request.headers.get('mcp-session-id');
  if (token === null) return undefined;
  const found = sessions.find(token, callerOf(context), scope.address);
  return found instanceof Promise ? found.then((it) => it ?? 'unknown') : found;
}

function respond(
  mcp: McpRequest,
  { request, deps }: RequestContext,
  reply: Reply,
  headers: Record<string, string>,
  controller: AbortController,
): HttpResponse {
  const all = Object.assign(headers, debugHeaders(mcp, request.headers));
  return toResponse(reply, keepAliveOf(deps), all, () => controller.abort());
}

/** One controller a request: whoever disconnects, cancels or ends the session ends the same work. */
const cancellerOf = ({ request }: RequestContext) => request.canceller ?? new AbortController();
const accepted = () => new TextResponse('', 202, {});
const sessionNotFound = () => rpcError(404, -32001, 'Session not found');
