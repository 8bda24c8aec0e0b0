import { settleSession } from '../../settleSession.ts';
import { schemes } from '../../uris.ts';
import { defineChannel } from '../defineChannel.ts';
import { reduceSession } from './reducer.ts';
import { type SessionAction, SessionState, sessionActions } from './schema.ts';

export const sessionChannel = defineChannel<'session', SessionState, SessionAction>({
  kind: 'session',
  scheme: schemes.session,
  state: SessionState,
  actions: sessionActions,
  reduce: reduceSession,
  settle: settleSession,
  clientMay: new Set<SessionAction['type']>([
    'session/titleChanged',
    'session/isReadChanged',
    'session/isArchivedChanged',
    'session/activeClientSet',
    'session/activeClientRemoved',
    'session/workingDirectorySet',
    'session/workingDirectoryRemoved',
    'session/customizationToggled',
    'session/mcpServerStartRequested',
    'session/mcpServerStopRequested',
    'session/configChanged',
  ]),
});
