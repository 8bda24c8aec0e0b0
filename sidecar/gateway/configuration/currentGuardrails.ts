import { isDeepStrictEqual } from 'node:util';
import type { Guardrail } from '../../protocol/gateway/guardrail.ts';

/**
 * The guardrails of the configuration now. What a reading did not change stays the same object, so that what was built for
 * it and what it remembers stay too.
 */
export class CurrentGuardrails {
  #now: readonly Guardrail[];

  constructor(first: readonly Guardrail[]) {
    this.#now = first;
  }

  get now(): readonly Guardrail[] {
    return this.#now;
  }

  set(next: readonly Guardrail[]): void {
    if (isDeepStrictEqual(next, this.#now)) return;
    this.#now = next.map((it) => this.#now.find((known) => isDeepStrictEqual(known, it)) ?? it);
  }
}
