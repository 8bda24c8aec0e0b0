import { RUNNING_CHECKS, raceOf } from '../../protocol/channels/session/race.ts';
import type { Races, RacesDeps } from './races/races.ts';
import type { Worktrees, WorktreesDeps } from './worktrees.ts';

/**
 * The worktrees of sessions, and races in them. Both are loaded when a client asks for them. Races are also loaded when a turn in a
 * race ends, and when a host starts after a check was interrupted.
 */
export function openTrees(deps: WorktreesDeps & RacesDeps) {
  const { store, storage, newId, report } = deps;
  let worktrees: Promise<Worktrees> | undefined;
  let races: Promise<Races> | undefined;
  const openRaces = () => (races ??= import('./races/races.ts').then((it) => new it.Races(deps)));
  const inRaces = (work: (it: Races) => unknown) =>
    void openRaces()
      .then(work)
      .catch((thrown: unknown) => report(newId(), thrown));

  // The list is not empty.
  if (storage.small.text(RUNNING_CHECKS)?.includes(':')) inRaces((it) => it.endInterrupted());
  store.onWritten(({ envelope: { channel, action, rejectionReason } }) => {
    if (rejectionReason !== undefined || action.type !== 'chat/turnComplete') return;
    const session = store.metadata(channel)?.session ?? '';
    if (raceOf(store.state('session', session)?._meta)?.check) inRaces((it) => it.turnEnded(session));
  });
  return {
    worktrees: () => (worktrees ??= import('./worktrees.ts').then((it) => new it.Worktrees(deps))),
    races: openRaces,
  };
}
