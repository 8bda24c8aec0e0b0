import { Fault } from '../../../platform/faults.ts';
import type { HttpRequest, HttpResponse } from '../../../platform/httpMessages.ts';
import { InitializeParams, mcpErrors, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';
import { EventQueue } from '../../backends/mcp/eventQueue.ts';
import { eventOf, type StreamEvent } from '../../backends/mcp/streamEvent.ts';
import type { Reply } from '../../backends/mcp/types.ts';
import type { RouteCall } from '../../routing/route.ts';
import { type McpRoute, mcpRouteOf } from '../address.ts';
import { resolveScope } from '../aggregation/scope.ts';
import { errorMessage } from '../answers.ts';
import { callerOf, type McpContext } from '../mcpDeps.ts';
import { deliverAnswer, deliverNotification } from '../methods/clientMessages.ts';
import { serve } from '../methods/serve.ts';
import { type FrontDeps, mcpRequestOf, type RequestContext, unrecordedRequest } from '../requestContext.ts';
import type { Session } from '../session/sessions.ts';
import { dropsNotification, readArrival, recordRefusal, refusalMessage } from './arrival.ts';
import { openStream, rpcError, type WrittenEvent } from './responses.ts';
import { listenTo } from './sessionStream.ts';
import { introduce } from './streamableHttp.ts';

/** A client of MCP 2024-11-05: one stream down, POSTs up. */
interface SseClient {
  readonly id: string;
  readonly route: McpRoute;
  readonly caller: string;
  readonly queue: EventQueue;
  readonly disconnected: AbortController;
  session: Session | undefined;
}

/**
 * The transport of MCP 2024-11-05, for all servers and for one: GET opens the stream, whose first event names the address of
 * the POSTs.
 */
export class LegacySse {
  readonly #front: FrontDeps;
  readonly #clients = new Map<string, SseClient>();

  /** What all IDs of this replica begin with; empty if there are no other replicas. */
  readonly #ids: string;

  constructor(front: FrontDeps) {
    this.#front = front;
    const { peers } = front.deps;
    this.#ids = peers ? `${peers.id}.` : '';
  }

  async handle(call: RouteCall): Promise<HttpResponse> {
    const { request, context } = call;
    const route = mcpRouteOf(call);
    if (request.method === 'GET') return this.#open(context, route);
    if (request.method === 'POST') return this.#post(request, context, route);
    return rpcError(405, mcpErrors.invalidRequest, 'Method not allowed');
  }

  /** Lets all streams go. */
  close(): void {
    for (const it of this.#clients.values()) it.queue.end();
  }

  async #open(context: McpContext, route: McpRoute): Promise<Response> {
    const { deps, sessions } = this.#front;
    if (!(await resolveScope(deps, context, route))) throw new Fault('not_found', 'MCP server not found.');
    const { timers, options } = deps;
    const { maxResponseBytes, keepAliveMs } = options;
    const queue = new EventQueue(maxResponseBytes, () => new Error('the client is reading too slowly'));
    const id = `${this.#ids}${deps.newId()}`;
    const client: SseClient = {
      id,
      route,
      caller: callerOf(context),
      queue,
      disconnected: new AbortController(),
      session: undefined,
    };
    this.#clients.set(id, client);
    const leave = () => {
      this.#clients.delete(id);
      client.disconnected.abort();
      queue.end();
      if (client.session) sessions.drop(client.session);
    };
    context.signal.addEventListener('abort', leave, { once: true });
    return openStream(named(`${pathOf(route)}?session_id=${id}`, queue), { keepAliveMs, timers }, leave);
  }

  async #post(request: HttpRequest, arriving: McpContext, route: McpRoute): Promise<HttpResponse> {
    const id = new URL(request.url).searchParams.get('session_id') ?? '';
    const client = this.#clients.get(id);
    if (!client && id.includes('.') && !id.startsWith(this.#ids)) throw elsewhere();
    if (!client || client.caller !== callerOf(arriving)) throw new Fault('not_found', 'Stream not found.');
    const { deps } = this.#front;
    // Access was decided for the address of the POST, so the stream must be for the same one.
    if (pathOf(client.route) !== pathOf(route)) throw new Fault('not_found', 'Stream not found.');
    // The POST is over at once; what it asked for lives as long as the stream.
    const context: McpContext = { ...arriving, signal: client.disconnected.signal };
    const arrival = await readArrival(request, deps);
    if (arrival.kind === 'unread') {
      recordRefusal({ deps, context, route }, arrival);
      return rpcError(arrival.status, arrival.code, arrival.words);
    }
    if (arrival.kind === 'batch')
      return rpcError(400, mcpErrors.invalidRequest, 'Invalid request: not a JSON-RPC message');
    const read = arrival.message;
    if (read.kind === 'refused') {
      recordRefusal({ deps, context, route }, read);
      return Response.json(refusalMessage(read), { status: 400 });
    }
    const scope = await resolveScope(deps, context, route);
    if (!scope) throw new Fault('not_found', 'MCP server not found.');
    const requestContext: RequestContext = { ...this.#front, request, context, route, scope };
    if (read.kind === 'request') {
      const { id } = read.message;
      void this.#answer(client, requestContext, read.message).catch((thrown: unknown) => {
        if (!(thrown instanceof Fault)) deps.log.error({ thrown }, 'A request over SSE failed.');
        // Its POST was answered long ago: a refusal that would be an HTTP status elsewhere has no other place than this.
        const refused = thrown instanceof Fault ? thrown : new Fault('internal', 'Internal error');
        const message = errorMessage(id, mcpErrors.internal, refused.message, { reason: refused.code });
        client.queue.push(eventOf({ kind: 'response', message }));
      });
    } else if (client.session) {
      const mcp = unrecordedRequest(requestContext, client.session);
      if (read.kind === 'response') await deliverAnswer(mcp, client.session, read.message);
      else if (!dropsNotification(requestContext, read.message))
        await deliverNotification(mcp, client.session, read.message);
    }
    return new Response(null, { status: 202 });
  }

  async #answer(client: SseClient, requestContext: RequestContext, message: RpcRequest): Promise<void> {
    const controller = new AbortController();
    const isFirst = message.method === 'initialize';
    if (isFirst) client.session = this.#start(client, requestContext, message);
    const { session } = client;
    const mcp = mcpRequestOf(requestContext, message, { era: 'legacy', session, controller });
    const reply =
      isFirst && session
        ? await serve(mcp, requestContext.state, () => introduce(mcp, session, requestContext.sessions))
        : await serve(mcp, requestContext.state);
    await write(reply, client.queue);
    if (!isFirst || !session) return;
    const unasked = listenTo(unrecordedRequest(requestContext, session), session, undefined);
    // A server that sends too much breaks off this one stream, as it does with the later transport.
    copy(unasked, client.queue).catch((thrown: Error) => client.queue.end(thrown));
  }

  #start(client: SseClient, { sessions, scope }: RequestContext, message: RpcRequest): Session {
    const params = InitializeParams.safeParse(message.params ?? {});
    if (!params.success) throw new Fault('invalid_params', 'protocolVersion is missing');
    if (client.session) sessions.drop(client.session);
    return sessions.start(client.caller, scope.address, message.params as InitializeParams);
  }
}

const elsewhere = () =>
  new Fault(
    'unavailable',
    'Another replica of the gateway has this stream. Send all messages of a stream to one replica.',
    {
      data: { retry_after_s: 1 },
    },
  );

const pathOf = (route: McpRoute): string => (route.kind === 'all' ? '/sse' : `/${encodeURIComponent(route.name)}/sse`);

async function* named(address: string, queue: EventQueue): AsyncGenerator<WrittenEvent> {
  yield { event: 'endpoint', data: address };
  for await (const { data } of queue) if (data.length > 0) yield { event: 'message', data };
}

async function write(reply: Reply, queue: EventQueue): Promise<void> {
  if (reply.kind === 'message') queue.push(eventOf({ kind: 'response', message: reply.message }, reply.text));
  else await copy(reply.events, queue);
}

async function copy(events: AsyncIterable<StreamEvent>, queue: EventQueue): Promise<void> {
  for await (const { message, data } of events) queue.push({ message, data });
}
