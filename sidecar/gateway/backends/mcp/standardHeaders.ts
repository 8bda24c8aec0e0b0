import { isRecord } from '../../../platform/isRecord.ts';
import { metaKeys, type RpcRequest } from '../../../protocol/gateway/mcpWire.ts';

/** The parameter that `Mcp-Name` repeats, for each method that needs the header (MCP 2026-07-28). */
export const namedBy: Readonly<Record<string, 'name' | 'uri' | 'taskId'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The headers that a request of the modern era repeats from its body. */
export function standardHeaders(request: RpcRequest): Record<string, string> {
  const meta = request.params?.['_meta'];
  const version = isRecord(meta) ? meta[metaKeys.protocolVersion] : undefined;
  const source = Object.hasOwn(namedBy, request.method) ? namedBy[request.method] : undefined;
  const name = source === undefined ? undefined : request.params?.[source];
  return {
    ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
    'mcp-method': request.method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderText(name) }),
  };
}

const prefix = '=?base64?';
const suffix = '?=';

/** Text as a header may carry it; what is not plain ASCII goes as `=?base64?…?=`. */
export function encodeHeaderText(text: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !isEncoded(text);
  return isPlain ? text : `${prefix}${Buffer.from(text, 'utf8').toString('base64')}${suffix}`;
}

/** The text in a header; `undefined` where the base64 in it is none. */
export function decodeHeaderText(value: string): string | undefined {
  if (!isEncoded(value)) return value;
  const inside = value.slice(prefix.length, -suffix.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(inside)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(inside, 'base64'));
  } catch {
    return undefined; // base64 of something that is no UTF-8
  }
}

const isEncoded = (text: string) => text.startsWith(prefix) && text.endsWith(suffix);
