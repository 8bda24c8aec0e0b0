import * as z from 'zod';
import { UsageMeta } from '../../usageMeta.ts';

/** What `_meta` of a sub-agent in a tool call says once the sub-agent's turn is over. */
export const SubAgentMeta = z.object({
  inputTokens: z.number().nonnegative().optional().catch(undefined),
  outputTokens: z.number().nonnegative().optional().catch(undefined),
  /** Absent: unknown. */
  cost: UsageMeta.shape.cost,
});
export type SubAgentMeta = z.infer<typeof SubAgentMeta>;
