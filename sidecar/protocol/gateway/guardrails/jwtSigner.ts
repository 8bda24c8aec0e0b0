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
  error: 'is written by the gateway and cannot be edited',
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
        .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, { error: 'is no header name' })
        .optional(),
      channel_token_audience: z.string().min(1).max(2048).optional(),
      channel_token_ttl: Lifetime.optional(),
      jwks_uri: z.url({ protocol: /^https?$/ }).optional(),
      verify_issuer: z.string().min(1).max(2048).optional(),
      verify_audience: z.string().min(1).max(2048).optional(),
    },
    {
      issuer: 'The claim iss. Default: the public URL of the gateway.',
      audience:
        'The claim aud. Default: the canonical URL of the called server, so that the token is not valid for other servers.',
      token_ttl_seconds: 'Lifetime of a token in seconds.',
      end_user_claim_sources:
        "Sources of the claim sub. The first one with a value is used, otherwise the key. token:NAME is the claim NAME of the caller's verified token.",
      optional_claims: "Claims of the caller's verified token that are copied if present.",
      add_claims: 'Claims to add if the token does not have them yet.',
      set_claims: 'Claims to set after add_claims. They replace existing values.',
      remove_claims: 'Claims to remove after add_claims and set_claims.',
      required_claims: "Claims that the caller's verified token must have. A call without them is refused.",
      header:
        "Header that contains the token. Default: Authorization. If the server's auth_type uses that header, the token is always in x-gateway-assertion.",
      channel_token_audience: 'Audience of a second token, which is sent in x-mcp-channel-token.',
      channel_token_ttl: 'Lifetime of the second token in seconds. Default: token_ttl_seconds.',
      jwks_uri:
        "URL of the keys (RFC 7517) that verify the caller's token. If it is set, a bearer token that cannot be verified is refused.",
      verify_issuer: "Required value of the claim iss in the caller's token.",
      verify_audience: "Required value of the claim aud in the caller's token. Required with jwks_uri.",
    },
  ),
  rules: [
    {
      holds: (it) => it.jwks_uri !== undefined || !(it.required_claims || it.optional_claims),
      error: 'Claims of a token that nobody verified are not used: jwks_uri is needed',
      field: 'jwks_uri',
    },
    {
      holds: (it) => it.jwks_uri === undefined || it.verify_audience !== undefined,
      error: 'A token for somebody else says nothing here: verify_audience is needed with jwks_uri',
      field: 'verify_audience',
    },
  ],
});
