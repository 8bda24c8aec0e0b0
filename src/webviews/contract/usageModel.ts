/** What a turn used, as reported by its agent or recorded by the gateway. What is not known is absent. */
export interface TurnUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the turn alone. */
  readonly turnCost?: Cost;
  /** By model. Present only if the gateway recorded the tokens and cost. */
  readonly counted?: readonly CountedUsage[];
}
export interface ContextPart {
  readonly kind: 'system' | 'instructions' | 'tools' | 'messages' | 'attachments' | 'results';
  readonly tokens: number;
}
/** Of the newest turn. */
export interface UsageModel extends TurnUsage {
  /** The name of the agent, for a person. */
  readonly agent: string;
  /** Of the input, read from the cache of the model's provider. */
  readonly cachedTokens?: number;
  /** Tokens in the model's context; absent: as many as went in. */
  readonly contextTokens?: number;
  /** What they are used for, as the agent estimates it. */
  readonly contextParts?: readonly ContextPart[];
  /** Tokens the model can hold, when known. */
  readonly window?: number;
  /** Of the session so far. */
  readonly cost?: Cost;
  /** Of the session, if a budget limits it. */
  readonly budget?: BudgetModel;
}
export interface CountedUsage {
  readonly model: string;
  /** The agent's sub-agents called the model, not the agent itself. */
  readonly bySubAgents?: true;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: Cost;
}
export interface Cost {
  readonly amount: number;
  /** Also a unit of the agent's own. */
  readonly currency: string;
}

/** US dollars, and calls to models. */
export interface BudgetModel {
  readonly dollars?: { readonly left: number; readonly limit: number };
  readonly calls?: { readonly left: number; readonly limit: number };
}
