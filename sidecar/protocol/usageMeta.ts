import * as z from 'zod';

const amount = z.number().nonnegative();
const Cost = z.object({ amount, currency: z.string() });

/** What the gateway recorded of one turn's calls to one model, by the name that the agent called. Costs are US dollars. */
export const CountedModel = z.object({
  model: z.string(),
  /** Sub-agents of the agent made the calls. Absent: it made them itself, or does not say. */
  subAgent: z.literal(true).exactOptional(),
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
  cost: Cost.optional().catch(undefined),
  /** Tokens and cost are the gateway's records, by model. Absent: the agent reports them. */
  counted: z.array(CountedModel).optional().catch(undefined),
});
export type UsageMeta = z.infer<typeof UsageMeta>;

/** What all turns of a session used with one model. */
export const ModelTotal = z.object({
  /** Empty: the agent does not say which one, or there were too many to list. */
  model: z.string(),
  subAgent: CountedModel.shape.subAgent,
  inputTokens: amount,
  outputTokens: amount,
  /** Absent: nobody says. */
  cost: Cost.exactOptional(),
});
export type ModelTotal = z.infer<typeof ModelTotal>;

/** In `_meta.usage` of a session in the list: what its turns used that have ended. */
export const SessionUsage = z.object({
  /** By the gateway. */
  recorded: z.array(ModelTotal),
  /** By the agents, of turns whose calls do not go through the gateway. */
  reported: z.array(ModelTotal),
});
export type SessionUsage = z.infer<typeof SessionUsage>;
