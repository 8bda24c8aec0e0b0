import * as z from 'zod';
import { jsonRpcErrors } from '../jsonRpcErrors.ts';

// Every call is read by these schemas on its way in and on its way back. One look of our own costs a fraction of a union, or
// of a text with checks.

/** JSON-RPC ids as MCP allows them: a string or a whole number, never null. */
export const RpcId = z.custom<string | number>(
  (value) => typeof value === 'string' || Number.isSafeInteger(value),
  'expected a string or a whole number',
);
export type RpcId = z.infer<typeof RpcId>;

const Method = z.custom<string>(
  (value) => typeof value === 'string' && value.length > 0 && value.length <= 256,
  'expected a text of 1 to 256 characters',
);

/** An object with any members: which they are is for whoever reads one. */
const Members = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

export const RpcRequest = z.object({
  jsonrpc: z.literal('2.0'),
  id: RpcId,
  method: Method,
  params: Members.optional(),
});
export type RpcRequest = z.infer<typeof RpcRequest>;

export const RpcNotification = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.undefined().optional(),
  method: Method,
  params: Members.optional(),
});
export type RpcNotification = z.infer<typeof RpcNotification>;

const RpcErrorBody = z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() });

const RpcResult = z.object({ jsonrpc: z.literal('2.0'), id: RpcId, result: Members });
const RpcFailure = z.object({ jsonrpc: z.literal('2.0'), id: RpcId.nullish(), error: RpcErrorBody });
export const RpcResponse = z.union([RpcResult, RpcFailure]);
export type RpcResponse = z.infer<typeof RpcResponse>;

export type RpcMessage =
  | { readonly kind: 'request'; readonly message: RpcRequest }
  | { readonly kind: 'notification'; readonly message: RpcNotification }
  | { readonly kind: 'response'; readonly message: RpcResponse };

/** Which of the three a parsed JSON value is; the value itself goes on. `undefined` for anything else, batches included. */
export function readRpc(value: unknown): RpcMessage | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (!('method' in value)) return isResponse(value) ? { kind: 'response', message: value } : undefined;
  if ('id' in value && value.id !== undefined)
    return isRequest(value) ? { kind: 'request', message: value } : undefined;
  return isNotification(value) ? { kind: 'notification', message: value } : undefined;
}

const isRequest = (value: unknown): value is RpcRequest => RpcRequest.safeParse(value).success;
const isNotification = (value: unknown): value is RpcNotification => RpcNotification.safeParse(value).success;
const isResponse = (value: unknown): value is RpcResponse =>
  RpcResult.safeParse(value).success || RpcFailure.safeParse(value).success;

/** Numbers of JSON-RPC and of MCP that the gateway itself answers with. */
export const mcpErrors = {
  ...jsonRpcErrors,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Versions of the legacy era, which has `initialize` and sessions, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
/** Versions of the modern era, which has neither, newest first. */
export const modernVersions = ['2026-07-28'] as const;
/** Versions are dates: everything from here on has no `initialize`. */
const firstModern = '2026-07-28';

export type McpEra = 'legacy' | 'modern';
export const eraOf = (version: string): McpEra => (version >= firstModern ? 'modern' : 'legacy');

export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** What an `initialize` of a client says, as far as it is kept. */
export const InitializeParams = z.object({
  protocolVersion: z.string(),
  capabilities: Members.default({}),
  clientInfo: z.object({ name: z.string(), version: z.string() }).default({ name: 'unknown', version: '0' }),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

/** What a backend's `initialize` answers, as far as the gateway reads it. */
export const InitializeResult = z.object({
  protocolVersion: z.string(),
  capabilities: Members.default({}),
  serverInfo: z.object({ name: z.string(), version: z.string() }).optional(),
  instructions: z.string().optional(),
});
export type InitializeResult = z.infer<typeof InitializeResult>;

/** `_meta` of a request: the token for its progress notifications. */
export function progressTokenOf(params: Readonly<Record<string, unknown>> | undefined): RpcId | undefined {
  const meta = params?.['_meta'];
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return undefined;
  return RpcId.safeParse(meta.progressToken).data;
}
