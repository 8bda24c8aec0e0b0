import * as z from 'zod';

const NAME = /^[A-Za-z_]\w*$/;

/** Where a secret of the configuration file lies: the file itself never holds one. */
export const SecretRef = z
  .union(
    [
      z.strictObject({
        env: z
          .string()
          .regex(NAME, 'must be a name such as MY_TOKEN')
          .describe('Name of the environment variable that contains the secret. The gateway process reads it.'),
      }),
      z.strictObject({
        file: z
          .string()
          .min(1)
          .max(4096)
          .describe(
            'Path, relative to this file, to a file that contains only the secret. A trailing line break is ignored.',
          ),
      }),
    ],
    { error: 'must be { "env": "NAME" } or { "file": "path" }, because secrets must not be stored in this file' },
  )
  .describe('Where a secret is stored: { "env": "NAME" } or { "file": "path" }.');
export type SecretRef = z.infer<typeof SecretRef>;

/** Plain text where the value is no secret, the place of it where it is one. */
export const TextOrSecret = z.union([z.string().max(8192), SecretRef], {
  error: 'must be a string, or { "env": "NAME" } or { "file": "path" } for a secret',
});
export type TextOrSecret = z.infer<typeof TextOrSecret>;

export const isSecretRef = (value: TextOrSecret): value is SecretRef => typeof value === 'object';
