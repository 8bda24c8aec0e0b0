import * as z from 'zod';
import type { CredentialMember } from './definition.ts';

/** For the auth types that send one value as it is. */
export const authValue = {
  auth_value: {
    schema: z.string().nullish(),
    description: 'Value to send if auth_type is api_key, bearer_token, basic, authorization, or token.',
    secret: 'always',
  },
} as const satisfies Readonly<Record<string, CredentialMember>>;
