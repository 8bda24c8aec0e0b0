import type { EffectDeps } from '../context/effectDeps.ts';
import { isAtOrBelow, pathOf, toRealPath } from '../context/paths.ts';

/**
 * The tree that a session had of its own goes with it, unless another session works there too.
 * @param meta of the session that is gone
 * @returns the URI of the tree where it holds what would be lost
 */
export async function removeOwnTree(
  { storage, changes }: Pick<EffectDeps, 'storage' | 'changes'>,
  meta: Readonly<Record<string, unknown>> | undefined,
): Promise<string | undefined> {
  const git = meta?.['git'];
  const tree = typeof git === 'object' && git !== null && 'worktree' in git ? pathOf(String(git.worktree)) : undefined;
  if (tree === undefined) return undefined;
  const top = await toRealPath(tree);
  for (const it of storage.sessions.folders()) {
    const path = pathOf(it);
    // One that cannot be looked at is no folder that anybody works in.
    const real = path === undefined ? undefined : await toRealPath(path).catch(() => undefined);
    if (real !== undefined && isAtOrBelow(real, top)) return undefined;
  }
  return changes.removeWorktree(git);
}
