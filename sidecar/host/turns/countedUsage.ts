import type { UsageEvent } from '../../agents/provider.ts';
import { type CountedModel, UsageMeta } from '../../protocol/usageMeta.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import type { EffectDeps, SessionCall } from '../context/effectDeps.ts';
import type { TurnWriter } from '../tools/turnWriter.ts';

type Cost = NonNullable<UsageMeta['cost']>;

export interface CountedUsageDeps {
  /** US dollars that the gateway recorded for the conversation before this turn. */
  readonly costBefore: number;
  /** @param models of this turn; empty until the gateway records a call. @returns false if the turn is closed */
  readonly write: (event: UsageEvent, models: readonly CountedModel[]) => boolean;
}

/**
 * The usage of a turn whose calls go through the gateway. Tokens and cost come from the gateway's records. Only the
 * agent knows the size of the context.
 */
export class CountedUsage {
  readonly #deps: CountedUsageDeps;
  readonly #models = new Map<string, CountedModel>();
  #said: UsageEvent = { kind: 'usage' };

  constructor(deps: CountedUsageDeps) {
    this.#deps = deps;
  }

  said(event: UsageEvent): void {
    this.#said = event;
    this.#write();
  }

  /** @returns false if the turn is closed, so that the call counts for the next turn */
  called({ model, subAgent, inputTokens, outputTokens, cost }: SessionCall): boolean {
    const key = JSON.stringify([model, subAgent]);
    const before = this.#models.get(key);
    const counted: CountedModel = {
      model,
      ...(subAgent && { subAgent }),
      calls: (before?.calls ?? 0) + 1,
      inputTokens: (before?.inputTokens ?? 0) + inputTokens,
      outputTokens: (before?.outputTokens ?? 0) + outputTokens,
      cost: (before?.cost ?? 0) + cost,
    };
    this.#models.set(key, counted);
    if (this.#write()) return true;
    if (before) this.#models.set(key, before);
    else this.#models.delete(key);
    return false;
  }

  #write(): boolean {
    const models = [...this.#models.values()];
    const { context, model } = this.#said;
    const sum = (of: (it: CountedModel) => number) => models.reduce((all, it) => all + of(it), 0);
    const cost: Cost = { amount: this.#deps.costBefore + sum((it) => it.cost), currency: 'USD' };
    const event: UsageEvent = {
      kind: 'usage',
      inputTokens: sum((it) => it.inputTokens),
      outputTokens: sum((it) => it.outputTokens),
      ...(model !== undefined && { model }),
      ...(context && { context }),
      cost,
    };
    return this.#deps.write(event, models);
  }
}

/** @param usages of the conversation's turns, oldest first */
export function costCounted(usages: readonly (UsageMeta | undefined)[]): number {
  const last = usages.findLast((it) => it?.counted !== undefined);
  return last?.cost?.currency === 'USD' ? last.cost.amount : 0;
}

/** Counts the usage of one turn. */
export interface TurnCount {
  /** The agent reports usage. */
  said(event: UsageEvent): void;
  stop(): void;
}

/**
 * Shows the gateway's records of a turn instead of the agent's own figures.
 *
 * @returns `undefined` if the agent's calls do not go through the gateway
 */
export function countTurn(
  { store, sessionTools }: Pick<EffectDeps, 'store' | 'sessionTools'>,
  { chat, agent }: Pick<AgentRuntime, 'chat' | 'agent'>,
  model: string | undefined,
  writer: Pick<TurnWriter, 'isOpen' | 'usage'>,
): TurnCount | undefined {
  if (agent.modelsThrough?.(model) !== 'gateway' && !agent.isCounted) return undefined;
  const usages = (store.state('chat', chat)?.turns ?? []).map((it) => UsageMeta.safeParse(it.usage?._meta).data);
  const counted = new CountedUsage({
    costBefore: costCounted(usages),
    write(event, models) {
      if (!writer.isOpen) return false;
      writer.usage(event, models);
      return true;
    },
  });
  const stop = sessionTools.onCall(chat, (call) => counted.called(call));
  return { said: (event) => counted.said(event), stop };
}
