import type { Timers } from '../../platform/timers.ts';

/** How long one client may take to renew a token before the next one may. */
export const LEASE_MS = 60_000;

interface WaitingHolder {
  readonly holder: object;
  readonly grant: (lease: string) => void;
}

/**
 * Who may renew the token of a protected resource now: one client at a time, in the order in which they asked. Windows of one
 * editor keep one refresh token together, and a server that rotates them takes a second use for a theft.
 */
export class RefreshLeases {
  readonly #newId: () => string;
  readonly #timers: Pick<Timers, 'after'>;
  /** By resource: who has the lease, and who waits for it. */
  readonly #held = new Map<string, { lease: string; holder: object; stop: () => void }>();
  readonly #waiting = new Map<string, WaitingHolder[]>();

  constructor(newId: () => string, timers: Pick<Timers, 'after'>) {
    this.#newId = newId;
    this.#timers = timers;
  }

  /** Settles with the lease when it is this holder's turn. */
  acquire(resource: string, holder: object): Promise<string> {
    return new Promise((grant) => {
      const queue = this.#waiting.get(resource) ?? [];
      this.#waiting.set(resource, queue);
      queue.push({ holder, grant });
      this.#next(resource);
    });
  }

  /** Gives a lease back. One that is over already changes nothing. */
  release(lease: string): void {
    for (const [resource, it] of this.#held) if (it.lease === lease) this.#end(resource);
  }

  /** The holder's connection ended. */
  holderClosed(holder: object): void {
    for (const [resource, queue] of this.#waiting) {
      const left = queue.filter((it) => it.holder !== holder);
      if (left.length > 0) this.#waiting.set(resource, left);
      else this.#waiting.delete(resource);
    }
    for (const [resource, it] of [...this.#held]) if (it.holder === holder) this.#end(resource);
  }

  #end(resource: string): void {
    this.#held.get(resource)?.stop();
    this.#held.delete(resource);
    this.#next(resource);
  }

  #next(resource: string): void {
    if (this.#held.has(resource)) return;
    const next = this.#waiting.get(resource)?.shift();
    if (!next) return void this.#waiting.delete(resource);
    const lease = this.#newId();
    const stop = this.#timers.after(LEASE_MS, () => this.release(lease));
    this.#held.set(resource, { lease, holder: next.holder, stop });
    next.grant(lease);
  }
}
