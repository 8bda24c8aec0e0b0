import * as z from 'zod';
import { isRecord } from '../../../../platform/isRecord.ts';
import {
  type InitializeParams,
  metaKeys,
  modernVersions,
  type RpcRequest,
  type RpcResponse,
} from '../../../../protocol/gateway/mcpWire.ts';
import type { Item } from '../listAll.ts';
import { encodeHeaderText } from '../standardHeaders.ts';
import { eventOf, type StreamEvent } from '../streamEvent.ts';

/** Translates a request of a client of the legacy era for a server of the modern era. */
export function modernRequest(
  request: RpcRequest,
  client: InitializeParams,
  logLevel: string | undefined,
  more: Readonly<Record<string, unknown>> = {},
): RpcRequest {
  const given = request.params?.['_meta'];
  const _meta = {
    ...(isRecord(given) ? given : {}),
    [metaKeys.protocolVersion]: modernVersions[0],
    [metaKeys.clientCapabilities]: client.capabilities,
    [metaKeys.clientInfo]: client.clientInfo,
    ...(logLevel !== undefined && { [metaKeys.logLevel]: logLevel }),
  };
  return { ...request, params: { ...request.params, ...more, _meta } };
}

/** Removes from an answer what only the modern era has. */
export function legacyAnswer(answer: RpcResponse): RpcResponse {
  if ('error' in answer) return answer;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...result } = answer.result;
  return { ...answer, result };
}

/** Removes the ID of the subscription from a notification. */
export function legacyNotice(event: StreamEvent): StreamEvent {
  const read = event.message;
  const meta = read?.kind === 'notification' ? read.message.params?.['_meta'] : undefined;
  if (read?.kind !== 'notification' || !isRecord(meta)) return event;
  const { [metaKeys.subscriptionId]: _, ..._meta } = meta;
  return eventOf({
    kind: 'notification',
    message: { ...read.message, params: { ...read.message.params, _meta } },
  });
}

const InputRequired = z.object({
  resultType: z.literal('input_required'),
  inputRequests: z
    .record(z.string(), z.object({ method: z.string(), params: z.record(z.string(), z.unknown()).optional() }))
    .default({}),
  requestState: z.string().optional(),
});
export type InputRequired = z.infer<typeof InputRequired>;

/** The input that the server requires; `undefined` if this is its answer. */
export const inputRequired = (answer: RpcResponse): InputRequired | undefined =>
  'result' in answer && answer.result['resultType'] === 'input_required'
    ? InputRequired.safeParse(answer.result).data
    : undefined;

/** The capability that a client must have for each question. */
export const capabilityFor: Readonly<Record<string, string | undefined>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** Headers for the arguments that the tool's schema marks with `x-mcp-header` (MCP 2026-07-28). */
export function paramHeaders(tool: Item | undefined, args: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const left: [schema: unknown, value: unknown][] = [[tool?.['inputSchema'], args]];
  for (let at = left.pop(); at; at = left.pop()) {
    const [schema, value] = at;
    if (!isRecord(schema) || value === undefined || value === null) continue;
    const name = schema['x-mcp-header'];
    if (typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        headers[`mcp-param-${name.toLowerCase()}`] = encodeHeaderText(String(value));
      continue;
    }
    if (!isRecord(schema['properties']) || !isRecord(value)) continue;
    for (const [key, child] of Object.entries(schema['properties']))
      if (Object.hasOwn(value, key)) left.push([child, value[key]]);
  }
  return headers;
}
