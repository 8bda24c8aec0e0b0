import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';
import { REFRESH_MS } from './grants.ts';

/** What replicas agree on; its errors go through, so that a token never counts as good because nobody could ask. */
export interface Claims {
  /** True for the first who asks, false for everybody after. Forgotten after `expiresAtMs`. */
  claim(id: string, expiresAtMs: number): Promise<boolean>;
  isClaimed(id: string): Promise<boolean>;
}

/** A family that another replica revoked is refused here after this long at the latest. */
export const REVOKED_WITHIN_MS = 5_000;
const KEPT = 10_000;
/** Clocks of replicas differ, and a token may be made while its family is revoked. */
const SPARE_MS = 60 * 60_000;

/** Which families of tokens are over. Asked on every call, read from the store at most once a family in 5 s. */
export class Revocations {
  readonly #claims: Claims;
  readonly #clock: Clock;
  readonly #known = new BoundedMap<string, { readonly atMs: number; isRevoked: boolean | Promise<boolean> }>(KEPT);

  constructor(claims: Claims, clock: Clock) {
    this.#claims = claims;
    this.#clock = clock;
  }

  /** @throws {Fault} `unavailable` where the store does not answer */
  isRevoked(family: string): boolean | Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(family);
    if (known && (known.isRevoked === true || nowMs - known.atMs < REVOKED_WITHIN_MS)) return known.isRevoked;
    const asked = this.#claims.isClaimed(idOf(family)).then(
      (isRevoked) => {
        entry.isRevoked = isRevoked;
        return isRevoked;
      },
      (thrown: unknown) => {
        if (this.#known.get(family) === entry) this.#known.delete(family);
        throw thrown;
      },
    );
    const entry: { readonly atMs: number; isRevoked: boolean | Promise<boolean> } = { atMs: nowMs, isRevoked: asked };
    this.#known.set(family, entry);
    return asked;
  }

  /** Ends every token of a family, on this replica at once. */
  async revoke(family: string): Promise<void> {
    await this.#claims.claim(idOf(family), this.#clock.nowMs() + REFRESH_MS + SPARE_MS);
    this.#known.set(family, { atMs: this.#clock.monotonicMs(), isRevoked: true });
  }
}

const idOf = (family: string) => `oauth revoked ${family}`;
