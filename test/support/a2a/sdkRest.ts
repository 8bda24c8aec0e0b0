import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  AgentCard,
  formatSSEErrorEvent,
  formatSSEEvent,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageRequest,
  SSE_HEADERS,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { restStatusFor, toRestErrorBody } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Era } from './sdkAgent.ts';

type Json = Record<string, unknown>;

/** Where the HTTP+JSON binding is: nowhere near the registered address, as a card may name it. */
export const restPath = '/rest/weather';

/**
 * The HTTP+JSON binding in front of the SDK's request handler, as the SDK's own routers have it; those need a web framework.
 * In A2A 0.3 it is protobuf's JSON of then, below `v1`.
 */
export async function serveSdkRest(
  handler: A2ARequestHandler,
  era: Era,
  request: IncomingMessage,
  body: unknown,
  response: ServerResponse,
): Promise<void> {
  const isLegacy = era === '0.3';
  const url = new URL(request.url ?? '', 'http://agent.test');
  const place = `${request.method} ${url.pathname.slice(restPath.length).replace(isLegacy ? /^\/v1(?=\/)/ : /^$/, '')}`;
  const context = new ServerCallContext({ requestedVersion: era });
  const tenant = '';
  const [, taskId = '', action = ''] = /\/tasks\/([^/:]+)(?::(\w+))?/.exec(place) ?? [];
  const [, id = ''] = /\/pushNotificationConfigs\/([^/]+)$/.exec(place) ?? [];
  const held = (body ?? {}) as Json;
  const message = () => SendMessageRequest.fromJSON(isLegacy ? modernMessage(held) : held);
  const answer = (value: unknown, status = 200) =>
    void response
      .writeHead(status, { 'content-type': isLegacy ? 'application/json' : 'application/a2a+json' })
      .end(value === undefined ? undefined : JSON.stringify(isLegacy ? legacyNames(value) : value));
  const config = (value: TaskPushNotificationConfig) =>
    isLegacy
      ? {
          name: `tasks/${value.taskId}/pushNotificationConfigs/${value.id}`,
          pushNotificationConfig: { id: value.id, url: value.url, token: value.token },
        }
      : TaskPushNotificationConfig.toJSON(value);
  const cardOf = (card: AgentCard) => (isLegacy ? legacyCard(card) : AgentCard.toJSON(card));
  const errorBody = (thrown: unknown) =>
    isLegacy
      ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown)
      : toRestErrorBody(thrown, restStatusFor(thrown));
  async function stream(events: AsyncIterable<StreamResponse>): Promise<void> {
    for await (const event of events) {
      if (!response.headersSent) response.writeHead(200, SSE_HEADERS).flushHeaders();
      const shown = StreamResponse.toJSON(event);
      response.write(formatSSEEvent((isLegacy ? legacyNames(shown) : shown) as object));
    }
    response.end();
  }
  try {
    if (place === 'POST /message:send') {
      const result = await handler.sendMessage(message(), context);
      return answer('messageId' in result ? { message: result } : { task: Task.toJSON(result) });
    }
    if (place === 'POST /message:stream') return await stream(handler.sendMessageStream(message(), context));
    if (action === 'subscribe') return await stream(handler.resubscribe({ tenant, id: taskId }, context));
    if (action === 'cancel')
      return answer(Task.toJSON(await handler.cancelTask({ tenant, id: taskId, metadata: {} }, context)));
    if (/^GET \/(extendedAgentCard|card)$/.test(place))
      return answer(cardOf(await handler.getAuthenticatedExtendedAgentCard({ tenant }, context)));
    if (place === 'GET /tasks') {
      const contextId = url.searchParams.get('contextId') ?? '';
      const asked = { tenant, contextId, status: 0, pageToken: '', statusTimestampAfter: undefined };
      return answer(ListTasksResponse.toJSON(await handler.listTasks({ ...asked, historyLength: 0 }, context)));
    }
    if (id !== '' && request.method === 'DELETE') {
      await handler.deleteTaskPushNotificationConfig({ tenant, taskId, id }, context);
      return answer(undefined, 204);
    }
    if (id !== '') return answer(config(await handler.getTaskPushNotificationConfig({ tenant, taskId, id }, context)));
    if (place.startsWith('POST ') && place.endsWith('/pushNotificationConfigs')) {
      const { name, pushNotificationConfig } = held as { name?: string; pushNotificationConfig?: Json };
      const wanted = isLegacy ? { ...pushNotificationConfig, taskId: name?.split('/')[1] } : { ...held, taskId };
      const made = await handler.createTaskPushNotificationConfig(TaskPushNotificationConfig.fromJSON(wanted), context);
      return answer(config(made), 201);
    }
    if (place.endsWith('/pushNotificationConfigs')) {
      const listed = { tenant, taskId, pageSize: 0, pageToken: '' };
      const found = await handler.listTaskPushNotificationConfigs(listed, context);
      return answer(
        isLegacy ? { configs: found.configs.map(config) } : ListTaskPushNotificationConfigsResponse.toJSON(found),
      );
    }
    if (taskId !== '') return answer(Task.toJSON(await handler.getTask({ tenant, id: taskId }, context)));
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
  } catch (thrown) {
    if (response.headersSent) response.end(formatSSEErrorEvent(errorBody(thrown)));
    else answer(errorBody(thrown), restStatusFor(thrown));
  }
}

/** A card in protobuf's JSON of 0.3. */
function legacyCard({ name, description, version, skills, supportedInterfaces }: AgentCard): Json {
  const [first, ...others] = supportedInterfaces.map((it) => ({ transport: it.protocolBinding, url: it.url }));
  const securitySchemes = { own: { httpAuthSecurityScheme: { scheme: 'Bearer' } } };
  return {
    protocolVersion: '0.3.0',
    name,
    description,
    version,
    skills,
    capabilities: {},
    url: first?.url,
    preferredTransport: first?.transport,
    additionalInterfaces: others,
    securitySchemes,
    security: [{ schemes: { own: { list: [] } } }],
  };
}

/** A message of 0.3 as one of 1.0. */
const modernMessage = ({ message, request, ...more }: Json): Json => {
  const { content, ...rest } = (message ?? request) as Json;
  return { ...more, message: { ...rest, parts: content } };
};

/** The other way round, wherever a message stands. */
function legacyNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(legacyNames);
  if (value === 'TASK_STATE_CANCELED') return 'TASK_STATE_CANCELLED';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [
      name === 'parts' && 'messageId' in value ? 'content' : name,
      legacyNames(it),
    ]),
  );
}
