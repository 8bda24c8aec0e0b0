import * as z from 'zod';

const Dollars = z.number().positive().max(1_000_000);

/** The most that agents may use before a person is asked. An absent member means no limit. */
export const BudgetLimit = z.object({
  /** US dollars, for models whose prices the gateway knows. */
  dollars: Dollars.exactOptional(),
  /** Calls to models. */
  calls: z.int().positive().max(1_000_000).exactOptional(),
});
export type BudgetLimit = z.infer<typeof BudgetLimit>;

export const Spent = z.object({ calls: z.int().nonnegative(), dollars: z.number().nonnegative() });
export type Spent = z.infer<typeof Spent>;

/** `_meta.budget` of a session with a budget, and of its summary. */
export const SessionBudget = z.object({
  limit: BudgetLimit,
  /** A person set it for this session. Otherwise, it comes from the settings. */
  isOwn: z.boolean(),
  /** By the calls that the gateway recorded. */
  spent: Spent,
});
export type SessionBudget = z.infer<typeof SessionBudget>;

export function budgetOf(meta: Readonly<Record<string, unknown>> | undefined): SessionBudget | undefined {
  return SessionBudget.safeParse(meta?.['budget']).data;
}

/** What is left of a budget; never negative. */
export function leftOf({ limit, spent }: SessionBudget): { readonly dollars?: number; readonly calls?: number } {
  return {
    ...(limit.dollars !== undefined && { dollars: Math.max(0, limit.dollars - spent.dollars) }),
    ...(limit.calls !== undefined && { calls: Math.max(0, limit.calls - spent.calls) }),
  };
}

/** The budgets in a window's settings, in US dollars. */
export const BudgetSettings = z.object({
  /** For each session without its own budget. */
  session: Dollars.exactOptional(),
  /** For all sessions together, per day. */
  day: Dollars.exactOptional(),
  /** For all sessions in a folder together. */
  folder: Dollars.exactOptional(),
  /** For all sessions together. */
  all: Dollars.exactOptional(),
});
export type BudgetSettings = z.infer<typeof BudgetSettings>;

/** The maximum of each limit in {@link RunLimits}. */
export const MOST_AT_ONCE = 1_000;
const Count = z.int().positive().max(MOST_AT_ONCE);

/** Limits on numbers in a window's settings. An absent member means no limit. */
export const RunLimits = z.object({
  /** Sub-agents that the agent of a session can start in one turn. */
  subAgents: Count.exactOptional(),
  /** Sessions that can run a turn at the same time. */
  sessions: Count.exactOptional(),
  /** Sessions in the same folder that can run a turn at the same time. */
  sessionsInFolder: Count.exactOptional(),
});
export type RunLimits = z.infer<typeof RunLimits>;

/** The host stores which budgets and limits in the settings a person raised, by account. */
export const RaisedBudgets = z.record(z.string(), z.object({ from: z.number(), to: z.number() }));
export type RaisedBudgets = z.infer<typeof RaisedBudgets>;
