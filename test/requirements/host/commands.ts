import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

/** The endpoints that the specification describes; the others follow below. */
export const commands = promisedBy(`${document}, Endpoints`, {
  'host.command.initialize': 'initialize takes the clientId and answers snapshots.',
  'host.command.reconnect': 'reconnect answers snapshots, or what was missed.',
  'host.command.subscribe': 'subscribe takes the URI of a channel and answers its snapshot.',
  'host.command.authenticate': 'authenticate takes a token for a protected resource.',
  'host.command.createChat': 'createChat opens a chat in a session, with primaryWorkingDirectory and a source.',
  'host.command.createSession': 'createSession takes workingDirectories and primaryWorkingDirectory.',
  'host.command.root/listSessions': 'root/listSessions answers summaries; listSessions is the same.',
  'host.command.sessionConfigCompletions':
    'sessionConfigCompletions answers values for input to a property with enumDynamic.',
  'host.command.resourceRequest': 'resourceRequest negotiates access to a resource.',
  'host.command.resourceWrite': 'resourceWrite persists content, as a new customization in a writable directory.',
});

export const completedCommands = promisedBy('host completion, Commands', {
  'host.command.ping': 'ping answers null, also before the handshake.',
  'host.command.unsubscribe': 'unsubscribe ends the messages of a channel.',
  'host.command.dispatchAction': 'dispatchAction sends an action; what is refused comes back to its sender.',
  'host.command.disposeSession': 'disposeSession takes a session away with its chats, then root/sessionRemoved.',
  'host.command.resolveSessionConfig': 'resolveSessionConfig answers the whole schema and the values with defaults.',
  'host.command.disposeChat': 'disposeChat takes a chat away; the default chat stays.',
  'host.command.fetchTurns': 'fetchTurns sends chat/turnsLoaded before it answers; an unknown cursor is refused.',
  'host.command.completions': 'completions answers items with the attachment to send.',
  'host.command.createTerminal': 'createTerminal opens a terminal with a claim, and root/terminalsChanged.',
  'host.command.disposeTerminal': 'disposeTerminal ends its process, and root/terminalsChanged.',
  'host.command.resourceRead': 'resourceRead answers text, or base64 where the bytes are no text.',
  'host.command.resourceList': 'resourceList answers the names and types in a directory.',
  'host.command.resourceCopy': 'resourceCopy copies, and not over what is there where it must not.',
  'host.command.resourceMove': 'resourceMove moves, and not over what is there where it must not.',
  'host.command.resourceDelete': 'resourceDelete removes, a directory with content only when told to.',
  'host.command.resourceResolve': 'resourceResolve answers the canonical URI, the type, size, times and etag.',
  'host.command.resourceMkdir': 'resourceMkdir makes a directory with its parents.',
  'host.command.createResourceWatch': 'createResourceWatch answers a channel that tells of changes.',
  'host.command.invokeChangesetOperation': 'invokeChangesetOperation runs an operation in one of its scopes.',
});

export const rules = promisedBy(`${document}, Endpoints, rules`, {
  'host.rule.multiple-chats': 'Rule 1: createChat beyond the default chat requires multipleChats.',
  'host.rule.fork': 'Rule 2: fork requires multipleChats.fork.',
  'host.rule.side-chat': 'Rule 3: sideChat requires multipleChats.sideChat.',
  'host.rule.directories': 'Rule 4: more than one working directory requires multipleWorkingDirectories.',
  'host.rule.primary': 'Rule 5: with requiresPrimary clients set primaryWorkingDirectory.',
});
