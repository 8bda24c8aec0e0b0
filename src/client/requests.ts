import { type CancelToken, type Connection, ConnectionLost, NoAnswer } from './connection.ts';
import { Listeners } from './listeners.ts';
import { bytesOf } from './messageSize.ts';
import type { Disposable } from './port.ts';

/** Runs `work` once after `delayMs`, unless disposed before. */
export type Schedule = (work: () => void, delayMs: number) => Disposable;

export const afterDelay: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, delayMs);
  return { dispose: () => clearTimeout(timer) };
};

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const TIMEOUT_MS = 30_000;

/** The requests that wait on one connection. None waits without a limit, and all fail at once when it ends. */
export class Requests {
  readonly #connection: Connection;
  readonly #schedule: Schedule;
  /** With the size of what was sent, in bytes. */
  readonly #failures = new Map<(error: Error) => void, number>();

  constructor(connection: Connection, schedule: Schedule) {
    this.#connection = connection;
    this.#schedule = schedule;
  }

  /** @throws the host's error, {@link ConnectionLost}, {@link NoAnswer}, or the signal's reason */
  send(method: string, params: unknown, { timeoutMs = TIMEOUT_MS, signal }: RequestOptions = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const cancel = new Cancel();
    return new Promise((resolve, reject) => {
      const settle = (work: () => void) => {
        this.#failures.delete(fail);
        timer.dispose();
        signal?.removeEventListener('abort', abort);
        work();
      };
      const fail = (error: unknown) =>
        settle(() => {
          cancel.fire();
          reject(error);
        });
      const abort = () => fail(signal?.reason);
      const timer = this.#schedule(
        () => fail(new NoAnswer(`no answer to ${method} within ${timeoutMs} ms`)),
        timeoutMs,
      );
      signal?.addEventListener('abort', abort);
      this.#failures.set(fail, bytesOf(method, params));
      this.#connection.request(method, params, cancel).then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /** Bytes of the largest that waits. */
  get largest(): number {
    return Math.max(0, ...this.#failures.values());
  }

  failAll(reason: string): void {
    for (const fail of [...this.#failures.keys()]) fail(new ConnectionLost(reason));
  }
}

class Cancel implements CancelToken {
  readonly #listeners = new Listeners<undefined>();
  isCancellationRequested = false;

  onCancellationRequested(listener: (event: unknown) => unknown): Disposable {
    return this.#listeners.add(listener);
  }
  fire(): void {
    this.isCancellationRequested = true;
    this.#listeners.fire(undefined);
  }
}
