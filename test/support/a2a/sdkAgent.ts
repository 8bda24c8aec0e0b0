import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  AgentCard,
  type AgentInterface,
  Extensions,
  formatSSEErrorEvent,
  formatSSEEvent,
  type SendMessageRequest,
  SSE_HEADERS,
} from '@a2a-js/sdk';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import {
  ContentTypeNotSupportedError,
  ExtensionSupportRequiredError,
  InvalidAgentResponseError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import {
  DefaultRequestHandler,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { type Listening, listen } from '../backends/listen.ts';
import { ScriptedExecutor } from './scriptedExecutor.ts';
import { restPath, serveSdkRest } from './sdkRest.ts';

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
/** What an agent takes whose card says more, so that its clients ask. */
const plain = { pushNotifications: false };
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

export interface SdkAgentOptions {
  /** The card names where the agent takes calls, by both bindings. Default: addresses that nobody may call. */
  readonly isHonest?: boolean;
  /** It takes no webhooks and has no extended card, whatever its card says. */
  readonly isPlain?: boolean;
  /** It answers a message at once, and its tasks have to be asked for. */
  readonly isWithoutStreams?: boolean;
}

/** Errors of A2A that an executor has no way to say. A message that begins with `fail` and one of these names is answered so. */
export const failures = {
  ContentTypeNotSupportedError,
  ExtensionSupportRequiredError,
  InvalidAgentResponseError,
  UnsupportedOperationError,
  VersionNotSupportedError,
} as const;

function failOnDemand(handler: DefaultRequestHandler): void {
  const check = ({ message }: SendMessageRequest) => {
    const [first] = message?.parts ?? [];
    const text = first?.content?.$case === 'text' ? first.content.value : '';
    const [, name] = /^fail (\w+)$/.exec(text) ?? [];
    const failure = name && failures[name as keyof typeof failures];
    if (failure) throw new failure(`In the words of the agent: ${name}`);
  };
  const send = handler.sendMessage.bind(handler);
  const stream = handler.sendMessageStream.bind(handler);
  handler.sendMessage = async (params, context) => {
    check(params);
    return send(params, context);
  };
  handler.sendMessageStream = async function* (params, context) {
    check(params);
    yield* stream(params, context);
  };
}

/** Where the agent is as its own clients see it. */
interface Addresses {
  readonly rpc: string;
  readonly rest: string;
}

const legacyShown = ({ rpc, rest }: Addresses) => ({
  ...legacyCard,
  url: rpc,
  ...(rest !== elsewhere && { preferredTransport: 'JSONRPC' }),
  additionalInterfaces: [
    { transport: 'JSONRPC', url: rpc },
    { transport: 'HTTP+JSON', url: rest },
  ],
});

/** An agent of the official SDK on loopback, which speaks one style alone, by both bindings. */
export async function startSdkAgent(era: Era, options: SdkAgentOptions = {}): Promise<SdkAgent> {
  const executor = new ScriptedExecutor();
  const streaming = options.isWithoutStreams !== true;
  const capabilities = { ...card.capabilities, extensions: [], streaming };
  const shownAt = ({ rpc, rest }: Addresses): AgentCard => ({
    ...card,
    capabilities: { ...card.capabilities!, streaming },
    supportedInterfaces: [
      ...card.supportedInterfaces.map((it) => ({ ...it, url: rpc, protocolVersion: era })),
      {
        ...card.supportedInterfaces[1],
        url: rest,
        protocolBinding: 'HTTP+JSON',
        protocolVersion: era,
      } as AgentInterface,
    ],
  });
  let addresses: Addresses = { rpc: elsewhere, rest: elsewhere };
  const handler = new DefaultRequestHandler(
    { ...shownAt(addresses), capabilities: { ...capabilities, ...(options.isPlain && plain) } },
    new InMemoryTaskStore(),
    executor,
    undefined,
    new InMemoryPushNotificationStore(),
    undefined,
    options.isPlain
      ? undefined
      : () => Promise.resolve({ ...shownAt(addresses), description: 'For those who are known.' }),
  );
  failOnDemand(handler);
  const transport = era === '1.0' ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler);
  const errorOf = (thrown: unknown) =>
    era === '1.0'
      ? JsonRpcTransportHandler.mapToJSONRPCError(thrown as Error)
      : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError(thrown);
  const heard: SdkAgent['heard'] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRest = request.url?.startsWith(restPath) === true;
    if (request.method === 'GET' && !isRest) {
      heard.push({ what: request.url ?? '', headers: request.headers });
      if (request.url !== `${agentPath}/.well-known/agent-card.json`) return void response.writeHead(404).end();
      const shown =
        era === '1.0'
          ? AgentCard.toJSON(shownAt(addresses))
          : { ...legacyShown(addresses), capabilities: { streaming, pushNotifications: true } };
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown));
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (isRest) {
      heard.push({ what: `${request.method} ${request.url}`, headers: request.headers, body: text });
      return serveSdkRest(handler, era, request, text === '' ? undefined : JSON.parse(text), response);
    }
    const body = JSON.parse(text) as Record<string, unknown>;
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
  const listening = await listen(server);
  if (options.isHonest) addresses = { rpc: `${listening.url}${agentPath}`, rest: `${listening.url}${restPath}` };
  return { ...listening, executor, heard };
}
