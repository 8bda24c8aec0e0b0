import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { t } from '../../shared/l10n.ts';
import { ApiError } from '../api.ts';

/**
 * Loads what an element shows. The value before stays until the next one is there, so nothing jumps; where there was none,
 * parts are shown as they come. Only the newest request counts.
 */
export class Loader<T> implements ReactiveController {
  value: T | undefined;
  error: string | undefined;
  isLoading = false;
  readonly #host: ReactiveControllerHost;
  readonly #load: (signal: AbortSignal, part: (value: T) => void) => Promise<T>;
  #running: AbortController | undefined;

  constructor(host: ReactiveControllerHost, load: (signal: AbortSignal, part: (value: T) => void) => Promise<T>) {
    this.#host = host;
    this.#load = load;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#running?.abort();
  }

  async run(): Promise<void> {
    this.#running?.abort();
    const own = new AbortController();
    this.#running = own;
    this.isLoading = true;
    this.#host.requestUpdate();
    const isFirst = this.value === undefined;
    const part = (value: T) => {
      if (!isFirst || own.signal.aborted) return;
      this.value = value;
      this.#host.requestUpdate();
    };
    try {
      const value = await this.#load(own.signal, part);
      if (own.signal.aborted) return;
      this.value = value;
      this.error = undefined;
    } catch (thrown) {
      if (own.signal.aborted) return;
      this.error = wordsOf(thrown);
    }
    this.isLoading = false;
    this.#host.requestUpdate();
  }
}

/** What a person is told of a failed request. */
export function wordsOf(thrown: unknown): string {
  if (thrown instanceof ApiError) return thrown.message;
  if (thrown instanceof TypeError)
    return t(
      'The gateway is not responding. It may have been stopped, or the network connection may have been lost. Check both, and then try again.',
    );
  return t(
    'Something went wrong on this page: {0}. Reload the page to continue.',
    thrown instanceof Error ? thrown.message : String(thrown),
  );
}
