import * as z from 'zod';

/** `_meta.setUp` of a session: the command of the person that prepares its new worktree. In its summary, too. */
export const SetUp = z.object({
  command: z.string().min(1).max(10_000),
  /** `interrupted`: a person stopped it, or the host ended. */
  state: z.enum(['running', 'passed', 'failed', 'interrupted']),
  exitCode: z.int().exactOptional(),
  /** The last lines that it printed, or why it could not start. */
  output: z.string().exactOptional(),
});
export type SetUp = z.infer<typeof SetUp>;

/** @returns `undefined` for a session whose worktree needed none */
export function setUpOf(meta: Readonly<Record<string, unknown>> | undefined): SetUp | undefined {
  return SetUp.safeParse(meta?.[SET_UP]).data;
}
export const SET_UP = 'setUp';

/** What the host stores of the sessions in whose worktrees a command runs: their URIs. */
export const SessionsWithCommand = z.array(z.string());
