import { assertNever, removeWhere, setOrClear } from '../../collections.ts';
import { status, withFlag } from '../../status.ts';
import type { ReduceContext } from '../defineChannel.ts';
import type { ChatAction } from './actions.ts';
import { appendText, inTurn } from './activeTurn.ts';
import { changeAnswer, completeInput, requestInput } from './inputReducer.ts';
import { removePending, reorderQueue, setPending } from './pendingReducer.ts';
import type { ChatState } from './schema.ts';
import { reduceCall, startCall } from './toolCallReducer.ts';
import { endTurn, loadTurns, startTurn, truncate } from './turnReducer.ts';

/**
 * Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. Nothing but truncating and loading
 * looks into `turns`, so that a delta costs the same at 2,000 turns as at 20.
 */
export function reduceChat(state: ChatState, action: ChatAction, { now }: ReduceContext): ChatState {
  switch (action.type) {
    case 'chat/turnStarted':
      return startTurn(state, action, now);
    case 'chat/delta':
      return inTurn(state, action.turnId, (turn) => appendText(turn, 'markdown', action.partId, action.content));
    case 'chat/reasoning':
      return inTurn(state, action.turnId, (turn) =>
        appendText(turn, 'reasoning', action.partId, action.content, action._meta),
      );
    case 'chat/responsePart':
      return inTurn(state, action.turnId, (turn) => ({
        ...turn,
        responseParts: [...turn.responseParts, action.part],
      }));
    case 'chat/usage':
      return inTurn(state, action.turnId, (turn) => setOrClear(turn, 'usage', action.usage));
    case 'chat/turnComplete':
    case 'chat/turnCancelled':
    case 'chat/error':
      return endTurn(state, action, now);
    case 'chat/isReadChanged':
      return setOrClear(state, 'status', withFlag(state.status, status.IsRead, action.isRead));
    case 'chat/isArchivedChanged':
      return setOrClear(state, 'status', withFlag(state.status, status.IsArchived, action.isArchived));
    case 'chat/activityChanged':
      return setOrClear(state, 'activity', action.activity);
    case 'chat/workingDirectorySet': {
      const directories = state.workingDirectories ?? [];
      if (directories.includes(action.directory)) return state;
      return { ...state, workingDirectories: [...directories, action.directory] };
    }
    case 'chat/workingDirectoryRemoved': {
      if (!state.workingDirectories) return state;
      const left = removeWhere(state.workingDirectories, (it) => it === action.directory);
      return setOrClear(state, 'workingDirectories', left);
    }
    case 'chat/toolCallStart':
      return startCall(state, action);
    case 'chat/toolCallDelta':
    case 'chat/toolCallReady':
    case 'chat/toolCallConfirmed':
    case 'chat/toolCallComplete':
    case 'chat/toolCallResultConfirmed':
    case 'chat/toolCallContentChanged':
    case 'chat/toolCallAuthRequired':
    case 'chat/toolCallAuthResolved':
      return reduceCall(state, action);
    case 'chat/inputRequested':
      return requestInput(state, action.request, now);
    case 'chat/inputAnswerChanged':
      return changeAnswer(state, action, now);
    case 'chat/inputCompleted':
      return completeInput(state, action, now);
    case 'chat/truncated':
      return truncate(state, action.turnId, now);
    case 'chat/turnsLoaded':
      return loadTurns(state, action);
    case 'chat/pendingMessageSet':
      return setPending(state, action);
    case 'chat/pendingMessageRemoved':
      return removePending(state, action.kind, action.id);
    case 'chat/queuedMessagesReordered':
      return reorderQueue(state, action.order);
    case 'chat/draftChanged':
      return setOrClear(state, 'draft', action.draft);
    default:
      return assertNever(action);
  }
}
