import { Fault } from '../../platform/faults.ts';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What RFC 9110 allows in a value: visible characters, space and tab; so neither CR, LF nor NUL. */
const goodValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The longest header value that is forwarded or sent. */
export const maxHeaderValueLength = 8_192;

/** Belong to one connection or describe the body on it: only the HTTP client writes them. */
const transport: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What describes the message that the gateway itself writes; a caller's are about another one. */
const message: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'last-event-id',
]);

/** An HTTP token (RFC 9110, 5.6.2). */
export const isHeaderName = (name: string): boolean => token.test(name);

/** No control characters, nothing beyond Latin-1, at most 8 kB. */
export const isHeaderValue = (value: string): boolean => value.length <= maxHeaderValueLength && goodValue.test(value);

/** Whether a name belongs to the connection: no registration may set it either. Lower case. */
export const isTransportHeader = (name: string): boolean => transport.has(name) || name.startsWith('proxy-');

/**
 * Whether a caller's header of this name may go to a backend, under `extra_headers` or as a per-user header. Lower
 * case.
 */
export function mayBeForwarded(name: string): boolean {
  return (
    isHeaderName(name) &&
    !isTransportHeader(name) &&
    !message.has(name) &&
    name !== 'cookie' &&
    name !== 'cookie2' &&
    !name.startsWith('x-gateway-') &&
    !name.startsWith('mcp-')
  );
}

/**
 * A header that an admin registered.
 * @param field where it stands, for example `static_headers.X-Team`
 * @throws {Fault} `invalid_params` naming the field; the value is not in the message
 */
export function readHeader(field: string, name: string, value: string): readonly [name: string, value: string] {
  const bare = name.trim().toLowerCase();
  if (!isHeaderName(bare)) throw invalid(field, 'is not a valid header name');
  if (isTransportHeader(bare)) throw invalid(field, 'is set by the connection itself');
  if (bare.startsWith('x-gateway-') && bare !== 'x-gateway-assertion')
    throw invalid(field, 'is reserved for the gateway');
  const trimmed = value.trim();
  if (!isHeaderValue(trimmed)) {
    throw invalid(
      field,
      `has a value that contains control characters or is longer than ${maxHeaderValueLength} characters`,
    );
  }
  return [bare, trimmed];
}

const invalid = (field: string, message: string) =>
  new Fault('invalid_params', `'${field}' ${message}.`, { data: { field } });
