import type { TurnEvent } from '../provider.ts';

type Item = { readonly event: TurnEvent } | { readonly reached: () => void };

/** Turns what an agent pushes into what the host pulls, in order. */
export class EventQueue {
  readonly #items: Item[] = [];
  #end: { readonly failure?: unknown } | undefined;
  #wake = () => {};

  push(...events: readonly TurnEvent[]): void {
    if (this.#end) return; // late words of a turn that is over
    this.#items.push(...events.map((event) => ({ event })));
    this.#wake();
  }

  /** Settles when the host dealt with all that was pushed before: it pulls again only then. */
  reached(): Promise<void> {
    if (this.#end) return Promise.resolve();
    return new Promise((reached) => {
      this.#items.push({ reached });
      this.#wake();
    });
  }

  end(): void {
    this.#end ??= {};
    this.#wake();
  }

  fail(failure: unknown): void {
    this.#end ??= { failure };
    this.#wake();
  }

  async *pull(): AsyncGenerator<TurnEvent, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item && 'event' in item) yield item.event;
      else if (item) item.reached();
      else if (this.#end) break;
      else await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
    if ('failure' in this.#end) throw this.#end.failure;
  }
}
