import type { UsageEvent } from '../provider.ts';
import type { PromptResult, UsageUpdate } from './wire.ts';

type Answered = NonNullable<PromptResult['usage']>;

/**
 * What a turn used. An agent reports what is in the context while it works (`usage_update`), and tokens with the answer of
 * the prompt: both are said together, and none is added to the other (host.usage.context). Where the answer counts no
 * input, what is in the context is what the model was given last.
 */
export class TurnUsage {
  readonly #model: string | undefined;
  #context: UsageUpdate | undefined;
  #answered: Answered | undefined;
  #last = '';

  constructor(model: string | undefined) {
    this.#model = model;
  }

  /** @returns what to emit, where anything is other than before */
  updated(context: UsageUpdate): readonly UsageEvent[] {
    // The cost is the whole session's: an update without it leaves it as it was.
    const cost = context.cost ?? this.#context?.cost;
    this.#context = { ...context, ...(cost && { cost }) };
    return this.#emit();
  }

  answered(usage: Answered | null | undefined): readonly UsageEvent[] {
    if (!usage) return [];
    this.#answered = usage;
    return this.#emit();
  }

  #emit(): readonly UsageEvent[] {
    const { inputTokens, outputTokens, cachedReadTokens } = this.#answered ?? {};
    const input = inputTokens ?? this.#context?.used;
    const event: UsageEvent = {
      kind: 'usage',
      ...(input !== undefined && { inputTokens: input }),
      ...(outputTokens != null && { outputTokens }),
      ...(cachedReadTokens != null && { cacheReadTokens: cachedReadTokens }),
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.#context && { context: { used: this.#context.used, size: this.#context.size } }),
      ...(this.#context?.cost && { cost: this.#context.cost }),
    };
    const text = JSON.stringify(event);
    if (text === this.#last) return [];
    this.#last = text;
    return [event];
  }
}
