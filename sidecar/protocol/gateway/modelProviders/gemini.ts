import { defineProvider } from './definition.ts';

export const gemini = defineProvider({
  label: 'Google Gemini',
  aliases: ['google'],
  dialects: { gemini: '/{version}/models/{model}' },
  apiBase: 'https://generativelanguage.googleapis.com',
  auth: { header: 'x-goog-api-key' },
  needsKey: true,
  requestHeaders: ['x-goog-api-client'],
  responseHeaders: [],
  variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  prices: 'google',
});
