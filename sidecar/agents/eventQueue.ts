import { AsyncQueue } from '../platform/asyncQueue.ts';
import type { TurnEvent } from './provider.ts';

type Item = { readonly event: TurnEvent } | { readonly reached: () => void };

/** Queues the events that an agent pushes until the host pulls them. */
export class EventQueue {
  readonly #items = new AsyncQueue<Item>();

  /** Events after the end of the turn are dropped. */
  push(...events: readonly TurnEvent[]): void {
    this.#items.push(...events.map((event) => ({ event })));
  }

  /** Settles when the host has processed all earlier events, because it pulls the next event only then. */
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
