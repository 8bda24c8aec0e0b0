import type { Origin } from '../../protocol/envelope.ts';
import { type DispatchRows, REMEMBERED_DISPATCHES } from '../storage/dispatchRows.ts';

/** The numbers that accepted dispatches got, so that one which is sent again after a break is applied only once. */
export class Dispatched {
  readonly #numbers: Map<string, number>;

  constructor(rows: DispatchRows) {
    this.#numbers = new Map(rows.all().map((it) => [keyOf(it), it.serverSeq]));
  }

  /** For the last 1,000 at least; `clientSeq` 0 is never remembered. */
  number(origin: Origin): number | undefined {
    return origin.clientSeq > 0 ? this.#numbers.get(keyOf(origin)) : undefined;
  }

  remember(origin: Origin, serverSeq: number): void {
    if (origin.clientSeq > 0) this.#numbers.set(keyOf(origin), serverSeq);
  }

  forget(origin: Origin): void {
    this.#numbers.delete(keyOf(origin));
  }

  /** Many in one go, now and then: to take one from the front of a map costs what passing all that were taken does. */
  trim(): void {
    if (this.#numbers.size <= 2 * REMEMBERED_DISPATCHES) return;
    let surplus = this.#numbers.size - REMEMBERED_DISPATCHES;
    for (const key of this.#numbers.keys()) {
      if (surplus <= 0) return;
      this.#numbers.delete(key);
      surplus -= 1;
    }
  }
}

function keyOf({ clientSeq, clientId }: Origin): string {
  return `${clientSeq} ${clientId}`;
}
