import * as z from 'zod';
import { LocalSecretRef } from './secretRef.ts';

const Url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_048);
const Private = z.boolean().default(false).describe('Allow an address on loopback and private networks.');

const VaultAuth = z
  .union(
    [
      z.strictObject({ token: LocalSecretRef.describe('Token.') }),
      z.strictObject({
        approle: z
          .strictObject({
            role_id: LocalSecretRef.describe('Role ID.'),
            secret_id: LocalSecretRef.describe('Secret ID.'),
            mount: z.string().max(256).default('approle').describe('Path where the auth method is mounted.'),
          })
          .describe('AppRole.'),
      }),
      z.strictObject({
        kubernetes: z
          .strictObject({
            role: z.string().max(256).describe('Role of the auth method.'),
            token_file: z
              .string()
              .max(4_096)
              .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
              .describe('File with the token of the service account.'),
            mount: z.string().max(256).default('kubernetes').describe('Path where the auth method is mounted.'),
          })
          .describe('Kubernetes service account.'),
      }),
    ],
    { error: 'must have exactly one of token, approle, and kubernetes' },
  )
  .describe('How the gateway signs in to Vault.');

/** Stores of secrets, which secrets in the file can refer to. */
export const SecretStoresConfig = z
  .strictObject({
    refresh_s: z
      .int()
      .min(10)
      .max(86_400)
      .default(300)
      .describe('Secrets are read again after this number of seconds, and when a server rejects a credential.'),
    keep_s: z
      .int()
      .min(0)
      .max(2_592_000)
      .default(86_400)
      .describe('How many seconds the last value is used while its store does not respond.'),
    vault: z
      .strictObject({
        address: Url.describe('Address of Vault, such as https://vault.example.com:8200.'),
        namespace: z.string().max(256).optional().describe('Namespace.'),
        mount: z.string().max(256).default('secret').describe('Path where the KV version 2 secrets engine is mounted.'),
        auth: VaultAuth,
        allow_private_network: Private,
      })
      .optional()
      .describe('HashiCorp Vault with a KV version 2 secrets engine.'),
    aws: z
      .strictObject({
        region: z
          .string()
          .regex(/^[a-z0-9-]{1,64}$/, 'must be a region such as eu-west-1')
          .describe('Region.'),
        access_key_id: LocalSecretRef.optional().describe(
          'Access key ID. Default: the credential chain of the AWS SDK.',
        ),
        secret_access_key: LocalSecretRef.optional().describe('Secret access key.'),
        endpoint: Url.optional().describe('Address of Secrets Manager. Default: the address of the region.'),
        allow_private_network: Private,
      })
      .refine((it) => (it.access_key_id === undefined) === (it.secret_access_key === undefined), {
        error: 'access_key_id and secret_access_key belong together',
      })
      .optional()
      .describe('AWS Secrets Manager.'),
    gcp: z
      .strictObject({
        project: z
          .string()
          .regex(/^[\w-]{1,128}$/, 'must be a project ID')
          .describe('Project ID.'),
        credentials: LocalSecretRef.optional().describe(
          'Key of a service account, in JSON. Default: the service account of the machine.',
        ),
        endpoint: Url.optional().describe('Address of Secret Manager. Default: https://secretmanager.googleapis.com.'),
        allow_private_network: Private,
      })
      .optional()
      .describe('Google Cloud Secret Manager.'),
    azure: z
      .strictObject({
        vault_url: Url.describe('Address of the vault, such as https://name.vault.azure.net.'),
        tenant_id: z
          .string()
          .regex(/^[\w.-]{1,128}$/, 'must be a tenant ID')
          .optional()
          .describe('Tenant ID.'),
        client_id: z
          .string()
          .regex(/^[\w-]{1,128}$/, 'must be a client ID')
          .optional()
          .describe('Client ID of the application, or of a managed identity.'),
        client_secret: LocalSecretRef.optional().describe(
          'Client secret. Default: the managed identity of the machine.',
        ),
        authority: Url.default('https://login.microsoftonline.com').describe('Address of the authorization server.'),
        allow_private_network: Private,
      })
      .refine((it) => it.client_secret === undefined || (it.tenant_id !== undefined && it.client_id !== undefined), {
        error: 'client_secret requires tenant_id and client_id',
      })
      .optional()
      .describe('Azure Key Vault.'),
  })
  .describe('Stores that secrets in this file can refer to.');
export type SecretStoresConfig = z.infer<typeof SecretStoresConfig>;
