import type { SessionSummary } from '../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../sidecar/protocol/status.ts';
import type { Localizer } from '../platform/localizer.ts';

export interface StatusFacts {
  readonly running: number;
  readonly needsYou: number;
  readonly host: 'running' | 'stopped' | 'failed';
}

/**
 * A session that waits for a person does not count as running, as in the groups of Sessions.
 * @param pending requests that are known; a session whose requests were not read yet counts as one
 */
export function countActivity(sessions: readonly SessionSummary[], pending: number) {
  const active = sessions.filter((it) => !hasFlag(it.status, status.IsArchived));
  const count = (activity: number) => active.filter((it) => activityOf(it.status) === activity).length;
  return { running: count(status.InProgress), needsYou: Math.max(count(status.InputNeeded), pending) };
}

export function statusText(l10n: Localizer, { running, needsYou, host }: StatusFacts) {
  if (host !== 'running') {
    const text = l10n.t('Switchboard: host not running');
    return {
      text,
      spoken: host === 'failed' ? l10n.t('The host could not be started.') : l10n.t('The host is stopped.'),
    };
  }
  const parts = [
    ...(running > 0 ? [l10n.t('{0} running', running)] : []),
    ...(needsYou === 1 ? [l10n.t('1 needs you')] : []),
    ...(needsYou > 1 ? [l10n.t('{0} need you', needsYou)] : []),
  ];
  if (parts.length === 0) return { text: 'Switchboard', spoken: l10n.t('No agent is running.') };
  return { text: parts.join(' · '), spoken: parts.join(', ') };
}
