import { Fault } from '../../platform/faults.ts';
import { allValues, type HeaderList, MAX_HEADER_BYTES, type Surface } from './headerList.ts';

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
  for (const name of names) {
    const values = allValues(headers, name);
    if (values.length > 1) throw bad(name, 'came more than once');
    if ((values[0]?.length ?? 0) > MAX_HEADER_BYTES) throw bad(name, `is longer than ${MAX_HEADER_BYTES} bytes`);
  }
  const header = names.find((it) => (allValues(headers, it)[0] ?? '') !== '');
  if (header === undefined) return undefined;
  const value = allValues(headers, header)[0]!;
  const bearer = header === AUTHORIZATION ? undefined : bearerOf(allValues(headers, AUTHORIZATION)[0]);
  return { key: keyIn(header, value, surface), header, ...(bearer !== undefined && bearer !== '' && { bearer }) };
}

function credentialHeaders(headers: HeaderList, surface: Surface, options: CredentialOptions): readonly string[] {
  if (surface === 'mcp') return [PREFERRED, AUTHORIZATION];
  const vendors = headers.map(([name]) => name.toLowerCase()).filter((it) => vendorKey.test(it) && it !== PREFERRED);
  return [
    PREFERRED,
    AUTHORIZATION,
    'api-key',
    'x-api-key',
    ...new Set(vendors),
    ...options.subscriptionKeyHeaders,
    ...(options.passThroughHeader === undefined ? [] : [options.passThroughHeader]),
  ];
}

function keyIn(header: string, value: string, surface: Surface): string {
  if (header !== PREFERRED && header !== AUTHORIZATION) return value;
  const bearer = bearerOf(value);
  if (bearer !== undefined) {
    if (bearer === '') throw bad(header, 'has no key after the word Bearer');
    return bearer;
  }
  // The MCP routes take the preferred header in one form only.
  if (surface === 'mcp' && header === PREFERRED) throw bad(header, 'must be "Bearer" and the key');
  return value;
}

/** @returns `undefined` where the value does not begin with the word */
function bearerOf(value: string | undefined): string | undefined {
  return /^bearer(?:\s+(.*))?$/i
    .exec(value ?? '')
    ?.slice(1)
    .map((it) => (it ?? '').trim())[0];
}

function bad(header: string, what: string): Fault {
  return new Fault('invalid_params', `The header ${header} ${what}.`, { data: { field: header } });
}
