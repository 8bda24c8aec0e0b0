import { CheckedSessions, NO_CHECKS, RUNNING_CHECKS } from '../../../protocol/channels/session/race.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';

type Deps = Pick<EffectDeps, 'store' | 'storage'>;

/** Sessions in which the check of a race runs. They are stored, so that a host that starts finds the interrupted ones. */
export function runningChecks({ storage }: Pick<Deps, 'storage'>): string[] {
  return CheckedSessions.parse(JSON.parse(storage.small.text(RUNNING_CHECKS) ?? NO_CHECKS));
}

export function putRunningChecks({ store, storage }: Deps, sessions: Iterable<string>): void {
  const text = JSON.stringify([...sessions]);
  store.writeRows(() => storage.small.putText(RUNNING_CHECKS, text));
}
