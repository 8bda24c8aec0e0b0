import { Fault } from '../../../platform/faults.ts';
import { apiKey } from './apiKey.ts';
import { authorization } from './authorization.ts';
import type { AuthType } from './authType.ts';
import { basic } from './basic.ts';
import { bearerToken } from './bearerToken.ts';
import { cloudSigv4 } from './cloudSigv4.ts';
import { none } from './none.ts';
import { oauth2 } from './oauth2.ts';
import { oauth2TokenExchange } from './oauth2TokenExchange.ts';
import { token } from './token.ts';

/** The nine auth types (`gateway.auth.nine`). To add one: a file, and an entry here. */
export const authTypes = {
  none,
  api_key: apiKey,
  bearer_token: bearerToken,
  basic,
  authorization,
  token,
  oauth2,
  oauth2_token_exchange: oauth2TokenExchange,
  cloud_sigv4: cloudSigv4,
} as const satisfies Record<string, AuthType>;

export type AuthTypeName = keyof typeof authTypes;

/** @throws {Fault} `invalid_params` naming the nine, for any other word. Absent means `none`. */
export function authTypeOf(name: string | null | undefined): AuthType {
  const wanted = name ?? 'none';
  if (isAuthType(wanted)) return authTypes[wanted];
  throw new Fault('invalid_params', `'auth_type' must be one of ${Object.keys(authTypes).join(', ')}.`, {
    data: { field: 'auth_type' },
  });
}

const isAuthType = (name: string): name is AuthTypeName => Object.hasOwn(authTypes, name);
