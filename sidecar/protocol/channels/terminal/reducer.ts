import { assertNever, setOrClear } from '../../collections.ts';
import type { TerminalAction, TerminalActionOf, TerminalPart, TerminalState } from './schema.ts';

/** Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. */
export function reduceTerminal(state: TerminalState, action: TerminalAction): TerminalState {
  switch (action.type) {
    case 'terminal/data':
      return appendData(state, action.data);
    case 'terminal/input':
      return state; // the host writes it to the terminal; what that answers comes as data
    case 'terminal/resized':
      return setOrClear(setOrClear(state, 'cols', action.cols), 'rows', action.rows);
    case 'terminal/claimed':
      return setOrClear(state, 'claim', action.claim);
    case 'terminal/titleChanged':
      return setOrClear(state, 'title', action.title);
    case 'terminal/cwdChanged':
      return setOrClear(state, 'cwd', action.cwd);
    case 'terminal/exited':
      return setOrClear(state, 'exitCode', action.exitCode);
    case 'terminal/cleared':
      return setOrClear(state, 'content', []);
    case 'terminal/commandDetectionAvailable':
      return setOrClear(state, 'supportsCommandDetection', true);
    case 'terminal/commandExecuted':
      return startCommand(state, action);
    case 'terminal/commandFinished':
      return finishCommand(state, action);
    default:
      return assertNever(action);
  }
}

/** Output belongs to the command that runs; between commands to nobody. */
function appendData(state: TerminalState, data: string): TerminalState {
  const tail = state.content.at(-1);
  if (tail?.type === 'command' && !tail.isComplete) return withTail(state, { ...tail, output: tail.output + data });
  if (tail?.type === 'unclassified') return withTail(state, { ...tail, value: tail.value + data });
  return { ...state, content: [...state.content, { type: 'unclassified', value: data }] };
}

function withTail(state: TerminalState, tail: TerminalPart): TerminalState {
  return setOrClear(state, 'content', state.content.with(-1, tail));
}

function startCommand(state: TerminalState, action: TerminalActionOf<'terminal/commandExecuted'>): TerminalState {
  const { commandId, commandLine, timestamp } = action;
  const part: TerminalPart = { type: 'command', commandId, commandLine, output: '', timestamp, isComplete: false };
  return { ...state, content: [...state.content, part], supportsCommandDetection: true };
}

function finishCommand(state: TerminalState, action: TerminalActionOf<'terminal/commandFinished'>): TerminalState {
  const at = state.content.findLastIndex((it) => it.type === 'command' && it.commandId === action.commandId);
  const part = state.content[at];
  if (part?.type !== 'command') return state;
  const done = setOrClear(part, 'isComplete', true);
  const finished = setOrClear(setOrClear(done, 'exitCode', action.exitCode), 'durationMs', action.durationMs);
  return finished === part ? state : { ...state, content: state.content.with(at, finished) };
}
