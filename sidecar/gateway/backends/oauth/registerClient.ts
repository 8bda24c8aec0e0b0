import * as z from 'zod';
import { Fault } from '../../../platform/faults.ts';
import { parsedJson } from '../../../platform/json.ts';
import { isLoopback } from '../../../platform/loopback.ts';
import type { SmallFetch } from '../net/smallFetch.ts';
import type { AuthorizationServer } from './discovery.ts';
import type { RegisteredClient } from './stores.ts';

const Answer = z.object({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** How we would rather authenticate, best first: PKCE makes a secret unnecessary. */
const authMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const;

/**
 * Registers this gateway as a client (RFC 7591) of an authorization server, for one redirect address. Without
 * `application_type`, a server can take it for a web client, and refuse an address on this machine (OpenID Connect Dynamic
 * Client Registration, 2).
 * @throws {Fault} `unavailable` where the server offers no registration or refuses it
 */
export async function registerClient(
  server: AuthorizationServer,
  wanted: { readonly redirectUri: string; readonly name: string; readonly scope?: string | undefined },
  fetch: SmallFetch,
): Promise<RegisteredClient> {
  if (server.registration_endpoint === undefined) {
    throw failed("The authorization server does not support client registration. Set 'credentials.client_id'.");
  }
  const offered = server.token_endpoint_auth_methods_supported;
  const method = authMethods.find((it) => offered?.includes(it)) ?? 'none';
  const body = {
    client_name: wanted.name,
    application_type: isLoopback(new URL(wanted.redirectUri).hostname) ? 'native' : 'web',
    redirect_uris: [wanted.redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    ...(wanted.scope !== undefined && { scope: wanted.scope }),
  };
  const { status, text } = await fetch({
    method: 'POST',
    url: server.registration_endpoint,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = status === 201 || status === 200 ? Answer.safeParse(parsedJson(text)).data : undefined;
  if (!answer) throw failed('The authorization server did not register this gateway as a client.');
  return { token_endpoint_auth_method: method, ...answer, issuer: server.issuer, redirect_uris: [wanted.redirectUri] };
}

const failed = (message: string) => new Fault('unavailable', message, { data: { reason: 'client_registration' } });
