import type { Races, RacesDeps } from './races/races.ts';
import type { Worktrees, WorktreesDeps } from './worktrees.ts';

/** The worktrees of sessions and what races in them. Both are loaded when somebody asks for them. */
export function openTrees(deps: WorktreesDeps & RacesDeps) {
  let worktrees: Promise<Worktrees> | undefined;
  let races: Promise<Races> | undefined;
  return {
    worktrees: () => (worktrees ??= import('./worktrees.ts').then((it) => new it.Worktrees(deps))),
    races: () => (races ??= import('./races/races.ts').then((it) => new it.Races(deps))),
  };
}
