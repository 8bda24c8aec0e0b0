import * as z from 'zod';

const amount = z.number().nonnegative();

/** What the gateway recorded of one turn's calls to one model, by the name that the agent called. Costs are US dollars. */
export const CountedModel = z.object({
  model: z.string(),
  calls: amount,
  inputTokens: amount,
  outputTokens: amount,
  cost: amount,
});
export type CountedModel = z.infer<typeof CountedModel>;

/** What `_meta` of a UsageInfo of this host may have besides the protocol's own counts. Other members are ignored. */
export const UsageMeta = z.object({
  /** Tokens in the model's context now, and how many it holds. */
  context: z.object({ used: amount, size: amount }).optional().catch(undefined),
  /** Of the whole session so far, not of this turn. */
  cost: z.object({ amount, currency: z.string() }).optional().catch(undefined),
  /** Tokens and cost are the gateway's records, by model. Absent: the agent reports them. */
  counted: z.array(CountedModel).optional().catch(undefined),
});
export type UsageMeta = z.infer<typeof UsageMeta>;
