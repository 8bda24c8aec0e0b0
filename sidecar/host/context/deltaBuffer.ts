import type { Timers } from '../../platform/timers.ts';

/** Text of the agent, gathered for a moment: one action instead of one for each token. The reduced state is the same. */
export class DeltaBuffer {
  readonly #commit: (kind: 'text' | 'reasoning', partId: string, text: string) => void;
  readonly #latencyMs: () => number;
  readonly #timers: Pick<Timers, 'after'>;
  #held: { kind: 'text' | 'reasoning'; partId: string; texts: string[] } | undefined;
  #stop: (() => void) | undefined;

  constructor(
    commit: (kind: 'text' | 'reasoning', partId: string, text: string) => void,
    latencyMs: () => number,
    timers: Pick<Timers, 'after'>,
  ) {
    this.#commit = commit;
    this.#latencyMs = latencyMs;
    this.#timers = timers;
  }

  add(kind: 'text' | 'reasoning', partId: string, text: string): void {
    if (this.#held && (this.#held.partId !== partId || this.#held.kind !== kind)) this.flush();
    if (this.#held) {
      this.#held.texts.push(text);
      return;
    }
    this.#held = { kind, partId, texts: [text] };
    const latencyMs = this.#latencyMs();
    if (latencyMs <= 0) this.flush();
    else this.#stop = this.#timers.after(latencyMs, () => this.flush());
  }

  /** Before anything else of the turn, so that order is kept. */
  flush(): void {
    const held = this.#held;
    this.#stop?.();
    this.#stop = undefined;
    this.#held = undefined;
    if (held) this.#commit(held.kind, held.partId, held.texts.join(''));
  }
}
