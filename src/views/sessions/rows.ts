import { parkedUntil } from '../../../sidecar/protocol/channels/session/parked.ts';
import type { SessionChatSummary, SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { visibleText } from '../../../sidecar/protocol/visibleText.ts';
import { isImported } from '../../client/imported.ts';
import { ownBranch } from '../../client/ownTree.ts';
import { shortAge, timeLeft } from '../../platform/ages.ts';
import { countsText } from '../../platform/counts.ts';
import { fromHost, type Localizer } from '../../platform/localizer.ts';
import { shortCloud } from './cloudWords.ts';
import { type Arrangement, folderName, stateOf, timeOf } from './groups.ts';
import { shortUsage } from './usageWords.ts';
import { stateWord } from './words.ts';

/** How one session looks as a row. `icon` is a codicon, `color` a theme color. */
export interface SessionRow {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  readonly color: string;
  /** Words for the context menu's `when` clauses: `session active unread working changed pinned worktree chats`. */
  readonly contextValue: string;
  /** What a screen reader says: everything that icon and color show. */
  readonly spoken: string;
}

export interface RowContext {
  readonly nowMs: number;
  readonly arrangement: Arrangement;
  /** The only folder of the window, as a URI. Its rows leave it out, so that there is room for what differs. */
  readonly home?: string | undefined;
  /** The display name of an agent; its id where the host does not say it. */
  readonly agentName: (provider: string) => string;
  /** Its agent can have several chats in one session. */
  readonly canAddChat: (provider: string) => boolean;
}

/** A title is cut there where something behind it has to be seen: the editor cuts rows at their end. */
const MAX_TITLE = 22;
const MAX_FOLDER = 18;

export function sessionRow(l10n: Localizer, summary: SessionSummary, context: RowContext): SessionRow {
  const { arrangement, nowMs } = context;
  const isUnread = !hasFlag(summary.status, status.IsRead);
  const isArchived = hasFlag(summary.status, status.IsArchived);
  const isPinned = arrangement.pinned.has(summary.resource);
  const state = stateOf(summary);
  const resumes = resumesAt(summary);
  const parked = resumes === undefined ? '' : l10n.t('resumes in {0}', timeLeft(l10n, resumes, nowMs));
  const counts = countsText(summary.changes?.additions, summary.changes?.deletions);
  const title = summary.title || l10n.t('New session');
  const agent = context.agentName(summary.provider);
  const ownWord = state === 'working' ? fromHost(l10n, summary.activity ?? '') : stateWord(l10n, state);
  const word = parked || (state === 'done' ? '' : ownWord);
  const folder = folderName(summary);
  const isFolderKnown = arrangement.groupBy === 'folder' || isIn(context.home, summary);
  const age = shortAge(l10n, timeOf(summary, arrangement), nowMs);
  const { icon, showsAgent } = iconOf(summary, isArchived, resumes !== undefined);
  // What must not be cut comes first, and what may be cut last.
  const usage = shortUsage(l10n, summary);
  const cloud = shortCloud(l10n, summary);
  const parts = [
    counts,
    state === 'working' ? '' : word,
    cloud,
    usage,
    age,
    isFolderKnown ? '' : cut(folder, MAX_FOLDER),
    showsAgent ? '' : agent,
  ];
  const activity = state === 'working' ? word : '';
  const marks = [
    ...(isArchived ? [l10n.t('archived')] : []),
    ...(isPinned ? [l10n.t('pinned')] : []),
    ...(isUnread ? [l10n.t('unread')] : []),
  ];
  return {
    label:
      counts !== '' || usage !== '' || cloud !== '' || state === 'failed' || state === 'needsYou'
        ? cut(title, MAX_TITLE)
        : title,
    description: joined([...parts, activity], ' · '),
    icon,
    color: parked === '' ? colorOf(state, isUnread, isArchived) : 'descriptionForeground',
    contextValue: [
      'session',
      isArchived ? 'archived' : 'active',
      isUnread ? 'unread' : 'seen',
      isPinned ? 'pinned' : 'loose',
      ...(hasFlag(summary.status, status.InProgress) ? ['working'] : []),
      ...(isImported(summary) ? ['imported'] : summary.changes?.files ? ['changed'] : []),
      ...(ownBranch(summary) === undefined ? [] : ['worktree']),
      ...(!isImported(summary) && context.canAddChat(summary.provider) ? ['chats'] : []),
    ].join(' '),
    spoken: joined(
      [title, parked || stateWord(l10n, state), ...marks, agent, folder, counts, activity, cloud, age, usage],
      ', ',
    ),
  };
}

/** A sub-agent, as a row below its session. */
export function subAgentRow(l10n: Localizer, chat: SessionChatSummary): Omit<SessionRow, 'contextValue'> {
  const state = stateOf(chat);
  const label = visibleText(chat.title) || l10n.t('Sub-agent');
  const icons = { needsYou: 'bell-dot', working: 'loading~spin', failed: 'error', done: 'type-hierarchy-sub' };
  return {
    label,
    description: state === 'done' ? '' : stateWord(l10n, state),
    icon: icons[state],
    color: colorOf(state, false, false),
    spoken: l10n.t('Sub-agent {0}, {1}', label, stateWord(l10n, state)),
  };
}

/** Of well-known agents, by words of their ids. */
const agentIcons: readonly (readonly [RegExp, string])[] = [
  [/^runbook$/, 'book'],
  [/claude/, 'claude'],
  [/codex|openai/, 'openai'],
  [/copilot/, 'copilot'],
  [/^a2a-/, 'globe'],
  [/^cloud-agents$/, 'cloud'],
];

export function agentIcon(provider: string): string | undefined {
  return agentIcons.find(([words]) => words.test(provider))?.[1];
}

/** What is going on, or else whose session it is. */
function iconOf(
  summary: SessionSummary,
  isArchived: boolean,
  isParked: boolean,
): { readonly icon: string; readonly showsAgent: boolean } {
  if (!isArchived) {
    if (isParked) return { icon: 'watch', showsAgent: false };
    const busy = { needsYou: 'bell-dot', working: 'loading~spin', failed: 'error', done: undefined }[stateOf(summary)];
    if (busy !== undefined) return { icon: busy, showsAgent: false };
  }
  const known = agentIcon(summary.provider);
  return { icon: known ?? 'hubot', showsAgent: known !== undefined };
}

/** When a session whose agent reached a usage limit goes on; `undefined` while something else of it runs or waits for a person. */
function resumesAt(summary: SessionSummary): string | undefined {
  const state = stateOf(summary);
  return state === 'failed' || state === 'done' ? parkedUntil(summary._meta) : undefined;
}

function colorOf(state: ReturnType<typeof stateOf>, isUnread: boolean, isArchived: boolean): string {
  if (isArchived) return 'disabledForeground';
  switch (state) {
    case 'needsYou':
      return 'list.warningForeground';
    case 'working':
      return 'progressBar.background';
    case 'failed':
      return 'list.errorForeground';
    case 'done':
      return isUnread ? 'textLink.foreground' : 'descriptionForeground';
  }
}

/** Whether it works in this folder, and not in another one of the same name. */
function isIn(folder: string | undefined, { project, workingDirectories = [] }: SessionSummary): boolean {
  return folder !== undefined && workingDirectories.length < 2 && folder === (project?.uri ?? workingDirectories[0]);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).trimEnd()}…`;
}

function joined(parts: readonly string[], separator: string): string {
  return parts.filter((it) => it !== '').join(separator);
}
