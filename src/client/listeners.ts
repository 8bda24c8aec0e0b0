import type { Disposable } from './port.ts';

/** The listeners of one event. A listener that leaves while the event fires is still called for it. */
export class Listeners<T> {
  readonly #all = new Set<(value: T) => void>();

  add(listener: (value: T) => void): Disposable {
    this.#all.add(listener);
    return { dispose: () => void this.#all.delete(listener) };
  }

  fire(value: T): void {
    for (const it of [...this.#all]) it(value);
  }
}
