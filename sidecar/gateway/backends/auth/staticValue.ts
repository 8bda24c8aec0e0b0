import { Fault } from '../../../platform/faults.ts';
import type { AuthTypeDefinition } from '../../../protocol/gateway/authTypes/definition.ts';
import { isHeaderName, isHeaderValue, isTransportHeader } from '../headerNames.ts';
import type { BackendSecrets } from '../registration.ts';
import type { Authenticator } from './authenticator.ts';

/**
 * An auth_type whose secret is `credentials.auth_value`, sent with each call.
 * @param owns the header where it goes, unless `upstream_token_header` names another
 * @param format from the trimmed secret to the header's value
 */
export function staticValue(
  { owns }: AuthTypeDefinition & { readonly owns: readonly [header: string] },
  format: (value: string) => string,
): Authenticator {
  const [header] = owns;
  return {
    check: (_, secrets) => void read(header, secrets, format),
    credential: ({ secrets }) => {
      const headers = read(header, secrets, format);
      return { headers, resolution: 'static-token', identity: '' };
    },
  };
}

function read(header: string, secrets: BackendSecrets, format: (value: string) => string) {
  const value = secrets.auth_value?.trim() ?? '';
  if (value === '' || /^(bearer|basic|token)$/i.test(value))
    throw invalid('credentials.auth_value', 'is required for this auth_type');
  return credentialHeader(header, format(value), secrets);
}

/**
 * One credential under its header name: `upstream_token_header`, or the usual one.
 * @param field that the credential came from, for the message
 * @throws {Fault} `invalid_params` naming the field, for what no header may hold
 */
export function credentialHeader(
  usual: string,
  value: string,
  secrets: BackendSecrets,
  field = 'credentials.auth_value',
): Record<string, string> {
  const named = secrets.upstream_token_header?.trim().toLowerCase();
  const name = named || usual;
  if (!isHeaderName(name) || isTransportHeader(name)) {
    throw invalid('credentials.upstream_token_header', 'is not a valid header name');
  }
  if (!isHeaderValue(value)) {
    throw invalid(field, 'contains characters that are not allowed in a header or is longer than 8 kB');
  }
  return { [name]: value };
}

/** `Bearer xyz` and `xyz` mean the same secret: a scheme word that is there already goes, in any case of letters, and alone is no secret. */
export function withoutScheme(value: string, ...words: readonly string[]): string {
  const trimmed = value.trim();
  const found = words.find((it) => `${trimmed} `.slice(0, it.length + 1).toLowerCase() === `${it.toLowerCase()} `);
  return found === undefined ? trimmed : trimmed.slice(found.length).trim();
}

const invalid = (field: string, message: string) =>
  new Fault('invalid_params', `'${field}' ${message}.`, { data: { field } });
