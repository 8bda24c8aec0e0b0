import { shapeOf } from './shape.ts';

/** What JSON-RPC 2.0 knows around a request, a notification or an answer. */
export const envelope = shapeOf({
  jsonrpc: null,
  id: null,
  method: null,
  params: null,
  result: null,
  error: { code: null, message: null, data: null },
});
