import { BoundedMap } from '../../platform/boundedMap.ts';
import { Fault } from '../../platform/faults.ts';
import type { Attempts } from './attempts.ts';

/** Keys that were good here and are remembered, as hashes. */
const KEPT = 10_000;

/**
 * Slows down whoever tries keys: an address that sent too many unknown ones has to wait, before anything is looked up. Keys
 * that were good here before go on at the same address, since others may be behind it.
 */
export class WrongKeys {
  readonly #attempts: Attempts;
  readonly #good = new BoundedMap<string, true>(KEPT);

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  /** @param token hash of the key @throws {Fault} `rate_limited` */
  check(from: string, token: string): void {
    if (this.#good.has(token)) return;
    const retry_after_ms = this.#attempts.waitMs(from);
    if (retry_after_ms === 0) return;
    throw new Fault(
      'rate_limited',
      'Too many requests from this address used unknown keys. Check the key, wait a moment, and try again.',
      { data: { retry_after_ms } },
    );
  }

  /** It was looked up, and nobody has it: one that was good before is so no longer. */
  unknown(from: string, token: string): void {
    this.#good.delete(token);
    this.#attempts.count(from);
  }

  good(token: string): void {
    if (!this.#good.has(token)) this.#good.set(token, true);
  }
}
