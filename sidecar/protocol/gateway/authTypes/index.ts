import * as z from 'zod';
import { allOf, namesOf } from '../../building.ts';
import { apiKey } from './apiKey.ts';
import { authorization } from './authorization.ts';
import { basic } from './basic.ts';
import { bearerToken } from './bearerToken.ts';
import { cloudSigv4 } from './cloudSigv4.ts';
import type { AuthTypeDefinition, CredentialMember } from './definition.ts';
import { none } from './none.ts';
import { oauth2 } from './oauth2.ts';
import { oauth2TokenExchange } from './oauth2TokenExchange.ts';
import { token } from './token.ts';

/**
 * The ways to authenticate to an MCP server, by the value of `auth_type` (`gateway.auth.nine`). Schemas, forms, warnings and
 * the language of the configuration follow from them. What one does to a request stands under the same name in
 * `sidecar/gateway/backends/auth`, and the compiler asks for it.
 */
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
} as const satisfies Readonly<Record<string, AuthTypeDefinition>>;

export type AuthTypeName = keyof typeof authTypes;
export const authTypeNames = namesOf(authTypes);

export const isAuthType = (name: unknown): name is AuthTypeName =>
  typeof name === 'string' && Object.hasOwn(authTypes, name);

/** @returns `undefined` for a name that is none */
export const authTypeOf = (name: unknown): AuthTypeDefinition | undefined =>
  isAuthType(name) ? authTypes[name] : undefined;

/** Why a server of this machine cannot have this auth type; `undefined` where it can. */
export const stdioProblem = (name: string | null | undefined): string | undefined =>
  authTypeOf(name)?.overHttpOnly
    ? `must not be ${name} with transport stdio, because there are no HTTP requests to sign`
    : undefined;

/** For every auth type that sends a credential in a header. */
const everywhere = {
  upstream_token_header: {
    schema: z.string().nullish(),
    description: 'Header that contains the credential. Nothing else may set this header.',
  },
} as const satisfies Readonly<Record<string, CredentialMember>>;

type AllOf<U> = (U extends unknown ? (it: U) => void : never) extends (it: infer All) => void ? All : never;
export type CredentialMembers = AllOf<(typeof authTypes)[AuthTypeName]['credentials']> & typeof everywhere;

/** The members of `credentials` of every auth type. */
export const credentialMembers = allOf<CredentialMembers>(
  ...Object.values(authTypes).map((it) => it.credentials),
  everywhere,
);

/** @param path of a form's field */
export const isSecretField = (path: string): boolean => {
  const members: Readonly<Record<string, CredentialMember>> = credentialMembers;
  return path.startsWith('credentials.') && members[path.slice('credentials.'.length)]?.secret === 'always';
};
