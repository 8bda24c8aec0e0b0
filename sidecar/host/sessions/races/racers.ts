import { Fault } from '../../../platform/faults.ts';
import { type Race, raceOf } from '../../../protocol/channels/session/race.ts';
import type { SessionState } from '../../../protocol/channels/session/schema.ts';
import { treeOf } from '../../changes/git/worktrees.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';

/** A session in a race. */
export interface Racer {
  readonly session: string;
  readonly state: SessionState;
  readonly race: Race;
  /** Absolute. */
  readonly tree: string;
  /** Of its repository. Absolute. */
  readonly top: string;
}

type Deps = Pick<EffectDeps, 'store' | 'storage'>;

/** Those of all races. */
export function racersIn(deps: Deps): Racer[] {
  const sessions = new Set(deps.storage.sessions.inTrees().map((it) => it.session));
  return [...sessions].flatMap((session) => {
    const state = deps.store.state('session', session);
    const race = raceOf(state?._meta);
    return state && race ? [{ session, state, race, ...treeOfRacer(deps, session) }] : [];
  });
}

/** @throws {Fault} `session_not_found`, `invalid_params` */
export function treeOfRacer({ store }: Pick<Deps, 'store'>, session: string): Pick<Racer, 'tree' | 'top'> {
  const state = store.state('session', session);
  if (!state) throw new Fault('session_not_found', 'session not found');
  const own = treeOf(state._meta?.['git']);
  if (!own) throw new Fault('invalid_params', 'sessions: each must have a worktree of its own');
  return { tree: own.path, top: own.top };
}
