import * as z from 'zod';

const amount = z.number().nonnegative();
const Cost = z.object({ amount, currency: z.string() });

/** The gateway's record of one turn's calls to one model, by the name that the agent called. Costs are in US dollars. */
export const CountedModel = z.object({
  model: z.string(),
  /** Sub-agents made the calls. Absent: the agent made them itself, or that is unknown. */
  subAgent: z.literal(true).exactOptional(),
  calls: amount,
  inputTokens: amount,
  outputTokens: amount,
  cost: amount,
});
export type CountedModel = z.infer<typeof CountedModel>;

/** What the model's context contains, in tokens. Agents estimate the parts: providers count only the whole. */
export const ContextPart = z.object({
  kind: z.enum(['system', 'instructions', 'tools', 'messages', 'attachments', 'results']),
  tokens: amount,
});
export type ContextPart = z.infer<typeof ContextPart>;

/** What `_meta` of a UsageInfo of this host may have besides the protocol's own counts. Other members are ignored. */
export const UsageMeta = z.object({
  /** Tokens in the model's context now, and how many it holds. */
  context: z
    .object({ used: amount, size: amount, parts: z.array(ContextPart).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  /** Of the whole session so far, not of this turn. */
  cost: Cost.optional().catch(undefined),
  /** The gateway's records of tokens and cost, by model. Absent: the agent reported them. */
  counted: z.array(CountedModel).optional().catch(undefined),
});
export type UsageMeta = z.infer<typeof UsageMeta>;

/** The usage of one model over all turns of a session. */
export const ModelTotal = z.object({
  /** Empty: the agent did not name it. */
  model: z.string(),
  subAgent: CountedModel.shape.subAgent,
  inputTokens: amount,
  outputTokens: amount,
  /** Absent: unknown. */
  cost: Cost.exactOptional(),
});
export type ModelTotal = z.infer<typeof ModelTotal>;

/** `_meta.usage` of a session in the list: the usage of its ended turns. */
export const SessionUsage = z.object({
  /** Recorded by the gateway. */
  recorded: z.array(ModelTotal),
  /** Reported by agents whose calls do not go through the gateway. */
  reported: z.array(ModelTotal),
});
export type SessionUsage = z.infer<typeof SessionUsage>;
