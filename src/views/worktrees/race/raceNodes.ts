import { activityOf, status } from '../../../../sidecar/protocol/status.ts';
import { durationText } from '../../../platform/ages.ts';
import { countsText } from '../../../platform/counts.ts';
import type { Localizer } from '../../../platform/localizer.ts';
import { shortUsage } from '../../sessions/usageWords.ts';
import { setUpLines, setUpText } from '../setUpWords.ts';
import type { RaceOf, Racer } from './races.ts';

/** The row of a race, or of one of its sessions, whose `id` is the race and the session. */
export interface RaceNode {
  readonly kind: 'race' | 'racer';
  readonly id: string;
  readonly race: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: string;
  /** Words for `when` clauses: `race check`, `racer done`. */
  readonly contextValue: string;
  readonly session?: string;
}

export function raceNode(l10n: Localizer, { id, title, racers }: RaceOf): RaceNode {
  const done = racers.filter((it) => !isRunning(it)).length;
  const hasCheck = racers.some((it) => it.race.check !== undefined);
  return {
    kind: 'race',
    id: `race ${id}`,
    race: id,
    label: l10n.t('Race: {0}', title || l10n.t('New session')),
    description: l10n.t('{0} of {1} done', done, racers.length),
    tooltip: title,
    icon: 'git-compare',
    contextValue: hasCheck ? 'race check' : 'race',
  };
}

export function racerNodes(l10n: Localizer, { id, racers }: RaceOf, nameOf: (provider: string) => string): RaceNode[] {
  const names = racers.map((it) => nameOf(it.session.provider));
  return racers.map((racer, at) => {
    const { session, race, setUp } = racer;
    const name = names[at] ?? session.provider;
    const isSeveral = names.filter((it) => it === name).length > 1;
    const number = names.slice(0, at + 1).filter((it) => it === name).length;
    const took = Date.parse(session.modifiedAt) - Date.parse(session.createdAt);
    const { files = 0, additions, deletions } = session.changes ?? {};
    const parts = [
      stateText(l10n, racer),
      setUpText(l10n, setUp),
      checkText(l10n, race),
      ...(isRunning(racer) ? [] : [durationText(l10n, took)]),
      shortUsage(l10n, session),
      ...(files === 0 ? [] : [files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files)]),
      countsText(additions, deletions),
    ];
    return {
      kind: 'racer',
      id: `${session.resource} race`,
      race: id,
      label: isSeveral ? `${name} ${number}` : name,
      description: parts.filter((it) => it !== '').join(' · '),
      tooltip: [
        ...parts.filter((it) => it !== ''),
        ...setUpLines(l10n, setUp),
        ...(race.check ? ['', race.check.command, race.check.output ?? ''] : []),
      ].join('\n'),
      icon: iconOf(racer),
      contextValue: isRunning(racer) ? 'racer' : 'racer done',
      session: session.resource,
    };
  });
}

const isRunning = ({ session }: Racer) => (session.status & status.InProgress) !== 0;

function stateText(l10n: Localizer, { session }: Racer): string {
  switch (activityOf(session.status)) {
    case status.InputNeeded:
      return l10n.t('needs you');
    case status.InProgress:
      return l10n.t('running');
    case status.Error:
      return l10n.t('failed');
    default:
      return l10n.t('done');
  }
}

function checkText(l10n: Localizer, { check }: Racer['race']): string {
  switch (check?.state) {
    case undefined:
    case 'waiting':
      return '';
    case 'running':
      return l10n.t('check is running');
    case 'passed':
      return l10n.t('check passed');
    case 'failed':
      return l10n.t('check failed');
    case 'interrupted':
      return l10n.t('check was interrupted');
  }
}

function iconOf(racer: Racer): string {
  const activity = activityOf(racer.session.status);
  if (activity === status.InputNeeded) return 'bell-dot';
  if (activity === status.InProgress) return 'circle-filled';
  const check = racer.race.check?.state;
  if (activity === status.Error || check === 'failed') return 'error';
  if (racer.setUp?.state === 'failed') return 'warning';
  return check === 'passed' ? 'pass' : 'check';
}
