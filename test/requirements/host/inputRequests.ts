import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const inputRequests = promisedBy(`${document}, Session input requests`, {
  'host.input.variants': 'A request is one of four variants, discriminated by kind.',
  'host.input.id': 'id is required, unique within inputNeeded, and the key of the upsert.',
  'host.input.chat': 'chat is required: the channel that takes the answer.',
  'host.input.unsubscribed': 'A client answers without a subscription to that chat.',
  'host.input.chat-input': 'chatInput mirrors an unresolved input request of the chat in request; required.',
  'host.input.chat-input-answer': 'It is answered by chat/inputCompleted, keyed by request.id.',
  'host.input.chat-input-draft': 'A draft is synced by chat/inputAnswerChanged.',
  'host.input.confirmation':
    'toolConfirmation has turnId and a tool call that waits for a confirmation; both required.',
  'host.input.freeform-said': 'A question with choices says whether it takes free text, also where it does not.',
  'host.input.freeform-refused':
    'Free text where none is taken is refused with words that name the choices; the question stays open.',
  'host.approvals.every-source':
    'Whoever manages approvals sees each source for this client: granted rules, those of the settings, modes, what holds without a rule.',
  'host.tools.name-by-kind':
    'The displayName of a call is a name of ours by its kind, never words of the agent, or the title of a tool of a server or client.',
  'host.tools.shown-literally':
    'A call that waits has a confirmationTitle of ours; its command and files are shown literally, hidden characters as numbers.',
  'host.input.confirmation-answer': 'It is answered by chat/toolCallConfirmed, keyed by turnId and toolCallId.',
  'host.input.result-answer': 'One pending result confirmation is answered by chat/toolCallResultConfirmed.',
  'host.input.execution':
    'toolClientExecution has turnId, clientId and a running tool call of that client; all required.',
  'host.input.execution-answer': 'The client runs the tool, then dispatches chat/toolCallComplete.',
  'host.input.execution-stream': 'Meanwhile it may stream with chat/toolCallContentChanged.',
  'host.input.authentication': 'toolAuthentication has turnId and a tool call that needs a token; both required.',
  'host.input.authentication-answer': 'It is answered by authenticate for toolCall.auth.resource, not by an operation.',
});
