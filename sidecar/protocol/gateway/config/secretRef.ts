import * as z from 'zod';

const NAME = /^[A-Za-z_]\w*$/;

const Path = z.string().min(1).max(1_024);

const FromEnv = z.strictObject({
  env: z
    .string()
    .regex(NAME, 'must be a name such as MY_TOKEN')
    .describe('Name of the environment variable that contains the secret. The gateway process reads it.'),
});
const FromFile = z.strictObject({
  file: z
    .string()
    .min(1)
    .max(4096)
    .describe(
      'Path, relative to this file, to a file that contains only the secret. A trailing line break is ignored. It is read again when it changes.',
    ),
});

/** A secret of this machine, for example what the gateway signs in to a secret store with. */
export const LocalSecretRef = z
  .union([FromEnv, FromFile], {
    error: 'must be { "env": "NAME" } or { "file": "path" }, because secrets must not be stored in this file',
  })
  .describe('Where the secret is stored: { "env": "NAME" } or { "file": "path" }.');
export type LocalSecretRef = z.infer<typeof LocalSecretRef>;

const FromVault = z.strictObject({
  vault: Path.regex(/^[^#?]+#[^#]+$/, 'must be a path and a field, such as team/github#token').describe(
    'Path and field of a secret in the HashiCorp Vault of secret_stores, as in team/github#token.',
  ),
});
const FromAws = z.strictObject({
  aws: Path.regex(/^[^#]+(?:#[^#]+)?$/, 'must be a name, or a name and a field, such as github#token').describe(
    'Name or ARN of a secret in AWS Secrets Manager. If the secret is JSON, #field selects a field, as in github#token.',
  ),
});
const FromGcp = z.strictObject({
  gcp: Path.regex(
    /^[\w/-]+(?:#[^#]+)?$/,
    'must be the name of a secret, or projects/PROJECT/secrets/NAME/versions/VERSION',
  ).describe(
    'Name of a secret in Google Cloud Secret Manager, or projects/PROJECT/secrets/NAME/versions/VERSION. #field selects a field of a JSON secret.',
  ),
});
const FromAzure = z.strictObject({
  azure: Path.regex(
    /^[0-9A-Za-z-]+(?:\/[0-9a-f]+)?(?:#[^#]+)?$/,
    'must be the name of a secret, or NAME/VERSION',
  ).describe('Name of a secret in Azure Key Vault, or NAME/VERSION. #field selects a field of a JSON secret.'),
});

/** A secret in one of `secret_stores`. */
export type StoreRef =
  | z.infer<typeof FromVault>
  | z.infer<typeof FromAws>
  | z.infer<typeof FromGcp>
  | z.infer<typeof FromAzure>;

/** Where a secret of the configuration file lies: the file itself never holds one. */
export const SecretRef = z
  .union([FromEnv, FromFile, FromVault, FromAws, FromGcp, FromAzure], {
    error:
      'must be { "env": "NAME" }, { "file": "path" }, or a secret in secret_stores, because secrets must not be stored in this file',
  })
  .describe(
    'Where a secret is stored: { "env": "NAME" }, { "file": "path" }, { "vault": "path#field" }, { "aws": "name#field" }, { "gcp": "name" }, or { "azure": "name" }. The last four require secret_stores.',
  );
export type SecretRef = z.infer<typeof SecretRef>;

/** Plain text where the value is no secret, the place of it where it is one. */
export const TextOrSecret = z.union([z.string().max(8192), SecretRef], {
  error: 'must be a string, or { "env": "NAME" }, { "file": "path" }, or a secret in secret_stores',
});
export type TextOrSecret = z.infer<typeof TextOrSecret>;

export const isSecretRef = (value: TextOrSecret): value is SecretRef => typeof value === 'object';

/** Whether the secret is in a secret store, and not on this machine. */
export const isStoreRef = (ref: SecretRef): ref is StoreRef => !('env' in ref) && !('file' in ref);
