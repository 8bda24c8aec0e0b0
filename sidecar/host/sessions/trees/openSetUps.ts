import { SET_UP } from '../../../protocol/channels/session/setUp.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import type { SetUps, SetUpsDeps } from './setUps.ts';

/** The key under which the sessions whose set-up command runs are stored. */
const RUNNING = 'runningSetUps';

/** The set-up commands of worktrees. Their code is loaded with the first one, and when a host starts after one was interrupted. */
export function openSetUps(deps: SetUpsDeps): EffectDeps['setUps'] {
  const { store, storage } = deps;
  let loaded: Promise<SetUps> | undefined;
  const load = () => (loaded ??= import('./setUps.ts').then((it) => new it.SetUps(deps, RUNNING)));
  // The list is not empty.
  if (storage.small.text(RUNNING)?.includes(':')) void load();
  return {
    begin: async (...asked) => (await load()).begin(...asked),
    over: async (turn) =>
      store.state('session', turn.session)?._meta?.[SET_UP] === undefined ? undefined : (await load()).over(turn),
    stop: async (session) => (await loaded)?.stop(session),
  };
}
