import * as z from 'zod';

const Count = z.int().positive();

/** `_meta.unaskedRuns` of a session whose agent ran commands or changed files without asking, in a mode in which it should ask. */
export const UnaskedRuns = z.object({
  /** Of the agent's program. Absent: it states none. */
  version: z.string().exactOptional(),
  /** Tools in this session. */
  here: Count,
  /** Tools of this version of the agent, in all sessions. */
  all: Count,
});
export type UnaskedRuns = z.infer<typeof UnaskedRuns>;

export const UNASKED_RUNS = 'unaskedRuns';

export function unaskedRunsOf(meta: Readonly<Record<string, unknown>> | undefined): UnaskedRuns | undefined {
  return UnaskedRuns.safeParse(meta?.[UNASKED_RUNS]).data;
}

/** The host stores how many tools each version of each agent ran without asking. */
export const UnaskedCounts = z.record(z.string(), Count);
