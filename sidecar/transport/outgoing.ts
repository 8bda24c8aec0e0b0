import { Fault } from '../platform/faults.ts';
import type { Timers } from '../platform/timers.ts';
import type { JsonRpcError, MessageId } from './judge.ts';
import { ResponseError } from './responseError.ts';

export interface OutgoingOptions {
  /** How long to wait for the answer. Default 30,000. */
  readonly timeoutMs?: number;
  /** Aborting sends `$/cancelRequest` and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}
interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}
type Response =
  | { readonly id: MessageId | null; readonly result: unknown }
  | { readonly id: MessageId | null; readonly error: JsonRpcError };

/** The requests that we sent and that wait for an answer. Ids count from 1, apart from the peer's. */
export class OutgoingRequests {
  readonly #write: (message: object) => boolean;
  readonly #timers: Timers;
  readonly #waiting = new Map<MessageId, Waiting>();
  #lastId = 0;

  constructor(write: (message: object) => boolean, timers: Timers) {
    this.#write = write;
    this.#timers = timers;
  }

  async send(method: string, params: object, options: OutgoingOptions, closedBecause?: string): Promise<unknown> {
    options.signal?.throwIfAborted();
    if (closedBecause !== undefined) throw closed(closedBecause);
    const id = ++this.#lastId;
    const timeoutMs = options.timeoutMs ?? 30_000;
    const { promise, resolve, reject } = openWait();
    const giveUp = (reason: unknown): void => {
      this.#write({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
      reject(reason);
    };
    const onAbort = (): void => giveUp(options.signal?.reason);
    const stopTimer = this.#timers.after(timeoutMs, () =>
      giveUp(new Fault('unavailable', `no response to ${method} within ${timeoutMs} ms`)),
    );
    options.signal?.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(id, { resolve, reject });
    try {
      if (!this.#write({ jsonrpc: '2.0', id, method, params })) reject(closed('the queue is closed'));
      return await promise;
    } finally {
      stopTimer();
      options.signal?.removeEventListener('abort', onAbort);
      this.#waiting.delete(id);
    }
  }

  /** @returns false when nobody waits for it: late after a timeout, or never asked for */
  settle(response: Response): boolean {
    const waiting = response.id === null ? undefined : this.#waiting.get(response.id);
    if (!waiting) return false;
    if ('error' in response) {
      const { code, message, data } = response.error;
      waiting.reject(new ResponseError(code, message, data));
    } else waiting.resolve(response.result);
    return true;
  }

  failAll(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(closed(reason));
    this.#waiting.clear();
  }
}

function closed(reason: string): Fault {
  return new Fault('unavailable', `the connection is closed: ${reason}`);
}

function openWait(): Waiting & { readonly promise: Promise<unknown> } {
  let waiting: Waiting | undefined;
  const promise = new Promise<unknown>((resolve, reject) => {
    waiting = { resolve, reject };
  });
  return { promise, ...waiting! };
}
