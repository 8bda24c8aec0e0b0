import * as z from 'zod';

/** Which build speaks. Builds are ordered by version, then by `builtAtMs`. */
export const Build = z.object({ version: z.string(), builtAtMs: z.int() });
export type Build = z.infer<typeof Build>;

/** What the host wants a person to know, besides the state of a session. One row and one button each. */
export const Notice = z.object({
  id: z.string(),
  kind: z.enum(['databaseSetAside', 'diskFull', 'cannotWrite', 'cannotSave', 'newerBuildWaiting']),
  message: z.string(),
  /** For databaseSetAside: the folder that holds the old file, as a URI. */
  folder: z.string().optional(),
});
export type Notice = z.infer<typeof Notice>;

/** What runs for the host, and itself. */
export const ProcessInfo = z.object({
  pid: z.int(),
  role: z.enum(['host', 'agent', 'tool']),
  title: z.string(),
  startedAt: z.string(),
  memoryBytes: z.int().optional(),
  session: z.string().optional(),
});
export type ProcessInfo = z.infer<typeof ProcessInfo>;
