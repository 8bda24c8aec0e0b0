import * as z from 'zod';

/** `_meta` of a tool call that would change what other sessions are changing. */
export const HeldMeta = z.object({
  heldBy: z.array(z.object({ session: z.string(), title: z.string(), files: z.array(z.string()) })).min(1),
});
export type HeldMeta = z.infer<typeof HeldMeta>;
