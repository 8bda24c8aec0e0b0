import * as z from 'zod';
import { RootChannel } from '../../commands.ts';
import { Uri } from '../../shared.ts';

/** Sessions of one race. */
export const racers = { least: 2, most: 6 } as const;

/** A person's command that checks what an agent made. */
export const RaceCheck = z.object({
  command: z.string().min(1).max(10_000),
  /** `interrupted`: a person stopped it, or the host ended. */
  state: z.enum(['waiting', 'running', 'passed', 'failed', 'interrupted']),
  exitCode: z.int().exactOptional(),
  /** The last lines that it printed. */
  output: z.string().exactOptional(),
});
export type RaceCheck = z.infer<typeof RaceCheck>;

/** `_meta.race` of a session that gets the same prompt as others, each in a worktree of its own. In its summary, too. */
export const Race = z.object({
  /** The same for all its sessions. */
  id: z.string().min(1).max(200),
  /** The commit from which its sessions began. */
  base: z.string().regex(/^[0-9a-f]{40,64}$/),
  check: RaceCheck.exactOptional(),
});
export type Race = z.infer<typeof Race>;

export const RACE = 'race';
/** @returns `undefined` for a session that is in no race */
export function raceOf(meta: Readonly<Record<string, unknown>> | undefined): Race | undefined {
  return Race.safeParse(meta?.[RACE]).data;
}

/** The key of the host's stored list of the sessions whose check runs, by URI. */
export const RUNNING_CHECKS = 'runningChecks';

const onRoot = { channel: RootChannel };

/** Of sessions that were created for it, each with a worktree of its own, before their first prompt. */
export const RaceStartParams = z.object({
  ...onRoot,
  race: Race.shape.id,
  sessions: z.array(Uri).min(racers.least).max(racers.most),
  /** For a POSIX shell. */
  check: RaceCheck.shape.command.exactOptional(),
});

/** Lines keep their line endings. Bytes that are not UTF-8 are replaced. */
const RaceHunk = z.object({
  /** Zero-based, in the file before. */
  line: z.int().nonnegative(),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});
export const RaceFile = z.object({
  /** Relative to the repository, with `/`. */
  path: z.string().min(1),
  kind: z.enum(['created', 'changed', 'deleted']),
  /** Of what the file holds now. */
  version: z.string(),
  /** Absent for a file that is kept only whole: one that came or went, has no lines, or is large. */
  hunks: z.array(RaceHunk).exactOptional(),
});
export type RaceFile = z.infer<typeof RaceFile>;
export const RaceParams = z.object({ ...onRoot, race: Race.shape.id });
export const RaceChangesResult = z.object({
  sessions: z.array(z.object({ session: Uri, files: z.array(RaceFile) })),
});

export const RaceChoice = z.object({
  session: Uri,
  path: RaceFile.shape.path,
  version: RaceFile.shape.version,
  /** Indexes of its hunks; absent: the whole file. */
  hunks: z.array(z.int().nonnegative()).exactOptional(),
});
export type RaceChoice = z.infer<typeof RaceChoice>;
/** Empty: nothing is kept. */
export const RaceKeepParams = z.object({ ...onRoot, race: Race.shape.id, chosen: z.array(RaceChoice).max(20_000) });
export const RaceKeepResult = z.object({
  /** Paths in the repository that were written or removed. */
  written: z.array(z.string()),
  /** Worktrees that could not be removed. */
  kept: z.array(Uri),
});
