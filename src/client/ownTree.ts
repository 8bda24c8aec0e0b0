import * as z from 'zod';
import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';

const Git = z.object({ git: z.object({ worktree: z.string(), branch: z.string() }) });

/** The branch of the worktree that the host made for a session. */
export function ownBranch({ _meta }: Pick<SessionSummary, '_meta'>): string | undefined {
  return Git.safeParse(_meta).data?.git.branch;
}

/** The URI of that worktree. */
export function worktreeOf({ _meta }: Pick<SessionSummary, '_meta'>): string | undefined {
  return Git.safeParse(_meta).data?.git.worktree;
}
