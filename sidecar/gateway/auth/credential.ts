import { Fault } from '../../platform/faults.ts';
import { type HeaderList, MAX_HEADER_BYTES, type Surface } from './headerList.ts';

/** The virtual key that a caller sent, in clear: it is hashed next and goes nowhere else. */
export interface Credential {
  readonly key: string;
  /** The header that held it, in lower case: it is never passed on. */
  readonly header: string;
  /** What `Authorization` carried as a bearer beside the key: the caller's own token, for whoever it is meant for. */
  readonly bearer?: string;
}

export interface CredentialOptions {
  /** Names, in lower case, of the subscription-key headers of API-management products. */
  readonly subscriptionKeyHeaders: readonly string[];
  /** The header that a configured pass-through endpoint names, in lower case. */
  readonly passThroughHeader?: string;
}
export const defaultCredentialOptions: CredentialOptions = { subscriptionKeyHeaders: ['ocp-apim-subscription-key'] };

const PREFERRED = 'x-gateway-api-key';
const AUTHORIZATION = 'authorization';
const onMcp = [PREFERRED, AUTHORIZATION] as const;
const vendorKey = /^x-[a-z0-9][a-z0-9-]*-api-key$/;

/**
 * Finds the key (`gateway.header.key.mcp`, `gateway.header.key.rest`). The headers have an order: the first one that is
 * there counts, and later ones are not tried when it is wrong. A query string never counts (`security.key-in-query`).
 *
 * @returns `undefined` where no such header was sent
 * @throws {Fault} `invalid_params` naming the header, for one that came twice, is too long or is not of its form
 */
export function readCredential(
  headers: HeaderList,
  surface: Surface,
  options: CredentialOptions = defaultCredentialOptions,
): Credential | undefined {
  const names = credentialHeaders(headers, surface, options);
  let header: string | undefined;
  for (const name of names) {
    const [value = '', ...more] = headers.values(name);
    if (more.length > 0) throw bad(name, 'appears more than once');
    if (value.length > MAX_HEADER_BYTES) throw bad(name, `is longer than ${MAX_HEADER_BYTES} bytes`);
    if (value !== '') header ??= name;
  }
  const value = header && headers.first(header);
  if (header === undefined || value === undefined) return undefined;
  const bearer = header === AUTHORIZATION ? undefined : bearerOf(headers.first(AUTHORIZATION));
  return { key: keyIn(header, value, surface), header, ...(bearer !== undefined && bearer !== '' && { bearer }) };
}

function credentialHeaders(headers: HeaderList, surface: Surface, options: CredentialOptions): readonly string[] {
  if (surface === 'mcp') return onMcp;
  const vendors = [...headers.names].filter((it) => vendorKey.test(it) && it !== PREFERRED);
  return [
    PREFERRED,
    AUTHORIZATION,
    'api-key',
    'x-api-key',
    ...vendors,
    ...options.subscriptionKeyHeaders,
    ...(options.passThroughHeader === undefined ? [] : [options.passThroughHeader]),
  ];
}

function keyIn(header: string, value: string, surface: Surface): string {
  if (header !== PREFERRED && header !== AUTHORIZATION) return value;
  const bearer = bearerOf(value);
  if (bearer !== undefined) {
    if (bearer === '') throw bad(header, 'has no key after "Bearer"');
    return bearer;
  }
  // The MCP routes take the preferred header in one form only.
  if (surface === 'mcp' && header === PREFERRED) throw bad(header, 'must be "Bearer" followed by the key');
  return value;
}

/** @returns `undefined` where the value does not begin with the word */
function bearerOf(value: string | undefined): string | undefined {
  const found = /^bearer(?:\s+(.*))?$/i.exec(value ?? '');
  return found ? (found[1] ?? '').trim() : undefined;
}

function bad(header: string, what: string): Fault {
  return new Fault('invalid_params', `The ${header} header ${what}.`, { data: { field: header } });
}
