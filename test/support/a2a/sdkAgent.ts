import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AgentCard, Extensions, formatSSEErrorEvent, formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { type Listening, listen } from '../backends/listen.ts';
import { ScriptedExecutor } from './scriptedExecutor.ts';

export type Era = '0.3' | '1.0';

export interface SdkAgent extends Listening {
  readonly executor: ScriptedExecutor;
  /** Headers of each request, with its method or path. */
  readonly heard: { readonly what: string; readonly headers: IncomingMessage['headers']; readonly body?: unknown }[];
}

/** Where the agent answers; its own card says another address, which nobody may call. */
export const agentPath = '/agents/weather';
const elsewhere = 'http://169.254.169.254/rpc';

const card: AgentCard = AgentCard.fromJSON({
  name: 'Weather',
  description: 'Says what the weather is.',
  version: '1',
  supportedInterfaces: [
    { url: elsewhere, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    { url: elsewhere, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'weather', name: 'Weather', description: 'Weather', tags: [] }],
});
const legacyCard = {
  protocolVersion: '0.3.0',
  name: 'Weather',
  description: 'Says what the weather is.',
  version: '1',
  url: elsewhere,
  preferredTransport: 'GRPC',
  additionalInterfaces: [{ transport: 'JSONRPC', url: elsewhere }],
  capabilities: { streaming: true, pushNotifications: true },
  supportsAuthenticatedExtendedCard: true,
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

/** An agent of the official SDK on loopback, which speaks one style alone. */
export async function startSdkAgent(era: Era): Promise<SdkAgent> {
  const executor = new ScriptedExecutor();
  const interfaces = card.supportedInterfaces.map((it) => ({ ...it, protocolVersion: era }));
  const handler = new DefaultRequestHandler(
    { ...card, supportedInterfaces: interfaces },
    new InMemoryTaskStore(),
    executor,
    undefined,
    new InMemoryPushNotificationStore(),
    undefined,
    () => Promise.resolve({ ...card, supportedInterfaces: interfaces, description: 'For those who are known.' }),
  );
  const transport = era === '1.0' ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler);
  const errorOf = (thrown: unknown) =>
    era === '1.0'
      ? JsonRpcTransportHandler.mapToJSONRPCError(thrown as Error)
      : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown);
  const heard: SdkAgent['heard'] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      heard.push({ what: request.url ?? '', headers: request.headers });
      if (request.url !== `${agentPath}/.well-known/agent-card.json`) return void response.writeHead(404).end();
      const shown = era === '1.0' ? AgentCard.toJSON(card) : legacyCard;
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown));
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    heard.push({ what: String(body['method']), headers: request.headers, body });
    const extensions = Extensions.parseServiceParameter(request.headers['a2a-extensions'] as string | undefined);
    const context = new ServerCallContext({ requestedVersion: era, requestedExtensions: extensions });
    const answer = await transport.handle(body, context);
    if (!(Symbol.asyncIterator in answer)) {
      return void response
        .writeHead(200, { 'content-type': 'application/json', 'a2a-version': era })
        .end(JSON.stringify(answer));
    }
    const open = () => response.headersSent || response.writeHead(200, SSE_HEADERS).flushHeaders();
    // Like the SDK's own server, which returns an error before the first event as a response, except for a 0.3 subscription.
    if (body['method'] === 'tasks/resubscribe') open();
    try {
      for await (const event of answer) {
        open();
        response.write(formatSSEEvent(event));
      }
    } catch (thrown) {
      const failed = { jsonrpc: '2.0', id: body['id'], error: errorOf(thrown) };
      if (response.headersSent) response.write(formatSSEErrorEvent(failed));
      else response.writeHead(200, { 'content-type': 'application/json' }).write(JSON.stringify(failed));
    }
    response.end();
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => response.destroy(thrown as Error));
  });
  return { ...(await listen(server)), executor, heard };
}
