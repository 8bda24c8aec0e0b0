import * as z from 'zod';

/** `_meta` of a part of reasoning that is over: how long the agent was at it. */
export const TimedMeta = z.object({ durationMs: z.number().nonnegative().exactOptional() });
export type TimedMeta = z.infer<typeof TimedMeta>;

/** What `_meta` of a tool call says of the call itself, whatever kind of tool it is. */
export const CallMeta = z.object({
  /** Of a call that is over: how long it ran, without the time that a person took to allow it. */
  ...TimedMeta.shape,
  /** The call of the same turn on whose behalf this one is made, by a worker of the agent. */
  parentToolCallId: z.string().min(1).exactOptional(),
});
export type CallMeta = z.infer<typeof CallMeta>;
