import type { SessionSummary } from '../../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../../sidecar/protocol/status.ts';
import { isSameDay } from '../../platform/ages.ts';

/** What a person has to know of a session at a glance. */
export const sessionStates = ['needsYou', 'working', 'failed', 'done'] as const;
export type SessionState = (typeof sessionStates)[number];

/** An empty list lets every value through. */
export interface SessionsFilter {
  readonly states: readonly SessionState[];
  /** Ids of providers. */
  readonly agents: readonly string[];
  /** Names, as rows show them. */
  readonly folders: readonly string[];
  readonly unread: boolean;
  readonly archived: boolean;
}
export const noFilter: SessionsFilter = { states: [], agents: [], folders: [], unread: false, archived: false };

/** How a person wants the list. */
export interface Arrangement {
  readonly groupBy: 'time' | 'folder';
  readonly sortBy: 'updated' | 'created';
  readonly filter: SessionsFilter;
  /** URIs of sessions. */
  readonly pinned: ReadonlySet<string>;
}

const timeGroups = ['needsYou', 'working', 'pinned', 'today', 'yesterday', 'week', 'older'] as const;
/** A `folder/…` group is named by its folder; an empty name is that of sessions without one. */
export type SessionGroup = (typeof timeGroups)[number] | 'archived' | `folder/${string}`;

export function stateOf({ status: value }: Pick<SessionSummary, 'status'>): SessionState {
  switch (activityOf(value)) {
    case status.InputNeeded:
      return 'needsYou';
    case status.InProgress:
      return 'working';
    case status.Error:
      return 'failed';
    default:
      return 'done';
  }
}

/** The name of the folder where the session works; a worktree of its own goes by the name of the project. */
export function folderName({ project, workingDirectories }: SessionSummary): string {
  if (project) return project.displayName;
  const path = workingDirectories?.[0]?.replace(/\/+$/, '') ?? '';
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
}

export function isFiltered({ states, agents, folders, unread, archived }: SessionsFilter): boolean {
  return states.length + agents.length + folders.length > 0 || unread || archived;
}

/** What is chosen of one kind adds up; of several kinds it narrows. */
export function passes(summary: SessionSummary, filter: SessionsFilter): boolean {
  const within = <T>(chosen: readonly T[], value: T) => chosen.length === 0 || chosen.includes(value);
  return (
    within(filter.states, stateOf(summary)) &&
    within(filter.agents, summary.provider) &&
    within(filter.folders, folderName(summary)) &&
    (!filter.unread || !hasFlag(summary.status, status.IsRead)) &&
    (!filter.archived || hasFlag(summary.status, status.IsArchived))
  );
}

export function groupOf(summary: SessionSummary, arrangement: Arrangement, nowMs: number): SessionGroup {
  if (hasFlag(summary.status, status.IsArchived)) return 'archived';
  if (arrangement.groupBy === 'folder') return `folder/${folderName(summary)}`;
  const state = stateOf(summary);
  if (state === 'needsYou' || state === 'working') return state;
  if (arrangement.pinned.has(summary.resource)) return 'pinned';
  return ageGroup(timeOf(summary, arrangement), nowMs);
}

/** The time that a session is listed by. */
export function timeOf({ createdAt, modifiedAt }: SessionSummary, { sortBy }: Pick<Arrangement, 'sortBy'>): string {
  return sortBy === 'created' ? createdAt : modifiedAt;
}

/** The groups that hold something, in the order of the view, each newest first. */
export function arrange(
  sessions: readonly SessionSummary[],
  arrangement: Arrangement,
  nowMs: number,
): readonly (readonly [SessionGroup, readonly SessionSummary[]])[] {
  const newestFirst = sessions
    .filter((it) => passes(it, arrangement.filter))
    .toSorted((a, b) => compare(timeOf(b, arrangement), timeOf(a, arrangement)) || compare(a.resource, b.resource));
  const found = new Map<SessionGroup, SessionSummary[]>();
  for (const it of newestFirst) {
    const group = groupOf(it, arrangement, nowMs);
    const members = found.get(group);
    if (members) members.push(it);
    else found.set(group, [it]);
  }
  // Folders come in the order of their newest session, which is the order in which they were found.
  const folders = [...found.keys()].filter((it) => it.startsWith('folder/'));
  return [...timeGroups, ...folders, 'archived' as const].flatMap((it) => {
    const members = found.get(it);
    return members ? [[it, members] as const] : [];
  });
}

/** By the calendar of where the window is: after midnight, what was done before it is of yesterday. */
function ageGroup(at: string, nowMs: number): SessionGroup {
  const day = new Date(nowMs);
  if (isSameDay(at, nowMs) || Date.parse(at) > nowMs) return 'today';
  day.setDate(day.getDate() - 1);
  if (isSameDay(at, day.getTime())) return 'yesterday';
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - 6);
  return Date.parse(at) >= day.getTime() ? 'week' : 'older';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
