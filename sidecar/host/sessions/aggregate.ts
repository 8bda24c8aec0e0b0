import type { ChatAction } from '../../protocol/channels/chat/actions.ts';
import type { ChatState, ChatSummary, ResponsePart } from '../../protocol/channels/chat/schema.ts';
import type { SessionInputRequest, SessionState } from '../../protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../protocol/status.ts';
import type { SessionUsage } from '../../protocol/usageMeta.ts';
import type { Change, Derived } from '../state/typedChannels.ts';
import { addTurn } from './usageTotals.ts';

/** Title of a session: the first line of its first prompt, at most this long. */
const MAX_TITLE = 80;

export interface AggregateDeps {
  readonly session: (uri: string) => SessionState | undefined;
  /** What the session's turns have used so far. */
  readonly usage: (session: string) => SessionUsage | undefined;
  readonly isWatched: (channel: string) => boolean;
}

/**
 * What a change of a chat changes in its session: its entry in `chats`, the open requests (host.move.input-raised), the
 * title, the unread mark, what its turns used. Committed in the same tick, so that no crash can come between.
 */
export function aggregate(change: Change, deps: AggregateDeps): Derived[] {
  const session = change.metadata.session;
  if (change.kind !== 'chat' || session === undefined || change.before === change.after) return [];
  const { action, before, after } = change;
  if (action.type === 'chat/delta' || action.type === 'chat/reasoning' || action.type === 'chat/usage') return [];
  return [
    ...inputActions(before, after).map((it) => ({ channel: session, action: it })),
    ...summaryActions(before, after).map((it) => ({ channel: session, action: it })),
    ...markers(session, action, before, after, deps),
  ];
}

function markers(
  session: string,
  action: ChatAction,
  before: ChatState,
  after: ChatState,
  deps: AggregateDeps,
): Derived[] {
  const state = deps.session(session);
  const derived: Derived[] = [];
  if (action.type === 'chat/turnStarted') {
    derived.push({ channel: session, metadata: { listed: true } });
    const title = titleOf(action.message.text);
    if (state?.title === '' && title !== '')
      derived.push({ channel: session, action: { type: 'session/titleChanged', title } });
    const isDefault = (state?.defaultChat ?? after.resource) === after.resource;
    if (!isDefault && after.title === '' && title !== '') derived.push(...titled(session, after.resource, title));
  }
  const ended = before.activeTurn !== undefined && after.activeTurn === undefined;
  const usage = ended ? addTurn(deps.usage(session), after.turns) : undefined;
  if (usage) derived.push({ channel: session, metadata: { usage } });
  const asks = activityOf(after.status) === status.InputNeeded && activityOf(before.status) !== status.InputNeeded;
  const isNews = ended || asks || action.type === 'chat/inputRequested';
  if (isNews && state && hasFlag(state.status, status.IsRead) && !deps.isWatched(after.resource)) {
    derived.push({ channel: session, action: { type: 'session/isReadChanged', isRead: false } });
  }
  return derived;
}

/** A chat beside the first one is called by its first prompt, as a session is. No action changes the title of a chat. */
function titled(session: string, chat: string, title: string): Derived[] {
  return [
    { kind: 'chat', channel: chat, replaceState: (it) => ({ ...it, title }) },
    { channel: session, action: { type: 'session/chatUpdated', chat, changes: { title } } },
  ];
}

/** The first line with words in it, cut at a word where possible. */
export function titleOf(text: string): string {
  const line =
    text
      .split('\n')
      .map((it) => it.trim())
      .find((it) => it !== '') ?? '';
  if (line.length <= MAX_TITLE) return line;
  const cut = line.slice(0, MAX_TITLE);
  const space = cut.lastIndexOf(' ');
  return `${space > MAX_TITLE / 2 ? cut.slice(0, space) : cut}…`;
}

const summaryKeys = [
  'title',
  'status',
  'activity',
  'modifiedAt',
  'origin',
  'interactivity',
  'workingDirectories',
] as const;

/** A chat's entry in its session's catalogue. */
export function toChatSummary(state: ChatState): ChatSummary {
  const { resource, title, status, activity, modifiedAt, origin, interactivity, workingDirectories } = state;
  return {
    resource,
    title,
    status,
    modifiedAt,
    ...(activity !== undefined && { activity }),
    ...(origin && { origin }),
    ...(interactivity !== undefined && { interactivity }),
    ...(workingDirectories && { workingDirectories }),
    ...(state.primaryWorkingDirectory !== undefined && { primaryWorkingDirectory: state.primaryWorkingDirectory }),
  };
}

function summaryActions(before: ChatState, after: ChatState) {
  const changed = summaryKeys.filter((key) => before[key] !== after[key]);
  if (changed.length === 0) return [];
  // A merge cannot take a member away: then the whole entry is sent.
  if (changed.some((key) => after[key] === undefined))
    return [{ type: 'session/chatAdded', summary: toChatSummary(after) } as const];
  const changes = Object.fromEntries(changed.map((key) => [key, after[key]]));
  return [{ type: 'session/chatUpdated', chat: after.resource, changes } as const];
}

function inputActions(before: ChatState, after: ChatState) {
  const was = before.activeTurn;
  const is = after.activeTurn;
  if (was?.responseParts === is?.responseParts) return [];
  const old = new Map((was?.responseParts ?? []).map((part) => [requestId(after.resource, was!.id, part), part]));
  const now = new Map((is?.responseParts ?? []).map((part) => [requestId(after.resource, is!.id, part), part]));
  const removed = [...old.keys()].filter((id) => id !== undefined && !now.has(id));
  const set = [...now].filter(([id, part]) => id !== undefined && old.get(id) !== part);
  return [
    ...removed.map((id) => ({ type: 'session/inputNeededRemoved', id: id! }) as const),
    ...set.map(
      ([, part]) => ({ type: 'session/inputNeededSet', request: toRequest(after.resource, is!.id, part) }) as const,
    ),
  ];
}

/** The id of the request that a part stands for, or `undefined` when it waits for nobody. */
function requestId(chat: string, turnId: string, part: ResponsePart): string | undefined {
  if (part.kind === 'inputRequest')
    return part.response === undefined ? `chatInput ${chat} ${turnId} ${part.request.id}` : undefined;
  if (part.kind !== 'toolCall') return undefined;
  const { toolCall } = part;
  const id = `${chat} ${turnId} ${toolCall.toolCallId}`;
  switch (toolCall.status) {
    case 'pending-confirmation':
    case 'pending-result-confirmation':
      return `toolConfirmation ${id}`;
    case 'auth-required':
      return `toolAuthentication ${id}`;
    case 'running':
      return toolCall.contributor?.kind === 'client' ? `toolClientExecution ${id}` : undefined;
    default:
      return undefined;
  }
}

function toRequest(chat: string, turnId: string, part: ResponsePart): SessionInputRequest {
  const id = requestId(chat, turnId, part)!;
  if (part.kind === 'inputRequest') return { id, chat, kind: 'chatInput', request: part.request };
  if (part.kind !== 'toolCall') throw new Error(`a part of kind ${part.kind} contains no request`);
  const { toolCall } = part;
  switch (toolCall.status) {
    case 'pending-confirmation':
    case 'pending-result-confirmation':
      return { id, chat, kind: 'toolConfirmation', turnId, toolCall };
    case 'auth-required':
      return { id, chat, kind: 'toolAuthentication', turnId, toolCall };
    default: {
      const clientId = toolCall.contributor?.kind === 'client' ? toolCall.contributor.clientId : '';
      return { id, chat, kind: 'toolClientExecution', turnId, clientId, toolCall };
    }
  }
}
