import type { ToolCallCancelledState, ToolCallRunningState, ToolCallState } from './toolCalls.ts';

/** Ends what is still open when its turn ends. A status of a newer peer stays as it is. */
export function skipCall(call: ToolCallState): ToolCallState {
  switch (call.status) {
    case 'streaming':
      return cancelled({ ...baseOf(call), invocationMessage: call.invocationMessage ?? '' }, 'skipped');
    case 'pending-confirmation':
    case 'running':
    case 'auth-required':
    case 'pending-result-confirmation':
      return cancelled(call, 'skipped');
    default:
      return call;
  }
}

type Base = Pick<ToolCallState, 'toolCallId' | 'toolName' | 'displayName' | 'intention' | 'contributor' | '_meta'>;
type Parameters = Pick<ToolCallRunningState, 'invocationMessage' | 'toolInput'>;

/** What every state of a call has. */
export function baseOf(from: Base): Base {
  const { toolCallId, toolName, displayName, intention, contributor, _meta } = from;
  return {
    toolCallId,
    toolName,
    displayName,
    ...(intention !== undefined && { intention }),
    ...(contributor !== undefined && { contributor }),
    ...(_meta !== undefined && { _meta }),
  };
}

/** What a call keeps once it was confirmed. */
export function keptOf(
  call: Base & Parameters,
  confirmation: Pick<ToolCallRunningState, 'confirmed' | 'selectedOption'>,
): Base & Parameters & Pick<ToolCallRunningState, 'confirmed' | 'selectedOption'> {
  return {
    ...baseOf(call),
    invocationMessage: call.invocationMessage,
    ...(call.toolInput !== undefined && { toolInput: call.toolInput }),
    confirmed: confirmation.confirmed,
    ...selectedOf(confirmation),
  };
}

export function selectedOf(
  from: Pick<ToolCallRunningState, 'selectedOption'>,
): Pick<ToolCallRunningState, 'selectedOption'> {
  return from.selectedOption === undefined ? {} : { selectedOption: from.selectedOption };
}

export function cancelled(call: Base & Parameters, reason: ToolCallCancelledState['reason']): ToolCallCancelledState {
  return {
    ...baseOf(call),
    invocationMessage: call.invocationMessage,
    ...(call.toolInput !== undefined && { toolInput: call.toolInput }),
    status: 'cancelled',
    reason,
  };
}
