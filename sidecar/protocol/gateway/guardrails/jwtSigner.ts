import * as z from 'zod';
import { described } from '../../building.ts';
import { defineGuardrail } from './definition.ts';

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
  error: 'is set by the gateway and cannot be changed',
});
const ClaimSource = z.union([
  z.enum(callerSources),
  z.templateLiteral([tokenSourcePrefix, z.string().regex(/^[\w./:-]{1,128}$/)]),
]);
const Claims = z.record(EditableClaim, z.json());
/** Seconds. */
const Lifetime = z.int().min(60).max(300);

/** Nothing of the caller's own token is read unless `jwks_uri` says how to verify it. */
export const jwtSigner = defineGuardrail({
  guardrail: 'mcp_jwt_signer',
  description:
    'Adds a short-lived RS256 token to each outgoing tool call. The token identifies the caller and the tool.',
  modes: ['pre_mcp_call'],
  readsArguments: false,
  fields: described(
    {
      issuer: z.string().min(1).max(2048).optional(),
      audience: z.string().min(1).max(2048).optional(),
      token_ttl_seconds: Lifetime.default(300),
      end_user_claim_sources: z.array(ClaimSource).max(16).default(['token:sub', 'user_id']),
      optional_claims: z.array(EditableClaim).max(64).optional(),
      add_claims: Claims.optional(),
      set_claims: Claims.optional(),
      remove_claims: z.array(EditableClaim).max(64).optional(),
      required_claims: z.array(ClaimName).max(64).optional(),
      header: z
        .string()
        .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, { error: 'is not a valid header name' })
        .optional(),
      channel_token_audience: z.string().min(1).max(2048).optional(),
      channel_token_ttl: Lifetime.optional(),
      jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
      verify_issuer: z.string().min(1).max(2048).optional(),
      verify_audience: z.string().min(1).max(2048).optional(),
    },
    {
      issuer: "Value of the iss claim. Default: the gateway's public URL.",
      audience:
        'Value of the aud claim. Default: the canonical URL of the server being called, so that the token is not valid for other servers.',
      token_ttl_seconds: 'Token lifetime, in seconds.',
      end_user_claim_sources:
        "Sources for the sub claim, in order of preference. If none of them has a value, sub identifies the key. token:NAME is the NAME claim in the caller's verified token.",
      optional_claims: "Claims to copy from the caller's verified token, if present.",
      add_claims: 'Claims to add if the token does not already have them.',
      set_claims: 'Claims to set after add_claims. They replace existing values.',
      remove_claims: 'Claims to remove after add_claims and set_claims.',
      required_claims: "Claims that the caller's verified token must have. Otherwise, the call is refused.",
      header:
        "Header to send the token in. Default: Authorization. If the server's auth_type uses that header, the token is sent in x-gateway-assertion instead.",
      channel_token_audience: 'Audience of a second token, which is sent in the x-mcp-channel-token header.',
      channel_token_ttl: 'Lifetime of the second token, in seconds. Default: token_ttl_seconds.',
      jwks_uri:
        "URL of the JSON Web Key Set (RFC 7517) used to verify the caller's token. If set, a bearer token that cannot be verified is refused.",
      verify_issuer: "Required value of the iss claim in the caller's token.",
      verify_audience: "Required value of the aud claim in the caller's token. Must be set if jwks_uri is set.",
    },
  ),
  rules: [
    {
      holds: (it) => it.jwks_uri !== undefined || !(it.required_claims || it.optional_claims),
      error: "is required with required_claims or optional_claims, because the caller's token must be verified first",
      field: 'jwks_uri',
    },
    {
      holds: (it) => it.jwks_uri === undefined || it.verify_audience !== undefined,
      error: 'is required with jwks_uri, because tokens issued for other services must be refused',
      field: 'verify_audience',
    },
  ],
});
