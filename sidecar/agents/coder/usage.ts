import type { UsageEvent } from '../provider.ts';
import type { Usage } from './models/languageModel.ts';

/** What a turn used so far: the sum of its calls, and what was in the context of the last one. */
export class TurnUsage {
  #input = 0;
  #output = 0;
  #cacheRead = 0;
  #used: number | undefined;

  /** @param isOwn whether the call belongs to the conversation itself, and not to a sub-agent */
  add(usage: Usage | undefined, isOwn: boolean): void {
    const { inputTokens, outputTokens } = usage ?? {};
    this.#input += inputTokens?.total ?? 0;
    this.#output += outputTokens?.total ?? 0;
    this.#cacheRead += inputTokens?.cacheRead ?? 0;
    if (isOwn && inputTokens?.total !== undefined) this.#used = inputTokens.total + (outputTokens?.total ?? 0);
  }

  /** Tokens in the context after the last call. `undefined` before the first, and if the provider does not count. */
  get used(): number | undefined {
    return this.#used;
  }

  /** The conversation was shortened. */
  shortened(used: number): void {
    this.#used = used;
  }

  event(model: string, size: number): UsageEvent {
    return {
      kind: 'usage',
      inputTokens: this.#input,
      outputTokens: this.#output,
      cacheReadTokens: this.#cacheRead,
      model,
      ...(this.#used !== undefined && { context: { used: Math.min(this.#used, size), size } }),
    };
  }
}
