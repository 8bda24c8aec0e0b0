import { defineProvider } from './definition.ts';

export const openai = defineProvider({
  label: 'OpenAI',
  dialects: { chat: '/chat/completions', responses: '/responses' },
  apiBase: 'https://api.openai.com/v1',
  auth: { header: 'authorization', scheme: 'Bearer' },
  needsKey: true,
  // Not the organization and project headers, because they determine who pays.
  requestHeaders: ['openai-beta', 'x-client-request-id', 'idempotency-key'],
  responseHeaders: ['x-request-id', 'openai-version', 'openai-processing-ms'],
  variables: ['OPENAI_API_KEY'],
  prices: 'openai',
});
