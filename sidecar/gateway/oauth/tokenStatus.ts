import type { HttpRequest, HttpResponse } from '../../platform/httpMessages.ts';
import type { CallContext } from '../auth/caller.ts';
import { pathOf } from './addresses.ts';
import { type Clients, clientDigest } from './clients.ts';
import { SCOPE } from './documents.ts';
import { readForm } from './form.ts';
import type { Grants } from './grants.ts';
import { jsonAnswer, OAuthRefusal } from './refusal.ts';
import type { Revocations } from './revocations.ts';
import { clientOf } from './token.ts';

export interface TokenStatusDeps {
  readonly clients: Clients;
  readonly grants: Grants;
  readonly revocations: Revocations;
  readonly nowMs: () => number;
}

/**
 * `POST /revoke` (RFC 7009): ends a token and all of its family. A token that is not this client's is answered like one that
 * is over.
 *
 * @throws {OAuthRefusal} `invalid_client`, `invalid_request`
 */
export async function revoke(
  request: HttpRequest,
  { clients, grants, revocations }: TokenStatusDeps,
): Promise<HttpResponse> {
  const form = await readForm(request);
  const text = form.get('token') ?? '';
  if (text === '') throw new OAuthRefusal('invalid_request', "The parameter 'token' is missing.");
  const client = await clientOf(request, form, clients);
  const claims = grants.openRefresh(text) ?? grants.openAccess(text);
  if (claims?.c === clientDigest(client)) await revocations.revoke(claims.f);
  return new Response(null, { status: 200, headers: { 'cache-control': 'no-store' } });
}

/** `POST /introspect` (RFC 7662), for callers with a virtual key: of tokens that come from their own key, or of any for admins. */
export async function introspect(
  request: HttpRequest,
  { caller, baseUrl }: CallContext,
  { grants, revocations, nowMs }: TokenStatusDeps,
): Promise<HttpResponse> {
  const text = (await readForm(request)).get('token') ?? '';
  const access = grants.openAccess(text);
  const claims = access ?? grants.openRefresh(text);
  const isTheirs = claims !== undefined && (caller.isAdmin || claims.t === caller.key.token);
  if (!isTheirs || nowMs() >= claims.e || (await revocations.isRevoked(claims.f))) return jsonAnswer({ active: false });
  return jsonAnswer({
    active: true,
    scope: SCOPE,
    aud: `${baseUrl}${pathOf(claims.a)}`,
    iat: Math.floor(claims.i / 1_000),
    exp: Math.floor(claims.e / 1_000),
    ...(access && { token_type: 'Bearer' }),
  });
}
