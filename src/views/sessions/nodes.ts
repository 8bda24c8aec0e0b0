import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalInfo } from '../../../sidecar/protocol/channels/terminal/schema.ts';
import { activityOf, hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { isSameDay } from '../../platform/ages.ts';
import type { Localizer } from '../../platform/localizer.ts';
import type { NoticeRow } from './notices.ts';
import { type TerminalRow, terminalRow } from './terminalRows.ts';

export type SessionGroup = 'needsYou' | 'working' | 'today' | 'older' | 'archived';
const groups: readonly SessionGroup[] = ['needsYou', 'working', 'today', 'older', 'archived'];

export type SessionsNode =
  | { readonly kind: 'notice'; readonly id: string; readonly row: NoticeRow }
  | { readonly kind: 'start'; readonly id: 'start/tour' | 'start/new' | 'start/agents'; readonly label: string }
  | {
      readonly kind: 'group';
      readonly id: string;
      readonly group: SessionGroup;
      readonly label: string;
      readonly count: number;
    }
  | { readonly kind: 'session'; readonly id: string; readonly summary: SessionSummary }
  | { readonly kind: 'terminals'; readonly id: 'terminals'; readonly label: string; readonly count: number }
  | { readonly kind: 'terminal'; readonly id: string; readonly row: TerminalRow }
  | { readonly kind: 'more'; readonly id: 'more'; readonly label: string };

export interface SessionsInput {
  readonly sessions: readonly SessionSummary[];
  /** More sessions are on the host than were fetched. */
  readonly hasMore: boolean;
  /** The list was fetched at least once; before that an empty list says nothing. */
  readonly isLoaded: boolean;
  readonly notices: readonly NoticeRow[];
  /** Of the host, whoever holds them. */
  readonly terminals: readonly TerminalInfo[];
  /** This window. */
  readonly clientId: string;
  /** A folder is open. Without one and without sessions the view says how to open one. */
  readonly hasFolder: boolean;
  /** Display names of the agents that the host offers. */
  readonly agents: readonly string[];
  readonly nowMs: number;
}

/** State in, rows out. Notices first, then the groups that hold something; without sessions, how to begin. */
export function rootNodes(l10n: Localizer, input: SessionsInput): SessionsNode[] {
  const notices: SessionsNode[] = input.notices.map((row) => ({ kind: 'notice', id: `notice/${row.id}`, row }));
  if (!input.isLoaded) return notices;
  if (input.sessions.length === 0 && input.terminals.length === 0)
    return input.hasFolder ? [...notices, ...startNodes(l10n, input.agents)] : notices;
  const found = groups
    .map((group) => ({ group, count: input.sessions.filter((it) => groupOf(it, input.nowMs) === group).length }))
    .filter(({ count }) => count > 0);
  return [
    ...notices,
    ...found.map(
      ({ group, count }): SessionsNode => ({
        kind: 'group',
        id: `group/${group}`,
        group,
        label: groupLabel(l10n, group),
        count,
      }),
    ),
    ...terminalsNode(l10n, input),
    ...(input.hasMore ? [{ kind: 'more', id: 'more', label: l10n.t('Show more') } as const] : []),
  ];
}

/** Newest first, as the host's own list. */
export function groupNodes(input: SessionsInput, group: SessionGroup): SessionsNode[] {
  return input.sessions
    .filter((it) => groupOf(it, input.nowMs) === group)
    .toSorted((a, b) => b.modifiedAt.localeCompare(a.modifiedAt) || a.resource.localeCompare(b.resource))
    .map(sessionNode);
}

/** In the order in which the host made them. */
export function terminalNodes(l10n: Localizer, input: SessionsInput): SessionsNode[] {
  return input.terminals.map((it) => ({ kind: 'terminal', id: it.resource, row: terminalRow(l10n, it, input) }));
}

function terminalsNode(l10n: Localizer, { terminals }: SessionsInput): SessionsNode[] {
  const count = terminals.length;
  return count === 0 ? [] : [{ kind: 'terminals', id: 'terminals', label: l10n.t('Terminals'), count }];
}

export function sessionNode(summary: SessionSummary): SessionsNode {
  return { kind: 'session', id: summary.resource, summary };
}

export function groupOf(summary: SessionSummary, nowMs: number): SessionGroup {
  if (hasFlag(summary.status, status.IsArchived)) return 'archived';
  const activity = activityOf(summary.status);
  if (activity === status.InputNeeded) return 'needsYou';
  if (activity === status.InProgress) return 'working';
  return isSameDay(summary.modifiedAt, nowMs) ? 'today' : 'older';
}

function startNodes(l10n: Localizer, agents: readonly string[]): SessionsNode[] {
  return [
    { kind: 'start', id: 'start/tour', label: l10n.t('Take the tour (2 min)') },
    { kind: 'start', id: 'start/new', label: l10n.t('New session') },
    {
      kind: 'start',
      id: 'start/agents',
      label: agents.length === 0 ? l10n.t('No agents found') : l10n.t('Agents found: {0}', agents.join(', ')),
    },
  ];
}

function groupLabel(l10n: Localizer, group: SessionGroup): string {
  switch (group) {
    case 'needsYou':
      return l10n.t('Needs you');
    case 'working':
      return l10n.t('Working');
    case 'today':
      return l10n.t('Today');
    case 'older':
      return l10n.t('Older');
    case 'archived':
      return l10n.t('Archived');
  }
}
