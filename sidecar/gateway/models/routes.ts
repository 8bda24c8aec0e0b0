import * as z from 'zod';
import type { KeyRoute, Operation } from '../routing/route.ts';
import type { Models } from './models.ts';
import type { ModelOperation } from './readCall.ts';

const models = {
  surface: 'models',
  auth: 'key',
  groups: ['model_routes', 'llm_api_routes'],
  requirements: ['gateway.models.relayed'],
} as const;

const Anything = z.looseObject({});
const named = z.looseObject({ model: z.string(), stream: z.boolean().optional() });

function operationOf(path: string, summary: string, body: z.ZodType = named): Operation {
  return { method: 'POST', path, summary, tag: 'models', body, answer: Anything };
}

function relayed(
  path: string,
  operation: ModelOperation,
  summary: string,
  more: Partial<KeyRoute<Models>> = {},
): KeyRoute<Models> {
  return {
    ...models,
    method: 'POST',
    path,
    openapi: [operationOf(path, summary)],
    ...more,
    handle: (call, room) => room.relay(call, operation),
  };
}

const chat: ModelOperation = { dialect: 'chat', suffix: '', callType: 'chat_completion' };
const gemini = { dialect: 'gemini', callType: 'generate_content' } as const;
const geminiActions: readonly ModelOperation[] = [
  { ...gemini, suffix: ':generateContent' },
  { ...gemini, suffix: ':streamGenerateContent', isStream: true },
  { ...gemini, suffix: ':countTokens', isCount: true, callType: 'count_tokens' },
];

/** Google's SDKs use one of two API versions. Calls are relayed to the same version. */
const geminiOperations = (['v1beta', 'v1'] as const).flatMap((version) =>
  geminiActions.map((action) => ({ ...action, version })),
);

const Model = z.object({ id: z.string(), object: z.string(), created: z.int(), owned_by: z.string() });

export const modelRoutes: readonly KeyRoute<Models>[] = [
  // The playground of the pages calls it.
  relayed('/v1/chat/completions', chat, 'Relays a chat completion in the OpenAI format', { auth: 'browser' }),
  relayed('/chat/completions', chat, '', {
    template: '/v1/chat/completions',
    openapi: 'The same as /v1/chat/completions.',
  }),
  relayed(
    '/v1/responses',
    { dialect: 'responses', suffix: '', callType: 'responses' },
    'Relays a response in the OpenAI format',
  ),
  relayed(
    '/v1/messages',
    { dialect: 'messages', suffix: '', callType: 'messages' },
    'Relays a message in the Anthropic format',
    { dialect: 'messages' },
  ),
  relayed(
    '/v1/messages/count_tokens',
    { dialect: 'messages', suffix: '/count_tokens', isCount: true, callType: 'count_tokens' },
    'Counts the tokens of a message in the Anthropic format',
    { dialect: 'messages' },
  ),
  ...geminiOperations.map((operation): KeyRoute<Models> => {
    const { version, suffix } = operation;
    const path = `/${version}/models/{model}${suffix}`;
    return {
      ...models,
      method: 'POST',
      path,
      dialect: 'gemini',
      openapi: [operationOf(path, `Relays ${suffix.slice(1)} in the Gemini format`, Anything)],
      handle: (call, room) => room.relay(call, withQuery(operation, call.request.url), call.params['model'] ?? ''),
    };
  }),
  {
    ...models,
    auth: 'browser',
    method: 'GET',
    path: '/v1/models',
    openapi: [
      {
        method: 'GET',
        path: '/v1/models',
        summary: 'Lists the models that you are allowed to use',
        tag: 'models',
        answer: z.object({ object: z.string(), data: z.array(Model) }),
      },
    ],
    handle: (call, room) => room.list(call),
  },
  {
    ...models,
    method: 'GET',
    path: '/v1/models/{model}',
    openapi: [
      {
        method: 'GET',
        path: '/v1/models/{model}',
        summary: 'Returns one model that you are allowed to use',
        tag: 'models',
        answer: Model,
      },
    ],
    handle: (call, room) => room.read(call),
  },
];

/** Forwards `alt=sse`, the query parameter that selects the format of a stream. */
const withQuery = (operation: ModelOperation, url: string): ModelOperation =>
  new URL(url).searchParams.get('alt') === 'sse' ? { ...operation, suffix: `${operation.suffix}?alt=sse` } : operation;
