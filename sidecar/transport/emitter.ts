import type { Event } from 'vscode-jsonrpc/node';

/**
 * Events as `MessageReader` and `MessageWriter` of vscode-jsonrpc have them. Its own emitter comes with all of the library,
 * an eighth of what a host loads at its start.
 */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => unknown>();

  readonly event: Event<T> = (listener, thisArgs, disposables) => {
    const own = (value: T): unknown => listener.call(thisArgs, value);
    this.#listeners.add(own);
    const disposable = { dispose: () => void this.#listeners.delete(own) };
    disposables?.push(disposable);
    return disposable;
  };

  fire(value: T): void {
    for (const it of [...this.#listeners]) it(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
