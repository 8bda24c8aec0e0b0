import type { ChatState, ResponsePart } from './channels/chat/schema.ts';
import type { SessionAction, SessionInputRequest } from './channels/session/schema.ts';
import { sameJson } from './collections.ts';

/**
 * The requests of this chat that wait for a client, in the order of the turn (`host.session.input-needed`). Pure. Ids
 * are composite, and the same request has the same id every time. Approval by rule happens before a call becomes
 * pending.
 */
export function inputNeededOf(chat: string, state: Pick<ChatState, 'activeTurn'>): SessionInputRequest[] {
  const turn = state.activeTurn;
  if (!turn) return [];
  return turn.responseParts.flatMap((part) => toRequest(chat, turn.id, part) ?? []);
}

/** What to commit to the session so that its entries of `chat` become `next`. Identical entries are not sent again. */
export function inputNeededActions(
  current: readonly SessionInputRequest[] | undefined,
  chat: string,
  next: readonly SessionInputRequest[],
): SessionAction[] {
  const before = new Map((current ?? []).filter((it) => it.chat === chat).map((it) => [it.id, it]));
  const kept = new Set(next.map((it) => it.id));
  const removed = [...before.keys()].filter((id) => !kept.has(id));
  const changed = next.filter((it) => !sameJson(before.get(it.id), it));
  return [
    ...removed.map((id): SessionAction => ({ type: 'session/inputNeededRemoved', id })),
    ...changed.map((request): SessionAction => ({ type: 'session/inputNeededSet', request })),
  ];
}

function toRequest(chat: string, turnId: string, part: ResponsePart): SessionInputRequest | undefined {
  const id = (kind: string, key: string) => [kind, chat, turnId, key].map(encodeURIComponent).join(':');
  if (part.kind === 'inputRequest') {
    if (part.response !== undefined) return undefined;
    return { kind: 'chatInput', id: id('chatInput', part.request.id), chat, request: part.request };
  }
  if (part.kind !== 'toolCall') return undefined;
  const { toolCall } = part;
  const entry = <K extends string>(kind: K) => ({ kind, id: id(kind, toolCall.toolCallId), chat, turnId });
  switch (toolCall.status) {
    case 'pending-confirmation':
    case 'pending-result-confirmation':
      return { ...entry('toolConfirmation'), toolCall };
    case 'auth-required':
      return { ...entry('toolAuthentication'), toolCall };
    case 'running':
      if (toolCall.contributor?.kind !== 'client') return undefined;
      return { ...entry('toolClientExecution'), clientId: toolCall.contributor.clientId, toolCall };
    default:
      return undefined;
  }
}
