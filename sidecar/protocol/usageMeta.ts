import * as z from 'zod';

const amount = z.number().nonnegative();

/** What `_meta` of a UsageInfo of this host may have besides the protocol's own counts. Other members are ignored. */
export const UsageMeta = z.object({
  /** Tokens in the model's context now, and how many it holds. */
  context: z.object({ used: amount, size: amount }).optional().catch(undefined),
  /** Of the whole session so far, not of this turn. */
  cost: z.object({ amount, currency: z.string() }).optional().catch(undefined),
});
export type UsageMeta = z.infer<typeof UsageMeta>;
