import { Fault } from '../../../platform/faults.ts';
import { type AuthTypeName, authTypeNames, isAuthType } from '../../../protocol/gateway/authTypes/index.ts';
import { apiKey } from './apiKey.ts';
import type { Authenticator } from './authenticator.ts';
import { authorization } from './authorization.ts';
import { basic } from './basic.ts';
import { bearerToken } from './bearerToken.ts';
import { cloudSigv4 } from './cloudSigv4.ts';
import { none } from './none.ts';
import { oauth2 } from './oauth2.ts';
import { oauth2TokenExchange } from './oauth2TokenExchange.ts';
import { token } from './token.ts';

/** What each auth type of the protocol does to a request; a name without a row does not compile. */
export const authenticators = {
  none,
  api_key: apiKey,
  bearer_token: bearerToken,
  basic,
  authorization,
  token,
  oauth2,
  oauth2_token_exchange: oauth2TokenExchange,
  cloud_sigv4: cloudSigv4,
} as const satisfies Readonly<Record<AuthTypeName, Authenticator>>;

/** @throws {Fault} `invalid_params` naming all auth types, for any other word. Absent means `none`. */
export function authenticatorOf(name: string | null | undefined): Authenticator {
  const wanted = name ?? 'none';
  if (isAuthType(wanted)) return authenticators[wanted];
  throw new Fault('invalid_params', `'auth_type' must be one of ${authTypeNames.join(', ')}.`, {
    data: { field: 'auth_type' },
  });
}
