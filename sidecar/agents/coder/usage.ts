import type { ContextPart } from '../../protocol/usageMeta.ts';
import type { UsageEvent } from '../provider.ts';
import type { Usage } from './models/languageModel.ts';

/** The tokens of a turn so far, as far as they were counted: the sum over its calls, and the context of the last call. */
export class TurnUsage {
  #input = 0;
  #output = 0;
  #cacheRead = 0;
  #used: number | undefined;
  #isCounted = false;

  add(usage: Usage | undefined): void {
    const { inputTokens, outputTokens } = usage ?? {};
    this.#input += inputTokens?.total ?? 0;
    this.#output += outputTokens?.total ?? 0;
    this.#cacheRead += inputTokens?.cacheRead ?? 0;
    if (inputTokens?.total === undefined) return;
    this.#isCounted = true;
    this.#used = inputTokens.total + (outputTokens?.total ?? 0);
  }

  /** Call it when the conversation was summarized, or the provider did not count the tokens. */
  estimated(used: number): void {
    this.#used = used;
  }

  /** @param partsOf what the context contains, if it contains that many tokens */
  event(model: string, size: number, partsOf: (used: number) => ContextPart[]): UsageEvent {
    const used = this.#used === undefined ? undefined : Math.min(this.#used, size);
    return {
      kind: 'usage',
      ...(this.#isCounted && {
        inputTokens: this.#input,
        outputTokens: this.#output,
        cacheReadTokens: this.#cacheRead,
      }),
      model,
      ...(used !== undefined && { context: { used, size, parts: partsOf(used) } }),
    };
  }
}
