import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { shortAge } from '../../platform/ages.ts';
import { countsText } from '../../platform/counts.ts';
import type { Localizer } from '../../platform/localizer.ts';

/** How one session looks as a row. `icon` is a codicon, `color` a theme colour. */
export interface SessionRow {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly color?: string;
  /** Words for the context menu's `when` clauses: `session active unread working changed`. */
  readonly contextValue: string;
  /** What a screen reader says: everything that icon and colour show. */
  readonly spoken: string;
}

export function sessionRow(l10n: Localizer, summary: SessionSummary, nowMs: number): SessionRow {
  const isUnread = !hasFlag(summary.status, status.IsRead);
  const isArchived = hasFlag(summary.status, status.IsArchived);
  const counts = countsText(summary.changes?.additions, summary.changes?.deletions);
  const age = shortAge(l10n, summary.modifiedAt, nowMs);
  const label = summary.title || l10n.t('New session');
  const parts = [counts, summary.activity ?? '', age].filter((it) => it !== '');
  const { icon, color, words } = look(l10n, summary.status, isUnread, isArchived);
  return {
    label,
    description: parts.join(' · '),
    icon,
    ...(color === undefined ? {} : { color }),
    contextValue: [
      'session',
      isArchived ? 'archived' : 'active',
      isUnread ? 'unread' : 'seen',
      ...(hasFlag(summary.status, status.InProgress) ? ['working'] : []),
      ...(summary.changes?.files ? ['changed'] : []),
    ].join(' '),
    spoken: [label, words, ...(isUnread ? [l10n.t('unread')] : []), ...parts].join(', '),
  };
}

function look(l10n: Localizer, value: number, isUnread: boolean, isArchived: boolean) {
  if (isArchived) return { icon: 'archive', words: l10n.t('archived') };
  switch (activityOf(value)) {
    case status.InputNeeded:
      return { icon: 'bell-dot', color: 'list.warningForeground', words: l10n.t('needs you') };
    case status.InProgress:
      return { icon: 'loading~spin', color: 'progressBar.background', words: l10n.t('working') };
    case status.Error:
      return { icon: 'error', color: 'list.errorForeground', words: l10n.t('failed') };
    default:
      return isUnread
        ? { icon: 'circle-filled', color: 'textLink.foreground', words: l10n.t('done') }
        : { icon: 'circle-outline', color: 'descriptionForeground', words: l10n.t('done') };
  }
}
