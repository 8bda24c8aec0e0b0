import type { ActiveTurn, ChatState, Turn } from '../../../sidecar/protocol/channels/chat/schema.ts';
import type { AgentInfo } from '../../../sidecar/protocol/channels/root/schema.ts';
import { budgetOf, leftOf, type SessionBudget } from '../../../sidecar/protocol/channels/session/budgets.ts';
import type { SessionState } from '../../../sidecar/protocol/channels/session/schema.ts';
import { type CountedModel, UsageMeta } from '../../../sidecar/protocol/usageMeta.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import type { RestoreState } from '../contract/chatModel.ts';
import type { BudgetModel, Cost, CountedUsage, TurnUsage, UsageModel } from '../contract/usageModel.ts';

export interface UsageInput {
  readonly chat: ChatState | undefined;
  readonly session: SessionState | undefined;
  readonly chosen: RestoreState;
}

/** What the newest turn used, with the tokens in the model's context, the cost of the chat, and the session's budget. */
export function toUsage({ chat, session, chosen }: UsageInput, agent: AgentInfo | undefined): UsageModel | undefined {
  const turns = chat?.activeTurn ? [...chat.turns, chat.activeTurn] : (chat?.turns ?? []);
  const at = turns.findLastIndex((it) => it.usage);
  const turn = turns[at];
  const budget = toBudget(budgetOf(session?._meta));
  const name = agent?.displayName ?? chosen.provider ?? '';
  if (!turn?.usage) return budget && { agent: name, budget };
  const { usage } = turn;
  const model = usage.model ?? chosen.model;
  const meta = metaOf(usage);
  const { context, cost } = meta;
  // The size that the agent reports takes precedence over the size that is known for the model.
  const window = context?.size || agent?.models.find((it) => it.id === model)?.maxContextWindow;
  return {
    ...turnUsage(usage, meta, turns[at - 1], at === 0 && chat?.turnsNextCursor === undefined),
    agent: name,
    ...(usage.cacheReadTokens !== undefined && { cachedTokens: usage.cacheReadTokens }),
    ...(context && { contextTokens: context.used }),
    ...(context?.parts && { contextParts: context.parts }),
    ...(window && { window }),
    ...(cost && { cost }),
    ...(budget && { budget }),
  };
}

/** What one turn used. @param before the turn before it @param isFirst of the chat */
export function toTurnUsage(
  { usage }: Turn | ActiveTurn,
  before: Turn | ActiveTurn | undefined,
  isFirst: boolean,
): TurnUsage | undefined {
  return usage && turnUsage(usage, metaOf(usage), before, isFirst);
}

const metaOf = (usage: Turn['usage']): UsageMeta => UsageMeta.parse(usage?._meta ?? {});

function turnUsage(
  usage: NonNullable<Turn['usage']>,
  { cost, counted }: UsageMeta,
  before: Turn | ActiveTurn | undefined,
  isFirst: boolean,
): TurnUsage {
  const costBefore = before && metaOf(before.usage).cost;
  const turnCost = counted ? recordedCost(counted) : cost && (isFirst ? cost : costSince(costBefore, cost));
  return {
    ...(usage.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
    ...(usage.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
    ...(turnCost && { turnCost }),
    ...(counted && { counted: counted.map(toCounted) }),
  };
}

function toBudget(budget: SessionBudget | undefined): BudgetModel | undefined {
  const { limit = {} } = budget ?? {};
  if (!budget || (limit.dollars === undefined && limit.calls === undefined)) return undefined;
  const left = leftOf(budget);
  return {
    ...(limit.dollars !== undefined && { dollars: { left: left.dollars ?? 0, limit: limit.dollars } }),
    ...(limit.calls !== undefined && { calls: { left: left.calls ?? 0, limit: limit.calls } }),
  };
}

const dollars = (amount: number): Cost => ({ amount, currency: 'USD' });
const recordedCost = (counted: readonly CountedModel[]): Cost => dollars(counted.reduce((sum, it) => sum + it.cost, 0));
const toCounted = ({ model, subAgent, inputTokens, outputTokens, cost }: CountedModel): CountedUsage => ({
  model: visibleText(model),
  ...(subAgent && { bySubAgents: subAgent }),
  inputTokens,
  outputTokens,
  cost: dollars(cost),
});

/** Agents report the cost of the chat so far. The cost of a turn is the difference. */
function costSince(before: Cost | undefined, cost: Cost): Cost | undefined {
  if (before?.currency !== cost.currency || before.amount > cost.amount) return undefined;
  return { ...cost, amount: cost.amount - before.amount };
}
