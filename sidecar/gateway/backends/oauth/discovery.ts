import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import type { SmallFetch } from '../net/smallFetch.ts';
import { labelOf, type McpRegistration } from '../registration.ts';

/** Where a server's tokens come from: registered by an admin, or found by RFC 9728 and RFC 8414. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint?: string | undefined;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
}

const address = z.url({ protocol: /^https?$/ });

const ResourceMetadata = z.object({
  resource: address,
  authorization_servers: z.array(address).min(1),
  scopes_supported: z.array(z.string()).optional(),
});

const ServerMetadata = z.object({
  issuer: address,
  authorization_endpoint: address.optional(),
  token_endpoint: address,
  registration_endpoint: address.optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/**
 * The authorization server of an MCP server. Fields of the registration count before what is found; without `issuer`
 * the server's own metadata names it.
 * @throws {Fault} `unavailable` where nothing usable is found
 */
export async function findAuthorizationServer(
  server: McpRegistration,
  fetch: SmallFetch,
): Promise<AuthorizationServer> {
  const own = registered(server);
  if (own?.authorization_endpoint || (own && server.oauth2_flow === 'client_credentials')) return own;
  const resource = server.issuer ? undefined : await findResource(server, fetch);
  const issuer = server.issuer || resource?.authorization_servers[0];
  if (issuer === undefined) throw notFound(server);
  const found = await readServerMetadata(issuer, fetch);
  if (!found) throw notFound(server);
  return {
    ...found,
    scopes_supported: resource?.scopes_supported ?? found.scopes_supported,
    ...(server.authorization_url && { authorization_endpoint: server.authorization_url }),
    ...(server.token_url && { token_endpoint: server.token_url }),
    ...(server.registration_url && { registration_endpoint: server.registration_url }),
  };
}

/** The well-known segment goes between origin and path (RFC 8414 3.1, RFC 9728 3.1). */
export function wellKnown(name: string, at: string): string {
  const url = new URL(at);
  return `${url.origin}/.well-known/${name}${url.pathname.replace(/\/$/, '')}`;
}

function registered(server: McpRegistration): AuthorizationServer | undefined {
  if (!server.token_url) return undefined;
  return {
    issuer: server.issuer || new URL(server.token_url).origin,
    token_endpoint: server.token_url,
    ...(server.authorization_url && { authorization_endpoint: server.authorization_url }),
    ...(server.registration_url && { registration_endpoint: server.registration_url }),
  };
}

async function findResource(server: McpRegistration, fetch: SmallFetch) {
  if (!server.url) return undefined;
  const at = new URL(server.url);
  const places = [wellKnown('oauth-protected-resource', server.url), wellKnown('oauth-protected-resource', at.origin)];
  for (const url of new Set(places)) {
    const found = await readJson(url, ResourceMetadata, fetch);
    if (found && covers(found.resource, at)) return found;
  }
  return undefined;
}

/** Metadata about another resource says nothing about this one. */
function covers(resource: string, server: URL): boolean {
  const url = new URL(resource);
  const folder = url.pathname.replace(/\/$/, '');
  return url.origin === server.origin && (server.pathname === folder || server.pathname.startsWith(`${folder}/`));
}

async function readServerMetadata(issuer: string, fetch: SmallFetch): Promise<AuthorizationServer | undefined> {
  const places = [
    wellKnown('oauth-authorization-server', issuer),
    wellKnown('openid-configuration', issuer),
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
  for (const url of new Set(places)) {
    const found = await readJson(url, ServerMetadata, fetch);
    if (found && sameIssuer(found.issuer, issuer)) return found;
  }
  return undefined;
}

const sameIssuer = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '');

async function readJson<T>(url: string, schema: z.ZodType<T>, fetch: SmallFetch): Promise<T | undefined> {
  const { status, text } = await fetch({ method: 'GET', url, headers: { accept: 'application/json' } });
  if (status !== 200) return undefined;
  return schema.safeParse(parsed(text)).data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON is no metadata
  }
}

const notFound = (server: McpRegistration) =>
  new Fault('unavailable', `No authorization server is known for '${labelOf(server)}'; register its 'issuer'.`, {
    data: { reason: 'no_authorization_server', server_id: server.server_id },
  });
