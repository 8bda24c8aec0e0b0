import * as z from 'zod';
import { UserRole } from '../people.ts';
import { Id } from '../stamps.ts';
import { SecretRef } from './secretRef.ts';

/** OpenID Connect Discovery 1.0, 4.1: https, without a query and a fragment. Plain http is for this machine alone. */
const issuer = /^(?:https:\/\/[^/?#\s]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:\/[^?#\s]*)?$/;
const Scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, 'must be a scope without spaces');
const Groups = z.array(z.string().min(1).max(512)).max(1_000);
/** What the gateway itself sends: nobody replaces it. */
const ownParameters = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
]);

/** How people sign in to the gateway's pages with an identity provider. */
export const SignInConfig = z
  .strictObject({
    issuer: z
      .string()
      .max(2_048)
      .regex(issuer, 'must be an https URL without a query, such as https://login.example.com')
      .describe("Issuer URL of the identity provider, exactly as in the provider's OpenID Connect discovery document."),
    name: z.string().min(1).max(64).default('SSO').describe('Name of the identity provider on the sign-in button.'),
    client_id: z.string().min(1).max(512).describe('ID of the client that is registered for the gateway.'),
    client_secret: SecretRef.optional().describe('Secret of the client. A public client has none.'),
    scopes: z
      .array(Scope)
      .max(32)
      .default(['openid', 'profile', 'email', 'offline_access'])
      .describe(
        'Scopes to request. openid is always requested. Without offline_access, most providers issue no refresh token, and sessions end after one hour.',
      ),
    authorization_parameters: z
      .record(z.string().min(1).max(64), z.string().max(1_024))
      .default({})
      .refine(
        (it) => !Object.keys(it).some((name) => ownParameters.has(name)),
        'must not replace a parameter that the gateway sends',
      )
      .describe('Additional parameters of the authorization request, for example {"prompt": "consent"}.'),
    redirect_base: z
      .url({ protocol: /^https?$/, error: 'must be a URL such as https://gateway.example.com' })
      .optional()
      .describe(
        'URL of the gateway in the redirect URI, which is {redirect_base}/ui/sign-in/callback. Default: public_url, or else the address that the browser uses.',
      ),
    groups_claim: z.string().min(1).max(256).default('groups').describe('Claim that contains the names of the groups.'),
    groups: z
      .record(
        z.string().min(1).max(512),
        z.strictObject({
          user_role: UserRole.optional().describe(
            'Role in the dashboard. If several groups give a role, the highest applies.',
          ),
          teams: z
            .record(Id, z.enum(['admin', 'user']))
            .default({})
            .describe('Role in teams, by team ID.'),
          organizations: z
            .record(Id, z.enum(['org_admin', 'internal_user']))
            .default({})
            .describe('Role in organizations, by organization ID.'),
        }),
      )
      .default({})
      .describe(
        'What members of groups can do in the dashboard, by group. Rights end when the group is removed from the person.',
      ),
    default_role: UserRole.default('internal_user').describe(
      'Role in the dashboard of people to whom neither a group nor an administrator gives a role.',
    ),
    allow: z
      .strictObject({
        everyone: z.boolean().default(false).describe('Everyone whom the identity provider signs in.'),
        groups: Groups.default([]).describe('Members of at least one of these groups.'),
        email_domains: z
          .array(z.string().min(1).max(253).toLowerCase())
          .max(256)
          .default([])
          .describe('People with a verified email address in one of these domains.'),
      })
      .refine((it) => it.everyone || it.groups.length > 0 || it.email_domains.length > 0, 'must allow somebody')
      .describe('Who can sign in. One matching rule is sufficient.'),
    create_users: z
      .boolean()
      .default(true)
      .describe(
        'Create a user at the first sign-in. If false, only users with a matching verified email address can sign in.',
      ),
    key_sign_in: z
      .boolean()
      .default(true)
      .describe('Whether people can also sign in to the dashboard with a virtual key.'),
    session_hours: z.number().positive().max(720).default(12).describe('Hours after which people must sign in again.'),
    recheck_s: z
      .int()
      .min(10)
      .max(3_600)
      .default(300)
      .describe(
        'Seconds after which the identity provider is asked again whether a session and its groups are still valid.',
      ),
    allow_private_network: z
      .boolean()
      .default(false)
      .describe('Allow an identity provider on this machine or a private network.'),
  })
  .describe(
    'Sign-in to the dashboard with an OpenID Connect identity provider. The embedded gateway ignores this setting. Read only at startup.',
  );
export type SignInConfig = z.infer<typeof SignInConfig>;
