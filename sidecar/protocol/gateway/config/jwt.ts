import * as z from 'zod';
import { Role } from '../key.ts';

/** Signatures with a private key. With a shared secret, whoever checks a token could also make one. */
export const JwtAlgorithm = z.enum([
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]);

/** Whoever changes keys on their way can sign tokens. Plain http is for this machine alone. */
const secure = /^(?:https:|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/?#]|$))/;
const SecureUrl = (example: string) =>
  z
    .url({ error: `must be an https URL such as ${example}`, abort: true })
    .refine((it) => secure.test(it), `must be an https URL such as ${example}`);
const Issuer = SecureUrl('https://id.example.com').max(1_024);
const Claim = z.string().min(1).max(256);
const Value = z.string().min(1).max(256);
const Seconds = (least: number, most: number) => z.int().min(least).max(most);

const JwtClaims = z
  .strictObject({
    user_id: Claim.nullable()
      .default('sub')
      .describe(
        'ID of the user. null: tokens belong to programs and not to users, so the team must be named by another claim.',
      ),
    email: Claim.default('email').describe(
      "User's email address. It is used only if the token also contains email_verified with the value true.",
    ),
    team_id: Claim.optional().describe(
      'ID or name of the team, or a list of them. From a list, the first team that the user may use is selected. Without this claim, calls are not made for a team.',
    ),
    organization_id: Claim.optional().describe('ID or name of the organization.'),
    end_user: Claim.optional().describe('ID of the end user. A caller cannot name another one in a header or body.'),
    roles: Claim.optional().describe(
      'Roles, scopes, or groups, as a list or as words separated by spaces. roles determines what they grant.',
    ),
  })
  .prefault({})
  .describe(
    'Names of the claims that identify the caller. For a member of a nested object, use a path such as realm_access.roles.',
  );

const JwtRole = z.strictObject({
  role: Role.optional().describe(
    'What the caller may do with the management API. Without a role, the caller cannot use the management API.',
  ),
  allowed_routes: z
    .array(z.string().min(1).max(512))
    .min(1)
    .max(256)
    .optional()
    .describe('Paths, paths that end in *, or groups of routes such as mcp_routes.'),
});

/** One identity provider whose tokens callers may send instead of a virtual key. */
export const ConfigJwtIssuer = z.strictObject({
  issuer: Issuer.describe('The iss claim of the tokens, compared exactly. Two entries cannot have the same issuer.'),
  audience: z
    .union([Value, z.array(Value).min(1).max(64)])
    .describe('The aud claim must contain one of these values. They identify this gateway at the identity provider.'),
  jwks_uri: SecureUrl('https://id.example.com/keys')
    .optional()
    .describe(
      "URL of the identity provider's keys. Default: the jwks_uri in <issuer>/.well-known/openid-configuration.",
    ),
  algorithms: z
    .array(JwtAlgorithm)
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('Signature algorithms that are accepted.'),
  claims: JwtClaims,
  roles: z
    .record(Value, JwtRole)
    .default({})
    .describe(
      'What values of claims.roles grant, by value. If several match, the most powerful role applies, and their routes are added. Without a match, callers can use MCP, A2A, models, and cloud agents.',
    ),
  required_claims: z
    .record(Claim, z.union([Value, z.array(Value).min(1).max(64)]))
    .default({})
    .describe('Claims that a token must have, with the allowed values. Tokens without them are refused.'),
  members_only: z
    .boolean()
    .default(true)
    .describe('Whether the user must be a member of the team that the token names.'),
  unknown_users: z
    .enum(['refuse', 'create'])
    .default('refuse')
    .describe(
      'What happens if the user does not exist: the call is refused, or a user without permissions of their own is created.',
    ),
  unknown_teams: z
    .enum(['refuse', 'create'])
    .default('refuse')
    .describe(
      'What happens if none of the teams that the token names exists: the call is refused, or the first one is created without permissions of its own, with the user as a member.',
    ),
  clock_tolerance_s: Seconds(0, 300)
    .default(30)
    .describe("How many seconds the identity provider's clock may differ from that of the gateway."),
  max_lifetime_s: Seconds(60, 31_536_000)
    .default(86_400)
    .describe('Tokens that expire later than this many seconds from now are refused.'),
  jwks_refresh_s: Seconds(30, 86_400).default(600).describe('After how many seconds the keys are fetched again.'),
  jwks_stale_s: Seconds(0, 604_800)
    .default(3_600)
    .describe(
      'How many seconds longer the keys are used if they cannot be fetched. After that, all tokens are refused.',
    ),
  allow_private_network: z
    .boolean()
    .default(false)
    .describe('Allow the keys to be on this machine or on a private network.'),
});
export type ConfigJwtIssuer = z.infer<typeof ConfigJwtIssuer>;

export const jwtShape = {
  jwt: z
    .array(ConfigJwtIssuer)
    .max(32)
    .default([])
    .describe(
      'Identity providers whose signed tokens (JWT) callers may send instead of a virtual key. Read only at startup. The embedded gateway ignores it.',
    ),
};
