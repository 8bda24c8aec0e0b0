import { Fault } from '../../../platform/faults.ts';
import { readTarget } from '../net/guard.ts';
import type { BackendSecrets, McpRegistration } from '../registration.ts';

export const authMethods = ['client_secret_post', 'client_secret_basic', 'none'] as const;
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256'] as const;
export const exchangeProfiles = ['rfc8693', 'entra_obo'] as const;

const addressFields = [
  'issuer',
  'authorization_url',
  'token_url',
  'registration_url',
  'token_exchange_endpoint',
] as const;

/**
 * The fields that every OAuth flow of a server shares.
 * @throws {Fault} `invalid_params` or, for a forbidden address, `forbidden`, naming the field
 */
export function checkClient(server: McpRegistration, secrets: BackendSecrets): void {
  const policy = { allowPrivate: server.allow_private_network === true };
  for (const field of addressFields) {
    const address = server[field];
    if (address) checkAddress(address, policy.allowPrivate, field);
  }
  if (secrets.token_exchange_endpoint) {
    checkAddress(secrets.token_exchange_endpoint, policy.allowPrivate, 'credentials.token_exchange_endpoint');
  }
  oneOf('credentials.token_endpoint_auth_method', secrets.token_endpoint_auth_method, authMethods);
  oneOf('credentials.client_assertion_signing_alg', secrets.client_assertion_signing_alg, assertionAlgorithms);
}

/** A client that acts by itself has a secret. @throws {Fault} `invalid_params` naming the field */
export function checkClientSecret(_server: McpRegistration, secrets: BackendSecrets): void {
  if (!secrets.client_id) throw invalid('credentials.client_id', 'is required for client_credentials');
  if (!secrets.client_secret && !secrets.client_private_key) {
    throw invalid(
      'credentials.client_secret',
      "or 'credentials.client_private_key' is required for client_credentials",
    );
  }
}

/** @throws {Fault} `invalid_params` naming the field */
export function checkExchange(server: McpRegistration, secrets: BackendSecrets): void {
  if (!secrets.client_id) throw invalid('credentials.client_id', 'is required for a token exchange');
  if (exchangeEndpoint(server, secrets) === undefined) {
    throw invalid('token_exchange_endpoint', "or 'token_url' is required for a token exchange");
  }
  oneOf('token_exchange_profile', server.token_exchange_profile ?? secrets.token_exchange_profile, exchangeProfiles);
}

/** `token_exchange_endpoint`, else `token_url`. */
export const exchangeEndpoint = (server: McpRegistration, secrets: BackendSecrets): string | undefined =>
  server.token_exchange_endpoint || secrets.token_exchange_endpoint || server.token_url || undefined;

/** Tokens and secrets travel in clear text only on private networks that were allowed. */
function checkAddress(address: string, allowPrivate: boolean, field: string): void {
  const url = readTarget(address, { allowPrivate }, field);
  if (url.protocol === 'http:' && !allowPrivate) throw invalid(field, 'must be an https URL');
}

function oneOf(field: string, value: string | null | undefined, words: readonly string[]): void {
  if (value && !words.includes(value)) throw invalid(field, `must be one of ${words.join(', ')}`);
}

const invalid = (field: string, message: string) =>
  new Fault('invalid_params', `'${field}' ${message}.`, { data: { field } });
