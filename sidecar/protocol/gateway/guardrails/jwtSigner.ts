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
  description: 'Signs each outgoing tool call with a short-lived RS256 token that says who calls what.',
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
      issuer: "iss. Default: the gateway's public URL.",
      audience:
        'aud. Default: the canonical URL of the server that is called, so that no server can pass the token on.',
      token_ttl_seconds: 'How long a token is good, in seconds: 60 to 300.',
      end_user_claim_sources:
        "sub is the first of these that has a value, else the key. token: in front names a claim of the caller's verified token.",
      optional_claims: "Claims of the caller's verified token that are passed on where they are there.",
      add_claims: 'Claims that are added where the token has no such claim yet.',
      set_claims: 'Claims that are set after add_claims, whatever was there.',
      remove_claims: 'Claims that are removed, last of the edits.',
      required_claims: "Claims that the caller's verified token must have. A call without is refused.",
      header:
        "Header that carries the token. Default: Authorization; where that belongs to the server's auth_type, always x-gateway-assertion.",
      channel_token_audience: 'A second token, in x-mcp-channel-token, is for this audience.',
      channel_token_ttl: 'How long the second token is good, in seconds. Default: token_ttl_seconds.',
      jwks_uri:
        "Keys of whoever issued the caller's token (RFC 7517). From then on a bearer token that cannot be verified is refused.",
      verify_issuer: "What iss of the caller's token must be.",
      verify_audience: "What aud of the caller's token must be. Needed with jwks_uri.",
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
