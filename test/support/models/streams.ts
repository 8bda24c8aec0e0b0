import type { ModelDialect } from '../../../sidecar/protocol/gateway/modelProviders/definition.ts';

/** A stream as a provider of the dialect sends it, and the tokens that it counts. */
export interface RecordedStream {
  readonly path: string;
  /** The request that it answers, without the model name. */
  readonly request: object;
  readonly text: string;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheCreation: number;
  };
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** Text that a careless reader misreads. */
export const words = ['Grüße', ' „data: ', '{\\"usage\\":{', '\n\n', '"usage":{"prompt_tokens":1}', ' 🚀', '\u2028end'];

const chatBase = {
  id: 'chatcmpl-Cq1XvT7sFh2bE9',
  object: 'chat.completion.chunk',
  created: 1_764_100_000,
  model: 'gpt-5-mini-2025-08-07',
  service_tier: 'default',
  system_fingerprint: null,
};
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ ...chatBase, choices: [{ index: 0, delta, finish_reason }], usage: null, obfuscation: 'x7Hq' });
/** The last event but one, which the provider sends if `include_usage` is set. */
export const chatUsageEvent = data({
  ...chatBase,
  choices: [],
  usage: {
    prompt_tokens: 1_214,
    completion_tokens: 87,
    total_tokens: 1_301,
    prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 0 },
  },
  obfuscation: 'q',
});

const messagesUsage = {
  input_tokens: 21,
  cache_creation_input_tokens: 2_048,
  cache_read_input_tokens: 4_096,
  cache_creation: { ephemeral_5m_input_tokens: 2_048, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  service_tier: 'standard',
};
const response = {
  id: 'resp_68f0',
  object: 'response',
  created_at: 1_764_100_000,
  status: 'completed',
  model: 'gpt-5-2025-08-07',
  // The response repeats the caller's schema, whose properties can have any name.
  tools: [
    {
      type: 'function',
      name: 'report',
      parameters: { type: 'object', properties: { usage: { input_tokens: 1, output_tokens: 1 } } },
    },
  ],
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words.join('') }] }],
};
const gemini = (text: string, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'k3',
});

/** The streams of the four APIs, with the events and members of their documentation. */
export const streams: Readonly<Record<ModelDialect, RecordedStream>> = {
  chat: {
    path: '/v1/chat/completions',
    request: { stream: true, messages: [{ role: 'user', content: words.join('') }] },
    text: [
      chunk({ role: 'assistant', content: '', refusal: null }),
      ...words.map((content) => chunk({ content })),
      chunk({}, 'stop'),
      chatUsageEvent,
      'data: [DONE]\n\n',
    ].join(''),
    usage: { input: 1_214, output: 87, cacheRead: 1_024, cacheCreation: 0 },
  },
  responses: {
    path: '/v1/responses',
    request: { stream: true, input: words.join('') },
    text: [
      event({
        type: 'response.created',
        response: { ...response, status: 'in_progress', output: [], usage: null },
      } as never),
      ...words.map((delta) => event({ type: 'response.output_text.delta', item_id: 'msg_1', delta } as never)),
      event({
        type: 'response.completed',
        response: {
          ...response,
          usage: {
            input_tokens: 328,
            input_tokens_details: { cached_tokens: 256 },
            output_tokens: 52,
            output_tokens_details: { reasoning_tokens: 32 },
            total_tokens: 380,
          },
          user: null,
          metadata: {},
        },
      } as never),
    ].join(''),
    usage: { input: 328, output: 52, cacheRead: 256, cacheCreation: 0 },
  },
  messages: {
    path: '/v1/messages',
    request: { stream: true, max_tokens: 1_024, messages: [{ role: 'user', content: words.join('') }] },
    text: [
      event({
        type: 'message_start',
        message: {
          model: 'claude-sonnet-4-5-20250929',
          id: 'msg_01',
          type: 'message',
          role: 'assistant',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: messagesUsage,
        },
      } as never),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
      event({ type: 'ping' }),
      ...words.map((text) =>
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
      ),
      event({ type: 'content_block_stop', index: 0 } as never),
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 73 },
      } as never),
      event({ type: 'message_stop' }),
    ].join(''),
    usage: { input: 6_165, output: 73, cacheRead: 4_096, cacheCreation: 2_048 },
  },
  gemini: {
    path: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
    request: { contents: [{ role: 'user', parts: [{ text: words.join('') }] }] },
    text: [
      ...words.map((it) => gemini(it)),
      {
        ...gemini('.', { finishReason: 'STOP' }),
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 31,
          totalTokenCount: 57,
          cachedContentTokenCount: 4,
          thoughtsTokenCount: 17,
        },
      },
    ]
      .map((it) => `data: ${JSON.stringify(it)}\r\n\r\n`)
      .join(''),
    usage: { input: 9, output: 48, cacheRead: 4, cacheCreation: 0 },
  },
};
