import type { Runtime } from '../../platform/runtime.ts';

export const DEFAULT_IDLE_EXIT_MINUTES = 10;

/** The longest that a timer of Node can wait; what is longer would be due at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export interface IdleExitDeps extends Pick<Runtime, 'timers'> {
  /** No client and no running turn. */
  readonly isIdle: () => boolean;
  readonly minutes: () => number | undefined;
  readonly leave: () => void;
}

/** Lets the host leave once it was idle for the whole time. Call `update` whenever a client or a turn came or went. */
export class IdleExit {
  readonly #deps: IdleExitDeps;
  #cancel: (() => void) | undefined;

  constructor(deps: IdleExitDeps) {
    this.#deps = deps;
  }

  update(): void {
    this.stop();
    if (!this.#deps.isIdle()) return;
    const minutes = this.#deps.minutes() ?? DEFAULT_IDLE_EXIT_MINUTES;
    this.#cancel = this.#deps.timers.after(Math.min(minutes * 60_000, MAX_DELAY_MS), () => {
      if (this.#deps.isIdle()) this.#deps.leave();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
