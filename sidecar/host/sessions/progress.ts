import type { EffectDeps } from '../context/effectDeps.ts';

/** Sends `root/progress` to a client that gave a token with its command; without a token nothing is sent. */
export class Progress {
  readonly #notifyRoot: EffectDeps['notifyRoot'];
  readonly #token: string | undefined;

  constructor({ notifyRoot }: Pick<EffectDeps, 'notifyRoot'>, token: string | undefined) {
    this.#notifyRoot = notifyRoot;
    this.#token = token;
  }

  /** @param progress from 0 to 1; 1 is the last word, also of what failed */
  report(progress: number, message?: string): void {
    if (this.#token === undefined) return;
    const frame = { progressToken: this.#token, progress, total: 1, ...(message !== undefined && { message }) };
    this.#notifyRoot('root/progress', frame);
  }
}
