import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const sessionMetadata = promisedBy(`${document}, Session state, shared fields`, {
  'host.session.provider': 'A session has the id of its provider; required.',
  'host.session.title': 'A session has a title; required.',
  'host.session.status': 'A session has a status; required.',
  'host.session.activity': 'activity says for people what the session is doing.',
  'host.session.project': 'project is owned by the server.',
  'host.session.working-directories':
    'workingDirectories are equal peers, maintained by session/workingDirectorySet and session/workingDirectoryRemoved.',
  'host.session.chat-subset': 'A chat may restrict itself to a subset of them.',
  'host.session.chat-full-set': 'A chat without a subset operates on the full set.',
  'host.session.annotations': 'annotations sums up the annotations channel, which every session has.',
  'host.session.at-creation': 'A session names its changesets, its annotations and its tools from its creation on.',
  'host.session.project-info': 'ProjectInfo has uri and displayName, both required.',
});

export const sessionState = promisedBy(`${document}, Session state`, {
  'host.session.inlined': 'The state of a session has all shared fields inlined.',
  'host.session.lifecycle': 'lifecycle is the state of its initialization; required.',
  'host.session.creation-error': 'creationError says why creation failed.',
  'host.session.server-tools': 'serverTools are the tools that the host provides.',
  'host.session.active-clients': 'activeClients are the clients that provide tools and interaction; required.',
  'host.session.chats': 'chats is the catalogue of chats; required.',
  'host.session.default-chat': 'defaultChat gets input that names no chat; a hint, which the host may change.',
  'host.session.config': 'config is the configuration of the session.',
  'host.session.customizations': 'customizations are containers with children, or top-level MCP servers.',
  'host.session.client-plugins': 'Plugins of clients are propagated here, with clientId and children.',
  'host.session.changesets': 'changesets are subscribable views of changes, each with a URI template to expand.',
  'host.session.input-needed': 'inputNeeded is what blocks the session, over all its chats.',
  'host.session.input-needed-status': 'A non-empty inputNeeded implies the status bit InputNeeded.',
  'host.session.meta': '_meta is metadata of the provider.',
});

export const summary = promisedBy(`${document}, SessionSummary`, {
  'host.summary.shared': 'A summary has the shared fields.',
  'host.summary.resource': 'A summary has the URI of its session; required.',
  'host.summary.created-at': 'A summary has createdAt; required.',
  'host.summary.modified-at': 'A summary has modifiedAt; required.',
  'host.summary.changes': 'changes may count additions, deletions and files, all optional.',
  'host.summary.meta': 'A summary may have small metadata of its producer.',
  'host.summary.activity-bits': 'The activity bits are those of the default chat, else of the chat modified last.',
  'host.summary.input-needed-wins': 'status is promoted to InputNeeded when any chat needs input.',
  'host.summary.error-wins': 'status is promoted to Error when any chat is in error.',
  'host.summary.flags': 'The flags IsRead and IsArchived stay those of the session.',
  'host.summary.activity': 'activity is that of the default chat.',
  'host.summary.activity-promoted': 'Where another chat drives the promoted bit, activity is that of this chat.',
  'host.summary.latest': 'modifiedAt is the latest of all chats.',
  'host.summary.chats': 'A summary has all chats in the order of the session, and the default one; from rows too.',
  'host.summary.directories': 'workingDirectories are those of the session; subsets of chats do not count.',
  'host.summary.changes-source': 'changes may be the sum over chats, or those of one chat.',
  'host.summary.single-chat': 'A session of one chat passes its values through.',
  'host.summary.in-step': 'The catalogue follows the sessions by root/sessionSummaryChanged.',
});

export const clients = promisedBy(`${document}, AgentSelection and SessionActiveClient`, {
  'host.selection.uri': 'AgentSelection has the uri of a custom agent, which matches AgentCustomization.uri; required.',
  'host.selection.none': 'A message without a selected agent uses the default of the provider.',
  'host.client.id': 'An active client has the clientId of its initialize; required.',
  'host.client.display-name': 'An active client may have a displayName.',
  'host.client.tools': 'An active client has its tools; required.',
  'host.client.customizations': 'An active client may have plugins, always container-shaped.',
  'host.client.virtual-plugins': 'The host expands a virtual plugin of a client into children.',
  'host.client.several': 'Several active clients may exist at once.',
  'host.client.duplicates': 'Among tools of one name the client that started the turn is preferred.',
});
