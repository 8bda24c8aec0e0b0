import * as z from 'zod';
import { t } from '../translatable.ts';
import type { AuthField, CredentialMember } from './definition.ts';

/** Who the gateway is to an authorization server. */
export const oauthClient = {
  client_id: { schema: z.string().nullish(), description: 'OAuth client ID.', secret: 'possible' },
  client_secret: { schema: z.string().nullish(), description: 'OAuth client secret.', secret: 'always' },
  scopes: { schema: z.array(z.string()).nullish(), description: 'OAuth scopes to request.' },
  token_endpoint_auth_method: {
    schema: z.enum(['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']).nullish(),
    description: 'How the client authenticates at the token endpoint.',
  },
  redirect_uris: {
    schema: z.array(z.string()).nullish(),
    description: 'OAuth client redirect URLs.',
  },
  client_private_key: {
    schema: z.string().nullish(),
    description: 'PEM-encoded private key for private_key_jwt.',
    secret: 'always',
  },
  client_private_key_id: { schema: z.string().nullish(), description: 'Key ID (kid) of client_private_key.' },
  client_assertion_signing_alg: {
    schema: z.string().nullish(),
    description: 'Signing algorithm for the client assertion, for example RS256.',
  },
  upstream_resource: {
    schema: z.string().nullish(),
    description: 'Resource to request a token for (RFC 8707). "auto" means the server URL.',
  },
} as const satisfies Readonly<Record<string, CredentialMember>>;

export const oauthClientFields = (asked: 'required' | 'optional') =>
  ({
    'credentials.client_id': { label: t('Client ID'), asked },
    'credentials.client_secret': { label: t('Client secret'), asked },
    'credentials.token_endpoint_auth_method': { label: t('Client authentication') },
    'credentials.client_private_key': {
      label: t('Client private key'),
      help: t('PEM format, for private_key_jwt.'),
    },
    'credentials.client_private_key_id': { label: t('Private key ID') },
    'credentials.scopes': { label: t('Scopes') },
    'credentials.upstream_resource': {
      label: t('Resource'),
      help: t('RFC 8707. "auto" uses the server URL.'),
    },
  }) as const satisfies Readonly<Record<string, AuthField>>;
