import type { HttpRequest } from '../../../platform/httpMessages.ts';
import { readBody } from '../../../platform/requestBody.ts';
import { mcpErrors, type RpcNotification } from '../../../protocol/gateway/mcpWire.ts';
import { type ClientMessage, type RefusedMessage, readClientMessage } from '../../wire/mcpMessage.ts';
import { ambiguityWords, readStrict } from '../../wire/strictJson.ts';
import { errorMessage } from '../answers.ts';
import type { McpContext, McpDeps } from '../mcpDeps.ts';

/** Deeper than any call needs: what is behind us may count levels on its stack. */
export const maxDepth = 64;

/** What a POST brought: one message, or a batch (MCP 2025-03-26). */
export type Arrival =
  | { readonly kind: 'one'; readonly message: ClientMessage }
  | { readonly kind: 'batch'; readonly messages: readonly ClientMessage[] }
  | { readonly kind: 'unread'; readonly status: 400 | 413; readonly code: number; readonly words: string };

/** Reads the body of a POST: with {@link arrivalOf}, the one way by which messages of clients come in. */
export const readArrival = (request: HttpRequest, deps: McpDeps): Promise<Arrival> =>
  readBody(request, deps.options.maxBodyBytes).then((text) => arrivalOf(text, deps));

/** Classifies a body. @param text `undefined` if the body is too large */
export function arrivalOf(text: string | undefined, { options }: McpDeps): Arrival {
  if (text === undefined)
    return { kind: 'unread', status: 413, code: mcpErrors.invalidRequest, words: 'The body is too large' };
  const read = readStrict(text, { maxDepth });
  if ('refused' in read) {
    const { refused } = read;
    if (refused === 'no JSON') return { kind: 'unread', status: 400, code: mcpErrors.parse, words: 'Parse error' };
    const words = `Invalid request: ${ambiguityWords(refused)}`;
    return { kind: 'unread', status: 400, code: mcpErrors.invalidRequest, words };
  }
  const { value, hasOddNumbers } = read;
  if (!Array.isArray(value)) return { kind: 'one', message: readClientMessage(read, options.methods) };
  return {
    kind: 'batch',
    messages: value.map((it) => readClientMessage({ value: it, hasOddNumbers }, options.methods)),
  };
}

/** What came in and was not taken leaves its record like every other call. */
export function recordRefusal(
  { deps, context, route }: { deps: McpDeps; context: McpContext; route: { template: string } },
  { code, words, method = 'unread' }: Pick<RefusedMessage, 'code' | 'words'> & { method?: string | undefined },
): void {
  const first = { endpoint: route.template, call_type: `mcp:${method}`, model: `MCP: ${method}` };
  deps.record(context, first).finish({ status: 'failure', error: words, error_code: `${code}` });
}

/**
 * A notification that is not relayed: it goes nowhere, and only the record says so. JSON-RPC 2.0 (4.1) forbids to answer it.
 *
 * @returns whether it was dropped
 */
export function dropsNotification(
  requestContext: Parameters<typeof recordRefusal>[0],
  { method }: RpcNotification,
): boolean {
  if (requestContext.deps.options.methods.get(method)?.judged === 'notification') return false;
  recordRefusal(requestContext, { code: mcpErrors.methodNotFound, words: 'Method not found', method });
  return true;
}

export const refusalMessage = ({ id, code, words }: RefusedMessage) => errorMessage(id, code, words);
