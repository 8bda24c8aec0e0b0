export const DEFAULT_IDLE_EXIT_MINUTES = 10;

export interface IdleExitDeps {
  /** No client and no running turn. */
  readonly isIdle: () => boolean;
  readonly minutes: () => number | undefined;
  readonly leave: () => void;
  /** Runs `work` after `delayMs`. @returns cancels */
  readonly schedule: (work: () => void, delayMs: number) => () => void;
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
    this.#cancel = this.#deps.schedule(() => {
      if (this.#deps.isIdle()) this.#deps.leave();
    }, minutes * 60_000);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
