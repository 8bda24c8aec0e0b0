import * as z from 'zod';
import type { Runtime } from '../../platform/runtime.ts';
import type { Sealer } from '../../platform/seal.ts';
import { ACCESS_PREFIX, REFRESH_PREFIX } from './accessTokens.ts';
import type { Audience } from './addresses.ts';

export const CODE_MS = 60_000;
export const ACCESS_MS = 60 * 60_000;
/** Counted anew with each rotation. */
export const REFRESH_MS = 30 * 24 * 60 * 60_000;

/** What a person granted: it is sealed into codes and tokens, and stored nowhere. */
const GrantShape = z.object({
  /** SHA-256 of the person's virtual key. */
  t: z.string(),
  /** {@link Audience} */
  a: z.string(),
  /** Digest of the client's id. */
  c: z.string(),
});
const Code = GrantShape.extend({
  /** Id of the code, and of the family of tokens that comes of it. */
  f: z.string(),
  /** Redirect address. */
  r: z.string(),
  /** S256 challenge. */
  p: z.string(),
  e: z.number(),
});
const Access = GrantShape.extend({ f: z.string(), i: z.number(), e: z.number() });
const Refresh = GrantShape.extend({ f: z.string(), j: z.string(), i: z.number(), e: z.number() });

export type CodeClaims = z.infer<typeof Code>;
export type AccessClaims = z.infer<typeof Access>;
export type RefreshClaims = z.infer<typeof Refresh>;

/** Whose rights, for which address, in whose hands. */
export interface Grant extends z.infer<typeof GrantShape> {
  readonly a: Audience;
}

/** Makes and opens codes and tokens. Whether one is over, used or revoked is asked elsewhere. */
export class Grants {
  readonly #sealer: Sealer;
  readonly #random: Runtime['random'];

  constructor({ sealer, random }: Pick<Runtime, 'random'> & { readonly sealer: Sealer }) {
    this.#sealer = sealer;
    this.#random = random;
  }

  /** For the client's next request, within {@link CODE_MS}. */
  code({ t, a, c, r, p }: Grant & Pick<CodeClaims, 'r' | 'p'>, nowMs: number): string {
    const claims: CodeClaims = { t, a, c, r, p, f: this.#newWord(), e: nowMs + CODE_MS };
    return this.#sealer.seal(claims, 'oauth code');
  }

  /** An access token and a refresh token of one family. */
  tokens({ t, a, c }: Grant, family: string, nowMs: number): { readonly access: string; readonly refresh: string } {
    const shared = { t, a, c, f: family, i: nowMs };
    const access: AccessClaims = { ...shared, e: nowMs + ACCESS_MS };
    const refresh: RefreshClaims = { ...shared, j: this.#newWord(), e: nowMs + REFRESH_MS };
    return {
      access: ACCESS_PREFIX + this.#sealer.seal(access, ACCESS_PREFIX),
      refresh: REFRESH_PREFIX + this.#sealer.seal(refresh, REFRESH_PREFIX),
    };
  }

  openCode(text: string): CodeClaims | undefined {
    return Code.safeParse(this.#sealer.open(text, 'oauth code')).data;
  }
  openAccess(text: string): AccessClaims | undefined {
    return Access.safeParse(this.#open(text, ACCESS_PREFIX)).data;
  }
  openRefresh(text: string): RefreshClaims | undefined {
    return Refresh.safeParse(this.#open(text, REFRESH_PREFIX)).data;
  }

  #open(text: string, prefix: string): unknown {
    return text.startsWith(prefix) ? this.#sealer.open(text.slice(prefix.length), prefix) : undefined;
  }

  #newWord(): string {
    return Buffer.from(this.#random(16)).toString('base64url');
  }
}
