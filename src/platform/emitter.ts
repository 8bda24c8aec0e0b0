/** An event without VS Code, for code that is tested without an editor. A listener that throws stops nobody else. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();

  readonly on = (listener: (value: T) => void): { dispose(): void } => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const it of [...this.#listeners]) it(value);
  }
}
