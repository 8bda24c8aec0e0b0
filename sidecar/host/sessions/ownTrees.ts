import { Fault } from '../../platform/faults.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import { parseSessionUri } from '../../protocol/uris.ts';
import { inTurnFault } from '../changes/sessionOf.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import { isAtOrBelow, pathOf, toRealPath } from '../context/paths.ts';
import { trustedWindow } from '../context/trustedWindow.ts';

/**
 * Makes the tree of a new session. @param folder of the session, absolute and real
 * @throws {Fault} `not_trusted`, `invalid_params`, `unavailable`
 */
export async function makeOwnTree(
  { changes, newId }: Pick<EffectDeps, 'changes' | 'newId'>,
  session: string,
  folder: string | undefined,
  { window }: Requester,
) {
  if (window?.trusted === false) throw new Fault('not_trusted', 'Trust this folder to run Git in it.');
  if (folder === undefined) throw new Fault('invalid_params', 'config.worktree: the session has no folder');
  const name = (parseSessionUri(session) ?? '').replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  const own = name.replaceAll(/^-+|-+$/g, '') || newId();
  return changes.addWorktree(folder, own, window?.linkedFolders ?? []);
}

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

/**
 * Merges what a session committed on its own branch. Only for a trusted window on this machine: git runs the hooks of the
 * repository.
 * @throws {Fault} `not_trusted`, `session_not_found`, `turn_in_progress`, `invalid_params`, `unavailable`
 */
export async function mergeOwnTree(
  { store, changes }: Pick<EffectDeps, 'store' | 'changes'>,
  session: string,
  requester: Requester,
): Promise<{ readonly branch: string; readonly into: string; readonly commits: number }> {
  trustedWindow(requester);
  const state = store.state('session', session);
  if (!state) throw new Fault('session_not_found', 'session not found');
  if (hasFlag(state.status, status.InProgress)) throw inTurnFault();
  return changes.mergeWorktree(state._meta?.['git']);
}
