import { isRecord } from '../../../platform/isRecord.ts';

/** What an identity provider says of somebody, in a token whose signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** As long as the IDs of records may be. */
const MAX_TEXT = 256;
const MAX_EMAIL = 320;
const MAX_WORDS = 1_000;

/**
 * A claim by its name. A name that no claim has is a path with dots between the names of members, such as
 * `realm_access.roles`; names that are URLs have dots of their own.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** @returns `undefined` for a claim that is absent, empty, no text, or too long for an ID */
export const textClaim = (claims: Claims, path: string): string | undefined => textOf(claimAt(claims, path), MAX_TEXT);

/** One text, or several: a text with spaces is one. */
export function listClaim(claims: Claims, path: string): readonly string[] {
  const value = claimAt(claims, path);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.slice(0, MAX_WORDS).flatMap((it) => textOf(it, MAX_TEXT) ?? []);
}

/** Several words, also where they stand in one text with spaces between them, as in `scope` (RFC 8693, 4.2). */
export const wordsClaim = (claims: Claims, path: string): readonly string[] =>
  listClaim(claims, path).flatMap((it) => it.split(' ').filter((word) => word !== ''));

/** An email address that the provider has verified. Anybody can claim another one. */
export function verifiedEmail(claims: Claims, path = 'email'): string | undefined {
  const email = textOf(claimAt(claims, path), MAX_EMAIL);
  return claims['email_verified'] === true && email?.includes('@') ? email : undefined;
}

const textOf = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
