import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const errors = promisedBy(`${document}, Errors`, {
  'host.error.object': 'Error responses are JSON-RPC 2.0 error objects.',
  'host.error.-32700': 'Parse error.',
  'host.error.-32600': 'Invalid request.',
  'host.error.-32601': 'Method not found.',
  'host.error.-32602': 'Invalid params.',
  'host.error.-32603': 'Internal error.',
  'host.error.-32005': 'UnsupportedProtocolVersion.',
  'host.error.-32005-data': 'supportedVersions are versions or ranges; required.',
  'host.error.-32007': 'AuthRequired.',
  'host.error.-32007-data': 'resources are the metadata of what needs authentication; required.',
  'host.error.-32009': 'PermissionDenied.',
  'host.error.-32009-data': 'request is the access that would unlock the operation.',
  'host.error.-32009-request': 'The caller may send resourceRequest with it.',
  'host.error.-32009-hopeless': 'request is omitted when no grant would help.',
  'host.error.ten': 'The codes of the host are -32001 to -32010.',
  'host.error.unspecified': 'Callers treat data of any other code as unknown.',
  'host.error.creation': 'A failed creation of a session is told in SessionState.creationError.',
});

export const completedErrors = promisedBy('host completion, Errors', {
  'host.error.-32001': 'SessionNotFound: the URI of a session or another channel is unknown.',
  'host.error.-32002': 'ProviderNotFound: the provider is not registered.',
  'host.error.-32003': 'SessionAlreadyExists: the URI is in use.',
  'host.error.-32004': 'TurnInProgress: the operation needs an idle chat.',
  'host.error.-32006': 'ContentNotFound: the content behind a ContentRef is gone.',
  'host.error.-32008': 'NotFound: a file, folder or URI is missing, or the client of a reconnect is unknown.',
  'host.error.-32010': 'AlreadyExists: the target exists and must not be overwritten.',
  'host.error.-32011':
    'Conflict: a stale ifMatch, or a file that holds something else; an extension outside of the ten.',
  'host.error.-32012':
    'Unavailable: what cannot be done now, for a reason that the message says; an extension outside of the ten.',
});
