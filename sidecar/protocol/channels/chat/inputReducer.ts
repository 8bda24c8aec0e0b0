import { setOrClear } from '../../collections.ts';
import type { ChatActionOf } from './actions.ts';
import { modified, unread, withStatus } from './chatStatus.ts';
import type { ChatInputAnswers, ChatInputRequest } from './inputRequests.ts';
import type { ChatState, InputRequestPart } from './schema.ts';

/** A request with the id of an open one replaces it and keeps its drafts; with the id of an answered one it is new. */
export function requestInput(state: ChatState, request: ChatInputRequest, now: string): ChatState {
  const turn = state.activeTurn;
  if (!turn) return state;
  const found = findOpen(state, request.id);
  const drafts = found?.part.request.answers;
  const asked = request.answers || !drafts ? request : { ...request, answers: drafts };
  const responseParts = found
    ? turn.responseParts.with(found.at, { ...found.part, request: asked })
    : [...turn.responseParts, { kind: 'inputRequest' as const, request: asked }];
  return modified(unread(withStatus({ ...state, activeTurn: { ...turn, responseParts } })), now);
}

export function changeAnswer(
  state: ChatState,
  action: ChatActionOf<'chat/inputAnswerChanged'>,
  now: string,
): ChatState {
  const { requestId, questionId, answer } = action;
  const next = updateOpen(state, requestId, (part) => {
    const others = Object.entries(part.request.answers ?? {}).filter(([id]) => id !== questionId);
    const answers = Object.fromEntries(answer === undefined ? others : [...others, [questionId, answer]]);
    return { ...part, request: withAnswers(part.request, answers) };
  });
  return next === state ? state : modified(next, now);
}

export function completeInput(state: ChatState, action: ChatActionOf<'chat/inputCompleted'>, now: string): ChatState {
  const next = updateOpen(state, action.requestId, (part) => ({
    ...part,
    request: withAnswers(part.request, { ...part.request.answers, ...action.answers }),
    response: action.response,
  }));
  return next === state ? state : modified(withStatus(next), now);
}

function withAnswers(request: ChatInputRequest, answers: ChatInputAnswers): ChatInputRequest {
  return setOrClear(request, 'answers', Object.keys(answers).length === 0 ? undefined : answers);
}

function updateOpen(
  state: ChatState,
  requestId: string,
  update: (part: InputRequestPart) => InputRequestPart,
): ChatState {
  const found = findOpen(state, requestId);
  const turn = state.activeTurn;
  if (!found || !turn) return state;
  return { ...state, activeTurn: { ...turn, responseParts: turn.responseParts.with(found.at, update(found.part)) } };
}

function findOpen(state: ChatState, requestId: string): { at: number; part: InputRequestPart } | undefined {
  const parts = state.activeTurn?.responseParts ?? [];
  for (const [at, part] of parts.entries()) {
    if (part.kind === 'inputRequest' && part.response === undefined && part.request.id === requestId)
      return { at, part };
  }
  return undefined;
}
