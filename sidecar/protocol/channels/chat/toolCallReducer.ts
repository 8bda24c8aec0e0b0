import { without } from '../../collections.ts';
import type { ChatActionOf } from './actions.ts';
import { inTurn } from './activeTurn.ts';
import { withStatus } from './chatStatus.ts';
import type { ChatState } from './schema.ts';
import { baseOf, cancelled, keptOf, selectedOf } from './toolCallParts.ts';
import type { ToolCallState } from './toolCalls.ts';

type CallAction = ChatActionOf<
  | 'chat/toolCallDelta'
  | 'chat/toolCallReady'
  | 'chat/toolCallConfirmed'
  | 'chat/toolCallComplete'
  | 'chat/toolCallResultConfirmed'
  | 'chat/toolCallContentChanged'
  | 'chat/toolCallAuthRequired'
  | 'chat/toolCallAuthResolved'
>;

/** Starts a call. A call that the turn has already stays as it is (`host.action.chat/toolCallStart`). */
export function startCall(state: ChatState, action: ChatActionOf<'chat/toolCallStart'>): ChatState {
  return inTurn(state, action.turnId, (turn) => {
    const isKnown = turn.responseParts.some(
      (it) => it.kind === 'toolCall' && it.toolCall.toolCallId === action.toolCallId,
    );
    if (isKnown) return turn;
    const toolCall: ToolCallState = { ...baseOf(action), status: 'streaming' };
    return { ...turn, responseParts: [...turn.responseParts, { kind: 'toolCall', toolCall }] };
  });
}

const recomputesStatus: ReadonlySet<CallAction['type']> = new Set([
  'chat/toolCallReady',
  'chat/toolCallConfirmed',
  'chat/toolCallComplete',
  'chat/toolCallResultConfirmed',
  'chat/toolCallAuthRequired',
  'chat/toolCallAuthResolved',
] as const);

/** Applies the action to the newest call with the id. An action for an ended turn changes nothing, status included. */
export function reduceCall(state: ChatState, action: CallAction): ChatState {
  const next = inTurn(state, action.turnId, (turn) => {
    const at = turn.responseParts.findLastIndex(
      (it) => it.kind === 'toolCall' && it.toolCall.toolCallId === action.toolCallId,
    );
    const part = turn.responseParts[at];
    if (part?.kind !== 'toolCall') return turn;
    const stepped = step(part.toolCall, action);
    if (stepped === part.toolCall) return turn;
    const toolCall = action._meta === undefined ? stepped : { ...stepped, _meta: action._meta };
    return { ...turn, responseParts: turn.responseParts.with(at, { ...part, toolCall }) };
  });
  const isStray = state.activeTurn?.id !== action.turnId;
  return isStray || !recomputesStatus.has(action.type) ? next : withStatus(next);
}

/**
 * The moves of a tool call between its states (`host.call.states`). Any other move changes nothing and returns `call`.
 */
function step(call: ToolCallState, action: CallAction): ToolCallState {
  switch (action.type) {
    case 'chat/toolCallDelta':
      if (call.status !== 'streaming') return call;
      return {
        ...call,
        partialInput: (call.partialInput ?? '') + action.content,
        ...(action.invocationMessage !== undefined && { invocationMessage: action.invocationMessage }),
      };
    case 'chat/toolCallReady':
      return ready(call, action);
    case 'chat/toolCallConfirmed':
      return confirm(call, action);
    case 'chat/toolCallComplete':
      return complete(call, action);
    case 'chat/toolCallResultConfirmed':
      if (call.status !== 'pending-result-confirmation') return call;
      if (action.approved) return { ...call, status: 'completed' };
      return { ...cancelled(call, 'result-denied'), ...selectedOf(call) };
    case 'chat/toolCallContentChanged':
      return call.status === 'running' ? { ...call, content: action.content } : call;
    case 'chat/toolCallAuthRequired':
      if (call.status !== 'running' || call.contributor?.kind !== 'mcp') return call;
      return { ...call, contributor: call.contributor, status: 'auth-required', auth: action.auth };
    case 'chat/toolCallAuthResolved':
      return call.status === 'auth-required' ? { ...without(call, 'auth'), status: 'running' } : call;
  }
}

function ready(call: ToolCallState, action: ChatActionOf<'chat/toolCallReady'>): ToolCallState {
  const isOpen = call.status === 'streaming' || call.status === 'running' || call.status === 'pending-confirmation';
  if (!isOpen) return call;
  const { invocationMessage, toolInput, confirmed } = action;
  const asked = { ...baseOf(call), invocationMessage };
  if (confirmed !== undefined) {
    return { ...asked, ...(toolInput !== undefined && { toolInput }), status: 'running', confirmed };
  }
  // What the question leaves out is inherited from the question before it, and from nothing else.
  const before = call.status === 'pending-confirmation' ? questionOf(call) : {};
  return { ...asked, ...before, ...questionOf(action), status: 'pending-confirmation' };
}

type Question = Pick<
  ChatActionOf<'chat/toolCallReady'>,
  'toolInput' | 'confirmationTitle' | 'riskAssessment' | 'edits' | 'editable' | 'options'
>;
function questionOf(from: Question): Question {
  const { toolInput, confirmationTitle, riskAssessment, edits, editable, options } = from;
  return {
    ...(toolInput !== undefined && { toolInput }),
    ...(confirmationTitle !== undefined && { confirmationTitle }),
    ...(riskAssessment !== undefined && { riskAssessment }),
    ...(edits !== undefined && { edits }),
    ...(editable !== undefined && { editable }),
    ...(options !== undefined && { options }),
  };
}

function confirm(call: ToolCallState, action: ChatActionOf<'chat/toolCallConfirmed'>): ToolCallState {
  if (call.status !== 'pending-confirmation') return call;
  const selectedOption = call.options?.find((it) => it.id === action.selectedOptionId);
  const selected = selectedOption && { selectedOption };
  if (!action.approved) {
    const { reasonMessage, userSuggestion } = action;
    return {
      ...cancelled(call, action.reason),
      ...(reasonMessage !== undefined && { reasonMessage }),
      ...(userSuggestion !== undefined && { userSuggestion }),
      ...selected,
    };
  }
  const toolInput = action.editedToolInput ?? call.toolInput;
  return {
    ...baseOf(call),
    invocationMessage: call.invocationMessage,
    ...(toolInput !== undefined && { toolInput }),
    status: 'running',
    confirmed: action.confirmed,
    ...selected,
  };
}

function complete(call: ToolCallState, action: ChatActionOf<'chat/toolCallComplete'>): ToolCallState {
  const { result } = action;
  if (call.status === 'auth-required') {
    if (result.success) return call;
    // What it put out before it needed a token is worth keeping; a failed call has no result to confirm.
    return { ...(call.content && { content: call.content }), ...result, ...keptOf(call, call), status: 'completed' };
  }
  if (call.status !== 'running' && call.status !== 'pending-confirmation') return call;
  const confirmation = call.status === 'running' ? call : ({ confirmed: 'not-needed' } as const);
  const status = action.requiresResultConfirmation ? 'pending-result-confirmation' : 'completed';
  return { ...result, ...keptOf(call, confirmation), status };
}
