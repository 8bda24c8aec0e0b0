import { defineProvider } from './definition.ts';

const base = {
  dialects: { chat: '/chat/completions', responses: '/responses' },
  auth: { header: 'authorization', scheme: 'Bearer' },
  needsKey: false,
  requestHeaders: ['openai-beta', 'x-client-request-id', 'idempotency-key'],
  responseHeaders: ['x-request-id'],
} as const;

/** Local model servers, which also support Anthropic's format. */
const local = { ...base, dialects: { ...base.dialects, messages: '/messages' } } as const;

/** Any OpenAI-compatible address. Each model sets its address and credential. */
export const openaiCompatible = defineProvider({
  ...base,
  label: 'OpenAI-compatible',
  variables: [],
});
export const ollama = defineProvider({
  ...local,
  label: 'Ollama',
  apiBase: 'http://127.0.0.1:11434/v1',
  variables: ['OLLAMA_API_KEY'],
});
export const lmStudio = defineProvider({
  ...local,
  label: 'LM Studio',
  apiBase: 'http://127.0.0.1:1234/v1',
  variables: ['LM_STUDIO_API_KEY'],
});
export const vllm = defineProvider({
  ...local,
  label: 'vLLM',
  apiBase: 'http://127.0.0.1:8000/v1',
  variables: ['VLLM_API_KEY'],
});
