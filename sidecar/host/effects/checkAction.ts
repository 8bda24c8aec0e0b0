import type { ChatAction, ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import type {
  ChatInputAnswer,
  ChatInputQuestion,
  ChatInputRequest,
} from '../../protocol/channels/chat/inputRequests.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import type { Message } from '../../protocol/shared.ts';
import { isName } from '../../protocol/uris.ts';
import { toolCallOf, turnIdOf } from '../context/chatAccess.ts';
import type { Requester } from '../context/effectDeps.ts';
import type { DirectoryAction } from '../sessions/directories.ts';
import { checkActiveClient } from '../tools/activeClients.ts';
import { refuseStart } from '../turns/customizations.ts';

export interface CheckContext {
  readonly requester: Requester;
  /** Of the chat, or the session itself. */
  readonly session: SessionState | undefined;
  /** Whether the turn is among the finished ones of the chat. */
  readonly isFinished: (turnId: string) => boolean;
  readonly refuseConfig: (config: Record<string, unknown>, replace: boolean | undefined) => string | undefined;
  readonly refuseModel: (model: string | undefined) => string | undefined;
  readonly refuseAgent: (uri: string) => string | undefined;
  readonly refuseChats: (message: Message) => string | undefined;
  readonly refuseDirectory: (action: DirectoryAction) => string | undefined;
}

/** Why a client's action is refused, `undefined` when it is accepted. */
export function checkChatAction(action: ChatAction, state: ChatState, context: CheckContext): string | undefined {
  const turn = state.activeTurn;
  switch (action.type) {
    case 'chat/turnStarted':
      return checkStart(action, state, context);
    case 'chat/turnCancelled':
      return turn?.id === action.turnId ? undefined : 'this turn is not running';
    case 'chat/toolCallConfirmed':
      if (!callIs(state, action, 'pending-confirmation')) return 'this tool call is no longer waiting for confirmation';
      return action.approved ? refuseUntrusted(context) : undefined;
    case 'chat/toolCallResultConfirmed':
      return callIs(state, action, 'pending-result-confirmation')
        ? undefined
        : 'this result is not waiting for confirmation';
    case 'chat/toolCallComplete':
    case 'chat/toolCallContentChanged': {
      const call = turn?.id === action.turnId ? toolCallOf(turn, action.toolCallId) : undefined;
      if (call?.status === 'auth-required' && action.type === 'chat/toolCallComplete' && !action.result.success)
        return undefined;
      const isTheirs = call?.contributor?.kind === 'client' && call.contributor.clientId === context.requester.clientId;
      if (!isTheirs) return 'this tool call belongs to another client';
      return call.status === 'running' ? undefined : 'this tool call is not running';
    }
    case 'chat/inputAnswerChanged': {
      const question = openRequest(state, action.requestId)?.questions?.find((it) => it.id === action.questionId);
      if (!question) return 'no open question with this ID was found';
      return action.answer === undefined ? undefined : checkAnswer(question, action.answer);
    }
    case 'chat/inputCompleted':
      return checkCompletion(action, openRequest(state, action.requestId));
    case 'chat/truncated':
      if (isReadOnly(state)) return READ_ONLY;
      if (turn) return 'stop the running turn first';
      return action.turnId === undefined || context.isFinished(action.turnId) ? undefined : 'turn not found';
    case 'chat/pendingMessageSet':
      if (isReadOnly(state)) return READ_ONLY;
      if (!isName(action.id)) return 'id: must have at most 1000 printable characters';
      if (turn?.id === turnIdOf(action.id) || context.isFinished(turnIdOf(action.id)))
        return 'this message was already sent';
      if (action.message.origin.kind !== 'user') return "message.origin.kind: must be 'user' in messages from clients";
      return (
        refuseUntrusted(context) ??
        context.refuseModel(action.message.model?.id) ??
        context.refuseChats(action.message) ??
        (action.message.agent && context.refuseAgent(action.message.agent.uri))
      );
    case 'chat/pendingMessageRemoved': {
      const has =
        action.kind === 'steering'
          ? state.steeringMessage?.id === action.id
          : state.queuedMessages?.some((it) => it.id === action.id);
      return has ? undefined : 'message not found';
    }
    case 'chat/draftChanged':
      return action.draft && action.draft.origin.kind !== 'user'
        ? "draft.origin.kind: must be 'user' in messages from clients"
        : undefined;
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      return context.refuseDirectory(action);
    default:
      return undefined;
  }
}

export function checkSessionAction(action: SessionAction, context: CheckContext): string | undefined {
  switch (action.type) {
    case 'session/activeClientSet':
      return checkActiveClient(action.activeClient, context.requester.clientId);
    case 'session/activeClientRemoved':
      return action.clientId === context.requester.clientId ? undefined : 'clientId: must be your own client ID';
    case 'session/workingDirectorySet':
    case 'session/workingDirectoryRemoved':
      return context.refuseDirectory(action);
    case 'session/mcpServerStartRequested':
      return refuseStart(context.session, action.id, context.requester.window?.trusted !== false);
    case 'session/configChanged':
      return context.refuseConfig(action.config, action.replace);
    case 'session/titleChanged':
      return action.title.trim() === '' ? 'title: must not be empty' : undefined;
    default:
      return undefined;
  }
}

function checkStart(
  action: ChatActionOf<'chat/turnStarted'>,
  state: ChatState,
  context: CheckContext,
): string | undefined {
  if (action.message.origin.kind !== 'user') return "message.origin.kind: must be 'user' in messages from clients";
  if (!isName(action.turnId)) return 'turnId: must have at most 1000 printable characters';
  const noTrust = refuseUntrusted(context);
  if (noTrust !== undefined) return noTrust;
  const noModel = context.refuseModel(action.message.model?.id);
  if (noModel !== undefined) return noModel;
  const noChat = context.refuseChats(action.message);
  if (noChat !== undefined) return noChat;
  const noAgent = action.message.agent && context.refuseAgent(action.message.agent.uri);
  if (noAgent !== undefined) return noAgent;
  if (state.activeTurn) return 'a turn is already running';
  if (context.isFinished(action.turnId)) return 'this turn has already run';
  if (isReadOnly(state)) return READ_ONLY;
  const { queuedMessageId } = action;
  const isKnown =
    queuedMessageId === undefined ||
    state.queuedMessages?.some((it) => it.id === queuedMessageId) ||
    state.steeringMessage?.id === queuedMessageId;
  return isKnown ? undefined : 'queuedMessageId: message not found';
}

const READ_ONLY = 'this chat is read-only';
const isReadOnly = ({ interactivity }: ChatState): boolean => interactivity !== undefined && interactivity !== 'full';

/** Trust may be taken back at any time: whatever makes something run is asked about it (`security.trust-taken-back`). */
function refuseUntrusted({ requester }: CheckContext): string | undefined {
  return requester.window?.trusted === false ? 'Trust this folder to run agents.' : undefined;
}

function callIs(state: ChatState, action: { turnId: string; toolCallId: string }, status: string): boolean {
  return state.activeTurn?.id === action.turnId && toolCallOf(state.activeTurn, action.toolCallId)?.status === status;
}

function openRequest(state: ChatState, requestId: string): ChatInputRequest | undefined {
  for (const part of state.activeTurn?.responseParts ?? []) {
    if (part.kind === 'inputRequest' && part.request.id === requestId && part.response === undefined)
      return part.request;
  }
  return undefined;
}

function checkCompletion(
  action: ChatActionOf<'chat/inputCompleted'>,
  request: ChatInputRequest | undefined,
): string | undefined {
  if (!request) return 'no open question with this ID was found';
  const answers = { ...request.answers, ...action.answers };
  for (const [id, answer] of Object.entries(action.answers ?? {})) {
    const question = request.questions?.find((it) => it.id === id);
    if (!question) return `answers.${id}: question not found`;
    const wrong = checkAnswer(question, answer);
    if (wrong !== undefined) return wrong;
  }
  if (action.response !== 'accept') return undefined;
  for (const question of request.questions ?? []) {
    const answer = answers[question.id];
    const isSkipped = answer === undefined || (answer.state === 'skipped' && answer.freeformValues === undefined);
    if (question.required && isSkipped) return `answers.${question.id}: an answer is required`;
    const limit = answer && checkLimits(question, answer);
    if (limit !== undefined) return limit;
  }
  return undefined;
}

const valueKinds: Readonly<Record<ChatInputQuestion['kind'], string>> = {
  text: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  'single-select': 'selected',
  'multi-select': 'selected-many',
};

/** Shape only: limits count when the answer is final. */
function checkAnswer(question: ChatInputQuestion, answer: ChatInputAnswer): string | undefined {
  const isChoice = question.kind === 'single-select' || question.kind === 'multi-select';
  const given = answer.state === 'skipped' ? answer : answer.value;
  if (isChoice && !question.allowFreeformInput && 'freeformValues' in given && given.freeformValues?.length) {
    const choices = question.options.map((it) => it.label).join(', ');
    return `answers.${question.id}: must be one of the choices: ${choices}`;
  }
  if (answer.state === 'skipped') return undefined;
  const { value } = answer;
  if (value.kind !== valueKinds[question.kind])
    return `answers.${question.id}: must be of kind ${valueKinds[question.kind]}`;
  if (!isChoice) return undefined;
  const chosen = value.kind === 'selected' ? [value.value] : value.kind === 'selected-many' ? value.value : [];
  const isFree = question.allowFreeformInput && 'freeformValues' in value && value.freeformValues !== undefined;
  const unknown = chosen.find((it) => !question.options.some((option) => option.id === it));
  return unknown === undefined || (isFree && unknown === '')
    ? undefined
    : `answers.${question.id}: is not one of the choices`;
}

function checkLimits(question: ChatInputQuestion, answer: ChatInputAnswer): string | undefined {
  if (answer.state === 'skipped') return undefined;
  const { value } = answer;
  const { min, max } = 'min' in question || 'max' in question ? (question as { min?: number; max?: number }) : {};
  if (question.kind === 'integer' && value.kind === 'number' && !Number.isInteger(value.value)) {
    return `answers.${question.id}: must be a whole number`;
  }
  const size =
    value.kind === 'number'
      ? value.value
      : value.kind === 'text'
        ? value.value.length
        : value.kind === 'selected-many'
          ? value.value.length + (value.freeformValues?.length ?? 0)
          : undefined;
  if (size !== undefined && min !== undefined && size < min)
    return `answers.${question.id}: ${bound('at least', min, value.kind)}`;
  if (size !== undefined && max !== undefined && size > max)
    return `answers.${question.id}: ${bound('at most', max, value.kind)}`;
  return undefined;
}

function bound(how: string, limit: number, kind: string): string {
  if (kind === 'number') return `must be ${how} ${limit}`;
  const one = kind === 'text' ? 'character' : 'choice';
  return `must have ${how} ${limit} ${limit === 1 ? one : `${one}s`}`;
}
