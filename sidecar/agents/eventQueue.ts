import { AsyncQueue } from '../platform/asyncQueue.ts';
import type { TurnEvent } from './provider.ts';

type Item = { readonly event: TurnEvent } | { readonly reached: () => void };

/** Turns what an agent pushes into what the host pulls, in order. */
export class EventQueue {
  readonly #items = new AsyncQueue<Item>();

  /** Late words of a turn that is over are let go of. */
  push(...events: readonly TurnEvent[]): void {
    this.#items.push(...events.map((event) => ({ event })));
  }

  /** Settles when the host dealt with all that was pushed before: it pulls again only then. */
  reached(): Promise<void> {
    if (this.#items.isEnded) return Promise.resolve();
    return new Promise((reached) => {
      this.#items.push({ reached });
    });
  }

  end(): void {
    this.#items.end();
  }

  fail(failure: unknown): void {
    this.#items.fail(failure);
  }

  async *pull(): AsyncGenerator<TurnEvent, void> {
    for await (const item of this.#items) {
      if ('event' in item) yield item.event;
      else item.reached();
    }
  }
}
