import { promisedBy } from '../promised.ts';

export const turns = promisedBy('host completion, Turns', {
  'host.turn.agent-let-go': 'A turn begins only after the agent let go of the one before it.',
  'host.turn.id-once':
    'A message that waited becomes a turn with an id of its own, whatever ids clients gave to turns meanwhile.',
  'host.turn.stop-holds':
    'After a person stopped a turn, what waits in its chat waits on until a message is sent, and goes on once that one has ended.',
  'host.auth.latest-push':
    'Of two tokens that a client pushed the later one counts, whichever was checked first; none counts for a client that is gone.',
});

export const firstMoments = promisedBy('host completion, First moments', {
  'host.served.goodbye-words':
    'A socket that is closed over a message (too large, no text, not UTF-8) is told why, in words beside the number.',
  'host.served.direct':
    'The host itself listens for clients over WebSocket while `serve` runs. When that host leaves, `serve` keeps the port, and the next client that comes has the next host listen.',
  'host.public.highest-version':
    'Of the versions that a client of the public protocol offers, the highest that the host serves is spoken.',
  'host.public.receipt': 'A client is told what became of its own action, also of one that is newer than its version.',
  'host.public.shared-text':
    'A notification is translated once for all clients of the public protocol that have the same version and names for the channels in it.',
  'host.served.protocol-alone':
    'shutdown and exit of language clients are for windows behind a relay after their handshake; for anybody else they are no methods (-32601), and they never end anything of the host but the own connection.',
  'host.root.first-agents':
    'The first client of a host gets the agents that it brought in its first state of the root.',
  'host.turn.asking-activity': 'While a person is asked, the activity of the chat and of its session says so.',
});

export const processes = promisedBy('host completion, Processes', {
  'host.process.own-session':
    'A child that an agent started with an environment and a session of its own ends with the agent, where the system tells who started it.',
});

export const handshakes = promisedBy('host completion, Handshakes', {
  'host.handshake.order':
    'Whatever a handshake waits for, nothing that the client sent behind it is done, or comes back, before its answer.',
  'host.handshake.left-view':
    'A comparison that is made for a client that left meanwhile is dropped, and kept nowhere.',
  'host.reconnect.made-again':
    'A client that comes back gets the state of a channel that was made again under its name while it was away.',
});

export const storage = promisedBy('host completion, What is on disk', {
  'host.storage.torn-journal':
    'Whatever the disk does to the journal: what was refused is not played again, what is in rows is neither taken back nor played twice.',
  'host.storage.refused-again':
    'What was refused because it could not be saved is applied when it is sent again, under the same number too.',
});

export const elsewhere = promisedBy('host completion, Hosts elsewhere', {
  'host.remote.comments':
    'Remarks on files of a session elsewhere are threads of the documents that show those files, and stay with its host.',
  'host.remote.sign-in':
    'A host elsewhere gets the tokens that a person gave for it, and none of those that were given for another host.',
});

export const messages = promisedBy('host completion, Messages', {
  'host.message.attached-chats':
    'What an attached chat said is kept with the message when it is accepted: nothing that becomes of the source changes it.',
  'host.message.first-agent':
    'A message that selects a custom agent before its session was read waits for that, at most 10 s; without such an agent its turn ends in words.',
  'host.message.agent-unread':
    'Where the file of a selected custom agent could not be read, the turn says that, and not that agent not found.',
});
