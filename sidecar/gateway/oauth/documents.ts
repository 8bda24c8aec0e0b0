import { audienceOf, issuerAt, issuerOf } from './addresses.ts';

/** All that our tokens can be asked for: what the key behind one may use is decided at each call. */
export const SCOPE = 'mcp';
export const authMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const;

/**
 * The document of a resource (RFC 9728). Every possible name of a server gets the same one: who asks is not known yet, so none
 * of them reveals whether there is such a server.
 *
 * @param path what follows `/.well-known/oauth-protected-resource`
 * @returns `undefined` for an address that can never be one of ours
 */
export function protectedResource(path: string, baseUrl: string): object | undefined {
  const resource = path.replace(/\/$/, '') || '/mcp';
  const audience = audienceOf(resource);
  if (audience === undefined) return undefined;
  return {
    resource: `${baseUrl}${resource}`,
    authorization_servers: [`${baseUrl}${issuerOf(audience).path}`],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  };
}

/**
 * The document of an authorization server (RFC 8414), for every name alike.
 *
 * @param path what follows `/.well-known/oauth-authorization-server`. @returns `undefined` as above
 */
export function authorizationServer(path: string, baseUrl: string): object | undefined {
  const issuer = issuerAt(path);
  if (!issuer) return undefined;
  const endpoints = `${baseUrl}${issuer.prefix}`;
  // The answer names the issuer that the client asked for, so endpoints that several share learn which one that is.
  const isUsual = issuerOf(issuer.audience).path === issuer.path;
  return {
    issuer: `${baseUrl}${issuer.path}`,
    authorization_endpoint: `${endpoints}/authorize${isUsual ? '' : `?issuer=${encodeURIComponent(issuer.path)}`}`,
    token_endpoint: `${endpoints}/token`,
    registration_endpoint: `${endpoints}/register`,
    revocation_endpoint: `${baseUrl}/revoke`,
    introspection_endpoint: `${baseUrl}/introspect`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    scopes_supported: [SCOPE],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
