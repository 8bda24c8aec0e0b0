import * as z from 'zod';

/** Made by the gateway for each token, or set by a field of its own: no edit may touch them. */
export const fixedClaims: readonly string[] = ['iss', 'aud', 'iat', 'nbf', 'exp', 'jti'];

/** Where `sub` may come from: a claim of the caller's verified token, or what the gateway knows of the caller. */
export const callerSources = [
  'user_id',
  'user_email',
  'end_user_id',
  'team_id',
  'organization_id',
  'key_alias',
] as const;
export type CallerSource = (typeof callerSources)[number];
/** In front of the name of a claim of the caller's token: `token:sub`. */
export const tokenSourcePrefix = 'token:';

const ClaimName = z.string().min(1).max(128);
const EditableClaim = ClaimName.refine((it) => !fixedClaims.includes(it), {
  error: 'is written by the gateway and cannot be edited',
});
const ClaimSource = z.union([
  z.enum(callerSources),
  z.templateLiteral([tokenSourcePrefix, z.string().regex(/^[\w./:-]{1,128}$/)]),
]);
const Claims = z.record(EditableClaim, z.json());
/** Seconds. */
const Lifetime = z.int().min(60).max(300);

/**
 * Own fields of `mcp_jwt_signer`, which signs each outgoing tool call with a short-lived RS256 token
 * (`gateway.signer.each-call`). Nothing of the caller's own token is read unless `jwks_uri` says how to verify it.
 */
export const jwtSignerFields = {
  /** `iss`. Default: the gateway's public URL. */
  issuer: z.string().min(1).max(2048).optional(),
  /** `aud`. Default: the canonical URL of the server that is called, so that no server can pass the token on. */
  audience: z.string().min(1).max(2048).optional(),
  token_ttl_seconds: Lifetime.default(300),
  /** `sub` is the first of these that has a value, else the key. */
  end_user_claim_sources: z.array(ClaimSource).max(16).default(['token:sub', 'user_id']),
  /** Claims of the caller's verified token that are passed on where they are there. */
  optional_claims: z.array(EditableClaim).max(64).optional(),
  /** Only where the token has no such claim yet. */
  add_claims: Claims.optional(),
  /** After `add_claims`, whatever was there. */
  set_claims: Claims.optional(),
  /** Last of the edits. */
  remove_claims: z.array(EditableClaim).max(64).optional(),
  /** Claims that the caller's verified token must have. A call without is refused. */
  required_claims: z.array(ClaimName).max(64).optional(),
  /** Default `Authorization`; where that belongs to the server's auth_type, always `x-gateway-assertion`. */
  header: z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, { error: 'is no header name' })
    .optional(),
  /** A second token, in `x-mcp-channel-token`, for this audience. */
  channel_token_audience: z.string().min(1).max(2048).optional(),
  channel_token_ttl: Lifetime.optional(),
  /** Keys of whoever issued the caller's token (RFC 7517). From then on a bearer token that cannot be verified is refused. */
  jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
  /** What `iss` and `aud` of the caller's token must be. With `jwks_uri` the audience is needed. */
  verify_issuer: z.string().min(1).max(2048).optional(),
  verify_audience: z.string().min(1).max(2048).optional(),
};
