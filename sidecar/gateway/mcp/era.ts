import * as z from 'zod';
import type { RequestHeaders } from '../../platform/httpMessages.ts';
import { isRecord } from '../../platform/isRecord.ts';
import {
  eraOf,
  type McpEra,
  mcpErrors,
  metaKeys,
  modernVersions,
  type RpcMessage,
  type RpcRequest,
} from '../../protocol/gateway/mcpWire.ts';
import { decodeHeaderText, namedBy } from '../backends/mcp/standardHeaders.ts';

/** What a request of the modern era carries in `_meta` (MCP 2026-07-28). */
const Envelope = z.object({
  [metaKeys.protocolVersion]: z.string(),
  [metaKeys.clientCapabilities]: z.record(z.string(), z.unknown()),
  [metaKeys.clientInfo]: z.object({ name: z.string(), version: z.string() }).optional(),
});

const removed = new Set(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']);

export interface EraRefusal {
  readonly status: 400 | 404;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * The era of a message, or why its claim is refused. The body decides, and headers are compared with it. A message that
 * claims the modern era must follow its rules; it is never served as a legacy one instead.
 */
export function judgeEra({ kind, message }: RpcMessage, headers: Pick<RequestHeaders, 'get'>): McpEra | EraRefusal {
  const versionHeader = headers.get('mcp-protocol-version') ?? undefined;
  const headerIsModern = versionHeader !== undefined && eraOf(versionHeader) === 'modern';
  if (kind !== 'request') return headerIsModern ? 'modern' : 'legacy';
  const meta = message.params?.['_meta'];
  const claims = isRecord(meta) && Object.hasOwn(meta, metaKeys.protocolVersion);
  if (message.method === 'initialize' && !claims) {
    return headerIsModern ? mismatch(`initialize is not supported in version ${versionHeader}`) : 'legacy';
  }
  if (!claims && !headerIsModern) return 'legacy';
  const envelope = Envelope.safeParse(meta);
  if (!envelope.success) {
    const key = envelope.error.issues[0]?.path.join('.') || '_meta';
    return { status: 400, code: mcpErrors.invalidParams, message: `Invalid _meta: ${key}`, data: { key } };
  }
  const version = envelope.data[metaKeys.protocolVersion];
  if (versionHeader !== undefined && versionHeader !== version) {
    return mismatch(`the body specifies ${version}, but the MCP-Protocol-Version header specifies ${versionHeader}`);
  }
  if (!modernVersions.some((it) => it === version)) return unsupported(version);
  return standardHeaderRefusal(message, headers, versionHeader) ?? removedRefusal(message.method) ?? 'modern';
}

function standardHeaderRefusal(
  request: RpcRequest,
  headers: Pick<RequestHeaders, 'get'>,
  versionHeader: string | undefined,
): EraRefusal | undefined {
  if (versionHeader === undefined) return mismatch('the MCP-Protocol-Version header is missing');
  const method = headers.get('mcp-method');
  if (method === null) return mismatch('the Mcp-Method header is missing');
  if (method !== request.method)
    return mismatch(`the body specifies ${request.method}, but the Mcp-Method header specifies ${method}`);
  const source = Object.hasOwn(namedBy, request.method) ? namedBy[request.method] : undefined;
  const value = source && request.params?.[source];
  if (typeof value !== 'string') return undefined;
  const header = headers.get('mcp-name');
  if (header === null) return mismatch('the Mcp-Name header is missing');
  const name = decodeHeaderText(header.trim());
  if (name === undefined) return mismatch('the Mcp-Name header contains invalid base64');
  return name === value
    ? undefined
    : mismatch(`the body specifies ${value}, but the Mcp-Name header specifies ${name}`);
}

const removedRefusal = (method: string): EraRefusal | undefined =>
  removed.has(method)
    ? { status: 404, code: mcpErrors.methodNotFound, message: `${method} is not a method in this protocol version` }
    : undefined;

const mismatch = (what: string): EraRefusal => ({
  status: 400,
  code: mcpErrors.headerMismatch,
  message: `Headers and body do not match: ${what}`,
});

/** @param supported what could be spoken instead. Default: the versions that `server/discover` lists */
export const unsupported = (requested: string, supported: readonly string[] = modernVersions): EraRefusal => ({
  status: 400,
  code: mcpErrors.unsupportedVersion,
  message: `Unsupported protocol version: ${requested}`,
  data: { supported, requested },
});
