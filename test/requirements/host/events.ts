import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const events = promisedBy(`${document}, Events`, {
  'host.event.session-added': 'root/sessionAdded tells of a session in the catalogue, with its summary.',
  'host.event.summary-changed': 'root/sessionSummaryChanged tells of a changed entry of the catalogue.',
  'host.event.server-seq': 'Each operation to subscribers carries a serverSeq.',
  'host.event.directory-set': 'session/workingDirectorySet is sent when a directory is added or changed.',
  'host.event.directory-removed': 'session/workingDirectoryRemoved is sent when a directory is removed.',
  'host.event.client-set': 'session/activeClientSet is sent when a client is added or refreshed.',
  'host.event.client-removed': 'session/activeClientRemoved is sent when a client is removed.',
  'host.event.input-set': 'session/inputNeededSet is sent when an entry is set.',
  'host.event.input-removed': 'session/inputNeededRemoved is sent when an entry is removed.',
  'host.event.auth-resolved': 'chat/toolCallAuthResolved is sent when a token was accepted for a call.',
  'host.dispatch.input-completed': 'Clients dispatch chat/inputCompleted.',
  'host.dispatch.input-answer': 'Clients dispatch chat/inputAnswerChanged.',
  'host.dispatch.confirmed': 'Clients dispatch chat/toolCallConfirmed.',
  'host.dispatch.result-confirmed': 'Clients dispatch chat/toolCallResultConfirmed.',
  'host.dispatch.complete': 'Clients dispatch chat/toolCallComplete.',
  'host.dispatch.content': 'Clients dispatch chat/toolCallContentChanged.',
});
