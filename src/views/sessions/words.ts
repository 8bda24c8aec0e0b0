import type { Localizer } from '../../platform/localizer.ts';
import { type Arrangement, isFiltered, type SessionGroup, type SessionState } from './groups.ts';

export function stateWord(l10n: Localizer, state: SessionState): string {
  switch (state) {
    case 'needsYou':
      return l10n.t('needs you');
    case 'working':
      return l10n.t('working');
    case 'failed':
      return l10n.t('failed');
    case 'done':
      return l10n.t('done');
  }
}

export function groupLabel(l10n: Localizer, group: SessionGroup): string {
  switch (group) {
    case 'needsYou':
      return l10n.t('Needs you');
    case 'working':
      return l10n.t('Working');
    case 'pinned':
      return l10n.t('Pinned');
    case 'today':
      return l10n.t('Today');
    case 'yesterday':
      return l10n.t('Yesterday');
    case 'week':
      return l10n.t('Last 7 days');
    case 'older':
      return l10n.t('Older');
    case 'archived':
      return l10n.t('Archived');
    default:
      return group.slice('folder/'.length) || l10n.t('No folder');
  }
}

/** What the filter lets through, for the title of the view; empty without a filter. */
export function filterWords(
  l10n: Localizer,
  { filter }: Pick<Arrangement, 'filter'>,
  agentName: (provider: string) => string,
): string {
  if (!isFiltered(filter)) return '';
  return [
    ...filter.states.map((it) => stateWord(l10n, it)),
    ...filter.agents.map(agentName),
    ...filter.folders.map((it) => it || l10n.t('No folder')),
    ...(filter.unread ? [l10n.t('unread')] : []),
    ...(filter.archived ? [l10n.t('archived')] : []),
  ].join(', ');
}
