/** What a turn used, as its agent or the gateway says. What it does not say is not there. */
export interface TurnUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the turn alone. */
  readonly turnCost?: Cost;
  /** The gateway recorded tokens and cost, and the agent did not report them: by model. */
  readonly counted?: readonly CountedUsage[];
}
/** Of the newest turn. */
export interface UsageModel extends TurnUsage {
  /** Of the input, read from the cache of the model's provider. */
  readonly cachedTokens?: number;
  /** Tokens in the model's context; absent: as many as went in. */
  readonly contextTokens?: number;
  /** Tokens the model can hold, when known. */
  readonly window?: number;
  /** Of the session so far. */
  readonly cost?: Cost;
  /** Of the session, where something limits it. */
  readonly budget?: BudgetModel;
}
export interface CountedUsage {
  readonly model: string;
  /** And not by the agent itself. */
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
