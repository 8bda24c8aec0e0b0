import type { AnyAction } from '../../sidecar/protocol/envelope.ts';

export interface Dispatch {
  readonly channel: string;
  readonly clientSeq: number;
  readonly action: AnyAction;
}

/**
 * What this client dispatched and the host has not answered yet, in order. It outlives connections: each new one gets
 * all of it again, with the same numbers, by which the host applies each only once.
 */
export class SendQueue {
  #waiting: readonly Dispatch[] = [];
  #lastSeq = 0;

  get waiting(): readonly Dispatch[] {
    return this.#waiting;
  }

  /** Numbers start at 1: the host never remembers a 0. */
  add(channel: string, action: AnyAction): Dispatch {
    this.#lastSeq += 1;
    const dispatch = { channel, clientSeq: this.#lastSeq, action };
    this.#waiting = [...this.#waiting, dispatch];
    return dispatch;
  }

  /** Anywhere in the queue: a rejection may overtake. */
  take(clientSeq: number): Dispatch | undefined {
    const found = this.#waiting.find((it) => it.clientSeq === clientSeq);
    if (found) this.#waiting = this.#waiting.filter((it) => it !== found);
    return found;
  }

  of(channel: string): readonly Dispatch[] {
    return this.#waiting.filter((it) => it.channel === channel);
  }
}
