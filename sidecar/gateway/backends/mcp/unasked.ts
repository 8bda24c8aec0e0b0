import { EventQueue } from './eventQueue.ts';
import { tooLarge } from './failure.ts';
import type { StreamEvent } from './streamEvent.ts';
import type { McpTarget } from './types.ts';

/** How many messages that nobody listens to yet are kept for the next listener, together no larger than one answer. */
const maxKept = 64;

export function eventQueue({ name, maxResponseBytes }: McpTarget): EventQueue {
  const maxBytes = maxResponseBytes * 2;
  return new EventQueue(maxBytes, () => tooLarge(name, maxBytes));
}

/** Messages of a server to one client outside calls. */
export class Unasked {
  readonly #target: McpTarget;
  #kept: StreamEvent[] = [];
  #keptBytes = 0;
  #listener: EventQueue | undefined;

  constructor(target: McpTarget) {
    this.#target = target;
  }

  get isListened(): boolean {
    return this.#listener !== undefined;
  }

  /** Replaces the previous listener. */
  listen(signal: AbortSignal): EventQueue {
    this.#listener?.end();
    const queue = eventQueue(this.#target);
    this.#listener = queue;
    for (const event of this.#kept.splice(0)) queue.push(event);
    this.#keptBytes = 0;
    const leave = () => {
      queue.end();
      if (this.#listener === queue) this.#listener = undefined;
    };
    signal.addEventListener('abort', leave, { once: true });
    queue.onLeft = leave;
    return queue;
  }

  /** Goes to the listener, or else to the stream of the newest call, or else is kept for a while. */
  pass(event: StreamEvent, newest: EventQueue | undefined): void {
    const queue = this.#listener ?? newest;
    if (queue) {
      queue.push(event);
      return;
    }
    const bytes = this.#keptBytes + event.data.length;
    if (this.#kept.length >= maxKept || bytes > this.#target.maxResponseBytes) return;
    this.#kept.push(event);
    this.#keptBytes = bytes;
  }

  end(): void {
    this.#listener?.end();
  }
}
