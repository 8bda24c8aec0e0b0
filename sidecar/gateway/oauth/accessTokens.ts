import { BoundedMap } from '../../platform/boundedMap.ts';
import { Fault } from '../../platform/faults.ts';
import type { OnUse } from '../../platform/onUse.ts';
import { audienceOf } from './addresses.ts';
import type { AccessClaims, Grants } from './grants.ts';
import type { Revocations } from './revocations.ts';

const KEPT = 10_000;

/** Every token of ours begins with one of these, so that it is known wherever it turns up. */
export const ACCESS_PREFIX = 'swb_at_';
export const REFRESH_PREFIX = 'swb_rt_';
export const tokenPrefixes = [ACCESS_PREFIX, REFRESH_PREFIX] as const;

const own: Pick<AccessTokens, 'prefixes' | 'isOurs'> = {
  prefixes: tokenPrefixes,
  isOurs: (credential) => credential.startsWith(ACCESS_PREFIX),
};

/** What is asked of access tokens at each request. */
export type ReadsAccessTokens = Pick<AccessTokens, 'prefixes' | 'isOurs' | 'keyOf'>;

/** What reads the tokens is loaded with the first of them. */
export const accessTokensOnUse = (facade: OnUse<{ readonly accessTokens: ReadsAccessTokens }>): ReadsAccessTokens => ({
  ...own,
  keyOf: (token, pathname) => facade.use(({ accessTokens }) => accessTokens.keyOf(token, pathname)),
});

/** Reads the access tokens that MCP clients send instead of a virtual key. */
export class AccessTokens {
  readonly prefixes: readonly string[] = own.prefixes;
  readonly #grants: Grants;
  readonly #revocations: Revocations;
  readonly #nowMs: () => number;
  /** Opened tokens; those that cannot be opened are not remembered, so that guesses push out nothing. */
  readonly #opened = new BoundedMap<string, AccessClaims>(KEPT);

  constructor(grants: Grants, revocations: Revocations, nowMs: () => number) {
    this.#grants = grants;
    this.#revocations = revocations;
    this.#nowMs = nowMs;
  }

  /** Whether a credential is one of ours, good or not; anything else is a virtual key. */
  isOurs(credential: string): boolean {
    return own.isOurs(credential);
  }

  /**
   * The hash of the key that a token stands for at an address.
   *
   * @throws {Fault} `auth_required` for one that is not ours, over, revoked, or for another address; `unavailable` where
   *   nobody can say whether it is revoked
   */
  keyOf(token: string, pathname: string): string | Promise<string> {
    const claims = this.#claims(token);
    if (!claims) throw refused('auth_error', 'This access token was not issued by this gateway.');
    if (claims.a !== audienceOf(pathname))
      throw refused('auth_error', 'This access token was issued for a different address.');
    if (this.#nowMs() >= claims.e) {
      this.#opened.delete(token);
      throw refused('expired_key', 'This access token has expired.');
    }
    const isRevoked = this.#revocations.isRevoked(claims.f);
    return isRevoked instanceof Promise ? isRevoked.then((it) => checked(claims, it)) : checked(claims, isRevoked);
  }

  #claims(token: string): AccessClaims | undefined {
    const known = this.#opened.get(token);
    if (known) return known;
    const claims = this.#grants.openAccess(token);
    if (!claims) return undefined;
    this.#opened.set(token, claims);
    return claims;
  }
}

function checked(claims: AccessClaims, isRevoked: boolean): string {
  if (isRevoked) throw refused('auth_error', 'This access token was revoked.');
  return claims.t;
}

const refused = (reason: string, message: string) => new Fault('auth_required', message, { data: { reason } });
