import { readAnswer } from './answers.ts';
import type { Binding } from './bindings.ts';

/** JSON-RPC: the method and ID are in the message. @param type the media type of the request */
export const rpcBinding = (type: string, isLegacy: boolean): Binding => ({
  name: 'JSONRPC',
  isLegacy,
  accept: 'application/json',
  write: (request, url) => ({ method: 'POST', url, body: JSON.stringify(request), type }),
  readAnswer: (text) => readAnswer(text),
  readEvent: ({ data }) => readAnswer(data),
  rewrite: (answer, result) => JSON.stringify({ ...answer, result }),
  lastEvent: ({ body }) => `data: ${JSON.stringify(body)}\n\n`,
});
