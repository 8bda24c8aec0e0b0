import * as z from 'zod';
import { audienceOfResource, type Issuer, issuerAt } from './addresses.ts';
import { type Clients, clientDigest } from './clients.ts';
import { repeatedParameter, textIn } from './form.ts';
import { checkRedirect, isNear, isSameRedirect } from './redirects.ts';
import { OAuthRefusal } from './refusal.ts';

const MAX_STATE_CHARACTERS = 2_048;
const challengeForm = /^[\w-]{43}$/;

/** A request for access that is in order; sealed into forms and states, so its members are short. */
export const Pending = z.object({
  /** Digest of the client's id. */
  c: z.string(),
  /** The client, as it calls itself. */
  n: z.string(),
  /** Redirect address. */
  r: z.string(),
  /** The client's `state`. */
  s: z.string().optional(),
  /** S256 challenge. */
  p: z.string(),
  /** Audience. */
  a: z.string(),
  /** Path of the issuer that the client knows. */
  i: z.string(),
});
export type Pending = z.infer<typeof Pending>;

/** A mistake that is reported to the client at its redirect address, which was checked. */
export class RedirectedRefusal extends Error {
  override readonly name = 'RedirectedRefusal';
  readonly refusal: OAuthRefusal;
  readonly to: Pick<Pending, 'r' | 's' | 'i'>;
  /** Leads nowhere that the person should be asked about first. */
  readonly isNear: boolean;

  constructor(refusal: OAuthRefusal, to: Pick<Pending, 'r' | 's' | 'i'>, near: boolean) {
    super(refusal.message);
    this.refusal = refusal;
    this.to = to;
    this.isNear = near;
  }
}

export interface AuthorizeDeps {
  readonly clients: Clients;
  readonly trustedRedirects: readonly string[];
}

/**
 * Judges all of an authorization request before anybody is sent anywhere.
 *
 * @param prefix in front of `/authorize`: empty, or `/{s}`
 * @throws {OAuthRefusal} where it is not certain whom an answer would reach: that is for the person alone
 * @throws {RedirectedRefusal} for any other mistake
 */
export async function readAuthorizeRequest(
  query: URLSearchParams,
  prefix: string,
  baseUrl: string,
  { clients, trustedRedirects }: AuthorizeDeps,
): Promise<Pending> {
  const twice = repeatedParameter(query);
  if (twice !== undefined)
    throw new OAuthRefusal('invalid_request', `The parameter '${twice}' appears more than once.`);
  const client = await clients.find(needed(query, 'client_id'));
  const r = needed(query, 'redirect_uri');
  checkRedirect(r, trustedRedirects);
  if (!client.redirectUris.some((it) => isSameRedirect(it, r))) {
    throw new OAuthRefusal('invalid_redirect_uri', 'This client did not register this redirect address.');
  }
  const issuer = issuerFor(query, prefix);
  const s = textIn(query, 'state');
  const to = { r, ...(s !== undefined && s.length <= MAX_STATE_CHARACTERS && { s }), i: issuer.path };
  try {
    checkForm(query, s);
    const a = wantedAudience(textIn(query, 'resource'), issuer, prefix, baseUrl);
    return { ...to, c: clientDigest(client), n: client.name, p: needed(query, 'code_challenge'), a };
  } catch (thrown) {
    if (!(thrown instanceof OAuthRefusal)) throw thrown;
    throw new RedirectedRefusal(thrown, to, isNear(r, trustedRedirects));
  }
}

function checkForm(query: URLSearchParams, state: string | undefined): void {
  if (needed(query, 'response_type') !== 'code') {
    throw new OAuthRefusal('unsupported_response_type', "'response_type' must be 'code'.");
  }
  // Without a method it would be `plain` (RFC 7636 4.3), which proves nothing.
  if (query.get('code_challenge_method') !== 'S256' || !challengeForm.test(query.get('code_challenge') ?? '')) {
    throw new OAuthRefusal('invalid_request', "'code_challenge' with 'code_challenge_method' S256 is required.");
  }
  if (state !== undefined && state.length > MAX_STATE_CHARACTERS) {
    throw new OAuthRefusal('invalid_request', `'state' is longer than ${MAX_STATE_CHARACTERS} characters.`);
  }
}

function issuerFor(query: URLSearchParams, prefix: string): Issuer {
  const issuer = issuerAt(query.get('issuer') ?? (prefix || '/mcp'));
  if (issuer?.prefix === prefix) return issuer;
  throw new OAuthRefusal('invalid_request', "'issuer' does not match this address.");
}

/** At the endpoints of one server, tokens are for that server alone. */
function wantedAudience(resource: string | undefined, issuer: Issuer, prefix: string, baseUrl: string): string {
  if (resource === undefined) return issuer.audience;
  const audience = audienceOfResource(resource, baseUrl);
  if (audience !== undefined && (prefix === '' || audience === issuer.audience)) return audience;
  throw new OAuthRefusal('invalid_target', "'resource' is not the address of an MCP server on this gateway.");
}

function needed(query: URLSearchParams, name: string): string {
  const value = textIn(query, name);
  if (value === undefined) throw new OAuthRefusal('invalid_request', `The parameter '${name}' is missing.`);
  return value;
}

/** The address that carries an answer to the client, with the issuer it comes from (RFC 9207). */
export function answerUrl(
  { r, s, i }: Pick<Pending, 'r' | 's' | 'i'>,
  baseUrl: string,
  answer: { readonly code: string } | { readonly error: string; readonly error_description: string },
): string {
  const url = new URL(r);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (s !== undefined) url.searchParams.set('state', s);
  url.searchParams.set('iss', `${baseUrl}${i}`);
  return url.href;
}
