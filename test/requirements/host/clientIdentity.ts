import { promisedBy } from '../promised.ts';

export const clientIdentity = promisedBy('README, Security in plain words', {
  'host.client.id-bound':
    'A client id belongs to the credential that used it first: another one gets nothing of what is known under it.',
  'host.client.message-limit':
    'The handshake says how large a message may be; our client refuses a larger action at once, in words with both sizes, and sends none again over which the connection was closed.',
  'host.client.tokens':
    'Each client can have a token of its own, which is kept as a hash; a revoked one ends its connections within a second.',
  'host.client.window-narrows':
    'A client over WebSocket may only narrow the trust, agents, rules and environment of whoever runs serve.',
  'host.client.confirm-subscribed':
    'Only clients that are subscribed to a chat or its session answer what the chat asks.',
  'host.client.operate-subscribed':
    'Only clients that are subscribed to a changeset or its session keep, undo or otherwise operate on it.',
});
