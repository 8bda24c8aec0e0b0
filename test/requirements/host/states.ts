import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const states = promisedBy(`${document}, States and transitions`, {
  'host.status.activity-bits': 'The activity is in bits 0 to 4: Idle, InProgress, InputNeeded, Error.',
  'host.status.flags': 'IsRead and IsArchived are flags beside the activity, and belong to the session.',
  'host.load.states': 'Load states are loading, loaded, degraded and error; the last two have a message.',
  'host.call.states':
    'A tool call can be pending confirmation, pending result confirmation, running with a contributor, and auth-required.',
});

export const moves = promisedBy(`${document}, Moves that are stated`, {
  'host.move.input-raised': 'What a chat raises becomes an entry of inputNeeded by session/inputNeededSet.',
  'host.move.input-status': 'While there is an entry the status carries InputNeeded.',
  'host.move.input-resolved': 'The entry goes by session/inputNeededRemoved when its request is resolved.',
  'host.move.confirmed': 'chat/toolCallConfirmed moves a call that is pending confirmation to running or cancelled.',
  'host.move.turn-after-failure': 'A turn is played also where the one before it in its chat failed at its end.',
  'host.move.result-confirmed':
    'chat/toolCallResultConfirmed moves a call that is pending result confirmation to completed or cancelled.',
  'host.move.client-completed':
    'chat/toolCallComplete of the contributing client moves its running call to completed or pending result confirmation.',
  'host.move.client-mismatch': 'chat/toolCallComplete of another client moves nothing.',
  'host.move.client-content': 'chat/toolCallContentChanged shows output while the call runs.',
  'host.move.auth-resolved':
    'An accepted token moves an auth-required call on: chat/toolCallAuthResolved, then session/inputNeededRemoved.',
  'host.move.client-set': 'session/activeClientSet makes a client present, or refreshes its entry.',
  'host.move.client-unsubscribed': 'A client that unsubscribes is removed by session/activeClientRemoved.',
  'host.move.client-disconnected': 'So is one that disconnects and does not reconnect in time.',
  'host.move.client-elsewhere': 'So is one that reconnects without the session.',
});
