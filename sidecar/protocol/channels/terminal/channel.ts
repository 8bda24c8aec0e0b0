import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { reduceTerminal } from './reducer.ts';
import { type TerminalAction, TerminalState, terminalActions } from './schema.ts';

export const terminalChannel = defineChannel<'terminal', TerminalState, TerminalAction>({
  kind: 'terminal',
  scheme: schemes.terminal,
  state: TerminalState,
  actions: terminalActions,
  reduce: reduceTerminal,
  clientMay: new Set<TerminalAction['type']>([
    'terminal/input',
    'terminal/resized',
    'terminal/claimed',
    'terminal/titleChanged',
    'terminal/cleared',
  ]),
});
