import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { parsedJson } from '../../../platform/json.ts';
import type { SmallFetch } from '../net/smallFetch.ts';
import { labelOf, type McpRegistration } from '../registration.ts';
import { type BearerChallenge, readBearerChallenge } from './bearerChallenge.ts';

/** Where a server's tokens come from: registered by an admin, or found by RFC 9728 and RFC 8414. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorization_endpoint?: string | undefined;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string | undefined;
  readonly scopes_supported?: readonly string[] | undefined;
  readonly token_endpoint_auth_methods_supported?: readonly string[] | undefined;
  readonly code_challenge_methods_supported?: readonly string[] | undefined;
  readonly authorization_response_iss_parameter_supported?: boolean | undefined;
  /** What the server's own metadata calls itself: the `resource` of RFC 8707 where none is registered. */
  readonly resource?: string | undefined;
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
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/**
 * The authorization server of an MCP server. Fields of the registration count before what is found. Without `issuer`
 * the server's own metadata names it, at the address in its challenge or at the well-known places. A server of MCP
 * 2025-03-26 has no such metadata and is its own authorization server. All metadata is read before it is judged; where
 * a document is about another server, the error says that alone, and nobody signs in there.
 * @throws {Fault} `unavailable` where nothing usable is found
 */
export async function findAuthorizationServer(
  server: McpRegistration,
  fetch: SmallFetch,
): Promise<AuthorizationServer> {
  const own = registered(server);
  if (own?.authorization_endpoint || (own && server.oauth2_flow === 'client_credentials')) return own;
  const challenge = server.issuer ? undefined : await askForChallenge(server, fetch);
  const { resource, isForeign } = server.issuer ? nothing : await findResource(server, challenge, fetch);
  const isOlder = challenge && challenge.resource_metadata === undefined && !resource;
  const older = isOlder && server.url ? new URL(server.url).origin : undefined;
  const issuer = server.issuer || (resource?.authorization_servers[0] ?? older);
  if (!issuer) throw notFound(server);
  const found = await readServerMetadata(issuer, fetch);
  if (resource && isForeign) throw aboutAnother(server, resource.resource);
  if (found === 'foreign' || (!found && older === undefined)) throw notFound(server);
  return {
    ...(found ?? olderEndpoints(issuer)),
    scopes_supported: challenge?.scopes ?? resource?.scopes_supported ?? found?.scopes_supported,
    resource: resource?.resource,
    ...(server.authorization_url && { authorization_endpoint: server.authorization_url }),
    ...(server.token_url && { token_endpoint: server.token_url }),
    ...(server.registration_url && { registration_endpoint: server.registration_url }),
  };
}

/** Whether an administrator said who gives out its tokens; else the server itself says it, and may say otherwise later. */
export const isIssuerRegistered = ({ issuer, token_url }: McpRegistration): boolean => Boolean(issuer || token_url);

/** What a server says of who gives out its tokens; `undefined` where it says nothing usable. @throws {Fault} `unavailable` */
export async function readResource(
  server: McpRegistration,
  fetch: SmallFetch,
): Promise<z.infer<typeof ResourceMetadata> | undefined> {
  const { resource, isForeign } = await findResource(server, await askForChallenge(server, fetch), fetch);
  return isForeign ? undefined : resource;
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

/** What the server answers to somebody without a token. One that answers otherwise wants none, or says nothing of it. */
async function askForChallenge({ url }: McpRegistration, fetch: SmallFetch): Promise<BearerChallenge | undefined> {
  if (!url) return undefined;
  const { status, headers } = await fetch({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'sb-challenge', method: 'ping' }),
  });
  return status === 401 ? (readBearerChallenge(headers['www-authenticate']) ?? {}) : undefined;
}

interface FoundResource {
  readonly resource?: z.infer<typeof ResourceMetadata>;
  /** There are documents, all about other servers: this is the first. */
  readonly isForeign: boolean;
}
const nothing: FoundResource = { isForeign: false };

async function findResource(
  { url }: McpRegistration,
  challenge: BearerChallenge | undefined,
  fetch: SmallFetch,
): Promise<FoundResource> {
  if (!url) return nothing;
  let foreign: FoundResource | undefined;
  const at = new URL(url);
  const named = challenge?.resource_metadata;
  const places = [wellKnown('oauth-protected-resource', url), wellKnown('oauth-protected-resource', at.origin)];
  for (const it of new Set(named !== undefined && URL.canParse(named) ? [named, ...places] : places)) {
    const resource = await readJson(it, ResourceMetadata, fetch);
    if (resource && covers(resource.resource, at)) return { resource, isForeign: false };
    if (resource) foreign ??= { resource, isForeign: true };
  }
  return foreign ?? nothing;
}

/** The default endpoints of a server of MCP 2025-03-26. */
const olderEndpoints = (origin: string): AuthorizationServer => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
});

/** Metadata about another resource says nothing about this one. */
function covers(resource: string, server: URL): boolean {
  const url = new URL(resource);
  const folder = url.pathname.replace(/\/$/, '');
  return url.origin === server.origin && (server.pathname === folder || server.pathname.startsWith(`${folder}/`));
}

/** @returns `foreign` where there is a document, about another issuer (RFC 8414 3.3) */
async function readServerMetadata(
  issuer: string,
  fetch: SmallFetch,
): Promise<AuthorizationServer | 'foreign' | undefined> {
  let isForeign = false;
  const places = [
    wellKnown('oauth-authorization-server', issuer),
    wellKnown('openid-configuration', issuer),
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
  for (const url of new Set(places)) {
    const found = await readJson(url, ServerMetadata, fetch);
    if (found && sameIssuer(found.issuer, issuer)) return found;
    isForeign ||= found !== undefined;
  }
  return isForeign ? 'foreign' : undefined;
}

const sameIssuer = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '');

async function readJson<T>(url: string, schema: z.ZodType<T>, fetch: SmallFetch): Promise<T | undefined> {
  const { status, text } = await fetch({ method: 'GET', url, headers: { accept: 'application/json' } });
  if (status !== 200) return undefined;
  return schema.safeParse(parsedJson(text)).data;
}

const notFound = (server: McpRegistration) =>
  new Fault(
    'unavailable',
    `No authorization server is known for '${labelOf(server)}'. Set 'issuer' in its registration.`,
    {
      data: { reason: 'no_authorization_server', server_id: server.server_id },
    },
  );

const aboutAnother = (server: McpRegistration, resource: string) =>
  new Fault(
    'unavailable',
    `The sign-in metadata for '${labelOf(server)}' describes a different server. Check its 'url'.`,
    {
      data: { reason: 'resource_mismatch', server_id: server.server_id, resource },
    },
  );
