import { defineProvider } from './definition.ts';

export const anthropic = defineProvider({
  label: 'Anthropic',
  dialects: { messages: '/v1/messages' },
  apiBase: 'https://api.anthropic.com',
  auth: { header: 'x-api-key' },
  needsKey: true,
  addedHeaders: { 'anthropic-version': '2023-06-01' },
  requestHeaders: ['anthropic-version', 'anthropic-beta', 'idempotency-key'],
  responseHeaders: ['request-id'],
  variables: ['ANTHROPIC_API_KEY'],
  prices: 'anthropic',
});
