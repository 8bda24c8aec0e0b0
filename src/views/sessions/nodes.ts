import { builtInAgents, needsModel } from '../../../sidecar/protocol/channels/root/builtInAgents.ts';
import type { AgentInfo } from '../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionChatSummary, SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import type { TerminalInfo } from '../../../sidecar/protocol/channels/terminal/schema.ts';
import { subAgentsOf } from '../../client/texts.ts';
import type { Localizer } from '../../platform/localizer.ts';
import type { InboxNode } from '../inbox/nodes.ts';
import { type ElsewhereNode, elsewhereNode } from './elsewhere/elsewhereNodes.ts';
import { type Arrangement, arrange, isFiltered, type SessionGroup, stateOf } from './groups.ts';
import type { NoticeRow } from './notices.ts';
import { type TerminalRow, terminalRow } from './terminalRows.ts';
import { groupLabel } from './words.ts';

export type SessionsNode =
  | { readonly kind: 'notice'; readonly id: string; readonly row: NoticeRow }
  | {
      readonly kind: 'start';
      readonly id: `start/${'tour' | 'new' | 'model' | 'walkthrough' | 'agents'}`;
      readonly label: string;
    }
  | {
      readonly kind: 'group';
      readonly id: string;
      readonly group: SessionGroup;
      readonly label: string;
      /** In the order of their rows. */
      readonly members: readonly SessionSummary[];
      /** The number of sessions, such as `100+` if the group may contain sessions that are not loaded yet. */
      readonly count: string;
    }
  | { readonly kind: 'session'; readonly id: string; readonly summary: SessionSummary }
  /** Below the session that asks. Answers get it as it is, as they get a row of the Inbox. */
  | ({ readonly kind: 'request' } & InboxNode)
  /** Below its session. */
  | { readonly kind: 'subAgent'; readonly id: string; readonly session: string; readonly chat: SessionChatSummary }
  | { readonly kind: 'terminals'; readonly id: 'terminals'; readonly label: string; readonly count: number }
  | { readonly kind: 'terminal'; readonly id: string; readonly row: TerminalRow }
  | { readonly kind: 'noMatch'; readonly id: 'noMatch'; readonly label: string }
  /** More rows of a group that were fetched already. */
  | { readonly kind: 'moreOfGroup'; readonly id: string; readonly group: SessionGroup; readonly label: string }
  | { readonly kind: 'more'; readonly id: 'more'; readonly label: string }
  | ElsewhereNode;

/** The editor draws all rows of an open group at once, so a group shows this many before a person asks for more. */
export const GROUP_PAGE = 100;

/** A session can have started any number of sub-agents. */
const MOST_SUB_AGENTS = 20;

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
  /** The only folder that is open, as a URI. */
  readonly home?: string | undefined;
  /** The agents that the host offers. */
  readonly agents: readonly Pick<AgentInfo, 'provider' | 'displayName' | 'models' | 'capabilities'>[];
  readonly arrangement: Arrangement;
  readonly nowMs: number;
}

/** State in, rows out. Notices first, then the groups that hold something; without sessions, how to begin. */
export function rootNodes(l10n: Localizer, input: SessionsInput): SessionsNode[] {
  const notices: SessionsNode[] = input.notices.map((row) => ({ kind: 'notice', id: `notice/${row.id}`, row }));
  if (!input.isLoaded) return notices;
  const elsewhere = input.hasFolder ? elsewhereNode(l10n, input.agents) : [];
  if (input.sessions.length === 0 && input.terminals.length === 0)
    return input.hasFolder ? [...notices, ...startNodes(l10n, input), ...elsewhere] : notices;
  const groups = groupNodes(l10n, input);
  const isAllHidden = groups.length === 0 && isFiltered(input.arrangement.filter);
  const noMatch = { kind: 'noMatch', id: 'noMatch', label: l10n.t('No session matches the filter') } as const;
  return [
    ...notices,
    ...(isAllHidden ? [noMatch] : groups),
    ...terminalsNode(l10n, input),
    ...elsewhere,
    ...(input.hasMore ? [{ kind: 'more', id: 'more', label: l10n.t('Show more') } as const] : []),
  ];
}

function groupNodes(l10n: Localizer, input: SessionsInput): Extract<SessionsNode, { kind: 'group' }>[] {
  const groups = arrange(input.sessions, input.arrangement, input.nowMs);
  // The host lists the newest sessions first, so only the oldest of the age groups can grow.
  const oldest = groups.findLast(([group]) => group !== 'archived')?.[0];
  const canGrow = (group: SessionGroup) =>
    input.hasMore && (group === oldest || group === 'archived' || group.startsWith('folder/'));
  return groups.map(([group, members]) => ({
    kind: 'group',
    id: `group/${group}`,
    group,
    label: groupLabel(l10n, group),
    members,
    count: canGrow(group) ? atLeast(members.length) : String(members.length),
  }));
}

/** Of a number that will grow, only the hundreds say something once there are any. */
function atLeast(count: number): string {
  return `${count < 100 ? count : count - (count % 100)}+`;
}

/** @param limit how many rows are drawn at most */
export function memberNodes(
  l10n: Localizer,
  { group, members }: Pick<Extract<SessionsNode, { kind: 'group' }>, 'group' | 'members'>,
  limit: number,
): SessionsNode[] {
  const rows = members.slice(0, limit).map(sessionNode);
  const left = members.length - rows.length;
  if (left === 0) return rows;
  return [...rows, { kind: 'moreOfGroup', id: `more/${group}`, group, label: l10n.t('Show more ({0})', left) }];
}

/** In the order in which the host made them. */
export function terminalNodes(l10n: Localizer, input: SessionsInput): SessionsNode[] {
  return input.terminals.map((it) => ({ kind: 'terminal', id: it.resource, row: terminalRow(l10n, it, input) }));
}

function terminalsNode(l10n: Localizer, { terminals }: SessionsInput): SessionsNode[] {
  const count = terminals.length;
  return count === 0 ? [] : [{ kind: 'terminals', id: 'terminals', label: l10n.t('Terminals'), count }];
}

/** The sub-agents of a session, latest first. */
export function subAgentNodes(summary: SessionSummary): Extract<SessionsNode, { kind: 'subAgent' }>[] {
  return subAgentsOf(summary)
    .toReversed()
    .slice(0, MOST_SUB_AGENTS)
    .map((chat) => ({ kind: 'subAgent', id: chat.resource, session: summary.resource, chat }));
}

/** How the rows below a session are shown. They are open if a person should see them now. */
export type Children = 'none' | 'folded' | 'open';

/** @param requests how many things the session waits for */
export function childrenOf(summary: SessionSummary | undefined, requests: number): Children {
  const states = new Set(summary ? subAgentsOf(summary).map(stateOf) : []);
  if (requests > 0 || states.has('working') || states.has('needsYou')) return 'open';
  return states.size > 0 ? 'folded' : 'none';
}

export function sessionNode(summary: SessionSummary): SessionsNode {
  return { kind: 'session', id: summary.resource, summary };
}

function startNodes(l10n: Localizer, { agents }: SessionsInput): SessionsNode[] {
  const names = agents.map((it) => it.displayName).join(', ');
  return [
    { kind: 'start', id: 'start/tour', label: l10n.t('Take the tour (2 min)') },
    { kind: 'start', id: 'start/new', label: l10n.t('New session') },
    ...(agents.some(needsModel) && agents.every((it) => builtInAgents.has(it.provider))
      ? [{ kind: 'start' as const, id: 'start/model' as const, label: l10n.t('Connect a model') }]
      : []),
    { kind: 'start', id: 'start/walkthrough', label: l10n.t('Open the walkthrough') },
    {
      kind: 'start',
      id: 'start/agents',
      label: names === '' ? l10n.t('No agents found') : l10n.t('Agents found: {0}', names),
    },
  ];
}
