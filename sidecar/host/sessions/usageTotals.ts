import type { Turn } from '../../protocol/channels/chat/schema.ts';
import { type ModelTotal, type SessionUsage, UsageMeta } from '../../protocol/usageMeta.ts';

type Cost = NonNullable<ModelTotal['cost']>;

/** An agent can name any number of models. The last of these entries has no name and adds up all models without an own entry. */
const MAX_MODELS = 16;

/**
 * Adds a turn's usage to its session's total. Called once per turn, when the turn ends, because later changes to the transcript,
 * such as a restored checkpoint, do not lower the cost.
 *
 * @param turns the known turns of the chat; the last one has just ended
 * @returns `undefined` if the turn reports no usage
 */
export function addTurn(total: SessionUsage | undefined, turns: readonly Turn[]): SessionUsage | undefined {
  const usage = turns.at(-1)?.usage;
  if (!usage) return undefined;
  const { recorded = [], reported = [] } = total ?? {};
  const { counted, cost } = metaOf(usage);
  if (counted) {
    const used = counted.map(({ calls: _calls, cost: amount, ...it }) => ({
      ...it,
      cost: { amount, currency: 'USD' },
    }));
    return { recorded: used.reduce(added, recorded), reported };
  }
  const used: ModelTotal = {
    model: usage.model ?? '',
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    ...(cost && { cost: costOfLast(turns, cost) }),
  };
  return { recorded, reported: added(reported, used) };
}

const metaOf = (usage: Turn['usage']): UsageMeta => UsageMeta.safeParse(usage?._meta ?? {}).data ?? {};

const isReported = ({ usage }: Turn): boolean =>
  usage?._meta?.['cost'] !== undefined && usage._meta['counted'] === undefined;

/** Agents report the cost of the conversation so far. A lower cost than before means that the agent started counting again. */
function costOfLast(turns: readonly Turn[], { amount, currency }: Cost): Cost {
  const before = metaOf(turns.findLast((it, at) => at < turns.length - 1 && isReported(it))?.usage).cost;
  const known = before?.currency === currency && before.amount <= amount ? before.amount : 0;
  return { amount: amount - known, currency };
}

function added(all: readonly ModelTotal[], used: ModelTotal): ModelTotal[] {
  const place = all.findIndex((it) => isSame(it, used));
  const before = all[place];
  if (!before) {
    if (used.model === '' || all.length < MAX_MODELS - 1) return [...all, used];
    const { subAgent: _subAgent, ...unnamed } = used;
    return added(all, { ...unnamed, model: '' });
  }
  const amount = (before.cost?.amount ?? 0) + (used.cost?.amount ?? 0);
  const currency = (used.cost ?? before.cost)?.currency;
  const sum: ModelTotal = {
    ...before,
    inputTokens: before.inputTokens + used.inputTokens,
    outputTokens: before.outputTokens + used.outputTokens,
    ...(currency !== undefined && { cost: { amount, currency } }),
  };
  return all.with(place, sum);
}

/** Costs in different currencies cannot be added up. */
const isSame = (one: ModelTotal, other: ModelTotal): boolean =>
  one.model === other.model &&
  one.subAgent === other.subAgent &&
  (!one.cost || !other.cost || one.cost.currency === other.cost.currency);
