/** Timers that a test lets pass. Those of a second and less, which only gather what belongs together, run by themselves. */
export class ManualTimers {
  readonly #waiting = new Set<{ work: () => void; delayMs: number }>();
  readonly #running = new Set<NodeJS.Timeout>();

  readonly schedule = (work: () => void, delayMs: number): (() => void) => {
    if (delayMs <= 1_000) {
      const timer = setTimeout(() => {
        this.#running.delete(timer);
        work();
      }, delayMs);
      this.#running.add(timer);
      return () => {
        this.#running.delete(timer);
        clearTimeout(timer);
      };
    }
    const entry = { work, delayMs };
    this.#waiting.add(entry);
    return () => void this.#waiting.delete(entry);
  };

  /** Whether something waits for exactly so long. */
  has(delayMs: number): boolean {
    return [...this.#waiting].some((it) => it.delayMs === delayMs);
  }

  /** Everything that waits for exactly so long is due. */
  pass(delayMs: number): void {
    for (const it of [...this.#waiting]) {
      if (it.delayMs !== delayMs || !this.#waiting.delete(it)) continue;
      it.work();
    }
  }

  close(): void {
    for (const it of this.#running) clearTimeout(it);
    this.#waiting.clear();
  }
}
