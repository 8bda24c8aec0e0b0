import * as z from 'zod';
import { RootChannel } from '../../commands.ts';
import { Uri } from '../../shared.ts';
import { SetUp } from './setUp.ts';

/** Why a worktree is not removed. */
export const WorktreeHold = z.discriminatedUnion('kind', [
  /** Files that differ from the last commit, or that Git does not track or ignore. */
  z.object({ kind: z.literal('uncommitted'), files: z.int().positive() }),
  /** Commits that are on no remote and on no other branch or tag. */
  z.object({ kind: z.literal('unpushed'), commits: z.int().positive() }),
  /** A person pinned a session that works there, or Git has it locked. */
  z.object({ kind: z.literal('pinned') }),
  /** A turn runs there, or waits for a person. */
  z.object({ kind: z.literal('running') }),
  /** Its session is in a race, which removes it at its end. */
  z.object({ kind: z.literal('race') }),
  /** Git does not say what is in it, or refused to remove it. */
  z.object({ kind: z.literal('unreadable') }),
]);
export type WorktreeHold = z.infer<typeof WorktreeHold>;

/** A working tree that the host made for a session. */
export const WorktreeInfo = z.object({
  worktree: Uri,
  /** The folder of the repository that it belongs to. */
  repository: Uri,
  /** What is checked out in it; absent for no branch. */
  branch: z.string().exactOptional(),
  /** The sessions that work in it. */
  sessions: z.array(z.object({ resource: Uri, title: z.string() })),
  /** Of the session for which it was made; absent if no command set it up. */
  setUp: SetUp.exactOptional(),
  /** Empty: it can be removed, and nothing is lost. */
  holds: z.array(WorktreeHold),
});
export type WorktreeInfo = z.infer<typeof WorktreeInfo>;

const onRoot = { channel: RootChannel };
/** Sessions that the person pinned. The host does not know of pins. */
const pinned = z.array(Uri).max(10_000).default([]);

export const WorktreesParams = z
  .object({
    ...onRoot,
    /** Folders whose repositories are looked at, besides those of all sessions in worktrees. */
    folders: z.array(Uri).max(100).default([]),
    pinned,
  })
  .prefault({});
export const WorktreesResult = z.object({ items: z.array(WorktreeInfo) });

export const WorktreeSizeParams = z.object({ ...onRoot, worktree: Uri, again: z.boolean().default(false) });
/** On disk. If there were too many files to look at all of them, `isWhole` is false and both numbers are too low. */
export const WorktreeSize = z.object({
  bytes: z.int().nonnegative(),
  files: z.int().nonnegative(),
  isWhole: z.boolean(),
});
export type WorktreeSize = z.infer<typeof WorktreeSize>;

export const WorktreesRemoveParams = z.object({ ...onRoot, worktrees: z.array(Uri).min(1).max(1_000), pinned });
export const WorktreesRemoveResult = z.object({
  removed: z.array(Uri),
  kept: z.array(z.object({ worktree: Uri, holds: z.array(WorktreeHold).min(1) })),
});
