import * as z from 'zod';

/**
 * `_meta` of a notification that is the plan of an agent. Its content says the same as a Markdown list, for clients that
 * know no plans. Each one takes the place of those before it in the turn.
 */
export const PlanMeta = z.object({
  /** What the agent means to do, in its order, and how far it is. */
  plan: z.array(z.object({ text: z.string(), state: z.enum(['open', 'doing', 'done']) })),
});
export type PlanMeta = z.infer<typeof PlanMeta>;
