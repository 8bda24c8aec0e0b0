import { promisedBy } from '../promised.ts';

// Every action type of the protocol. The reducer fixtures that use one cite it.

export const rootActions = promisedBy('host completion, Actions of the root', {
  'host.action.root/agentsChanged': 'Replaces the agents.',
  'host.action.root/activeSessionsChanged': 'Replaces the count of sessions.',
  'host.action.root/terminalsChanged': 'Replaces the list of terminals.',
  'host.action.root/configChanged': 'Merges or replaces the values, where there is a configuration.',
});

export const sessionActions = promisedBy('host completion, Actions of a session', {
  'host.action.session/ready': 'Ends the creation, and leaves the status alone.',
  'host.action.session/creationFailed': 'Keeps the error of a failed creation.',
  'host.action.session/chatAdded': 'Adds a chat, or replaces it in its place.',
  'host.action.session/chatRemoved': 'Removes a chat, and the pointer to it.',
  'host.action.session/chatUpdated': 'Merges changes of a chat, its resource apart.',
  'host.action.session/defaultChatChanged': 'Sets or clears the default chat.',
  'host.action.session/titleChanged': 'Replaces the title.',
  'host.action.session/isReadChanged': 'Sets or clears the flag IsRead.',
  'host.action.session/isArchivedChanged': 'Sets or clears the flag IsArchived.',
  'host.action.session/activityChanged': 'Replaces or clears the activity.',
  'host.action.session/changesetsChanged': 'Replaces or removes the changesets.',
  'host.action.session/serverToolsChanged': 'Replaces the tools of the host.',
  'host.action.session/activeClientSet': 'Adds a client, or replaces its whole entry.',
  'host.action.session/activeClientRemoved': 'Removes a client.',
  'host.action.session/workingDirectorySet': 'Appends a directory that is missing.',
  'host.action.session/workingDirectoryRemoved': 'Removes a directory, also the last.',
  'host.action.session/inputNeededSet': 'Sets a request by its id, and the activity InputNeeded.',
  'host.action.session/inputNeededRemoved': 'Removes a request, and with the last one the list and its bit.',
  'host.action.session/customizationsChanged': 'Replaces the whole list.',
  'host.action.session/customizationToggled': 'Sets enabled on the first match, at the top or among children.',
  'host.action.session/customizationUpdated': 'Sets a top-level entry with its children.',
  'host.action.session/customizationRemoved': 'Removes a top-level entry, else every child with that id.',
  'host.action.session/mcpServerStateChanged': 'Sets the state and the channel of an MCP server.',
  'host.action.session/mcpServerStartRequested': 'Shows the server as starting.',
  'host.action.session/mcpServerStopRequested': 'Shows the server as stopped, and as enabled as it was.',
  'host.action.session/configChanged': 'Merges or replaces the values, where there is a configuration.',
  'host.action.session/metaChanged': 'Replaces or clears the metadata.',
});

export const chatActions = promisedBy('host completion, Actions of a chat', {
  'host.action.chat/turnStarted': 'Starts a fresh turn, and takes the pending message of that id.',
  'host.action.chat/delta': 'Appends to a markdown part.',
  'host.action.chat/reasoning': 'Appends to a reasoning part.',
  'host.action.chat/responsePart': 'Appends a part.',
  'host.action.chat/usage': 'Replaces the usage of the turn.',
  'host.action.chat/turnComplete': 'Ends the turn as complete.',
  'host.action.chat/turnCancelled': 'Ends the turn as cancelled.',
  'host.action.chat/error': 'Ends the turn with an error, which shows.',
  'host.action.chat/isReadChanged': 'Sets or clears the flag IsRead of this chat alone.',
  'host.action.chat/isArchivedChanged': 'Sets or clears the flag IsArchived of this chat alone.',
  'host.action.chat/activityChanged': 'Replaces or clears the activity.',
  'host.action.chat/workingDirectorySet': 'Appends a directory; a chat that inherits gets a subset of one.',
  'host.action.chat/workingDirectoryRemoved': 'Removes a directory; the last one leaves none.',
  'host.action.chat/toolCallStart': 'Starts a call that streams.',
  'host.action.chat/toolCallDelta': 'Appends to the input of a call that streams.',
  'host.action.chat/toolCallReady': 'Makes a call run, or wait for a confirmation.',
  'host.action.chat/toolCallConfirmed': 'Lets a call run, or cancels it.',
  'host.action.chat/toolCallComplete': 'Completes a call, or makes its result wait for a confirmation.',
  'host.action.chat/toolCallResultConfirmed': 'Completes a call, or drops its result.',
  'host.action.chat/toolCallContentChanged': 'Replaces the output of a running call.',
  'host.action.chat/toolCallAuthRequired': 'Makes a call of an MCP server wait for a token.',
  'host.action.chat/toolCallAuthResolved': 'Lets that call run on.',
  'host.action.chat/inputRequested': 'Asks a question, or asks it again with its drafts.',
  'host.action.chat/inputAnswerChanged': 'Sets or deletes a draft answer.',
  'host.action.chat/inputCompleted': 'Merges the answers and sets the response.',
  'host.action.chat/truncated': 'Drops what comes after a turn, or everything.',
  'host.action.chat/turnsLoaded': 'Puts older turns in front.',
  'host.action.chat/pendingMessageSet': 'Sets the steering message, or queues a message.',
  'host.action.chat/pendingMessageRemoved': 'Removes a pending message.',
  'host.action.chat/queuedMessagesReordered': 'Orders the queue anew.',
  'host.action.chat/draftChanged': 'Sets or clears the draft.',
});

export const changesetActions = promisedBy('host completion, Actions of a changeset', {
  'host.action.changeset/statusChanged': 'Replaces the status; the error only with an error.',
  'host.action.changeset/fileSet': 'Sets a file by its id.',
  'host.action.changeset/fileRemoved': 'Removes a file.',
  'host.action.changeset/filesReviewChanged': 'Sets the flag on the listed files.',
  'host.action.changeset/contentChanged': 'Replaces files, given operations and the error.',
  'host.action.changeset/operationsChanged': 'Replaces or removes the operations.',
  'host.action.changeset/operationStatusChanged': 'Sets the status of an operation.',
  'host.action.changeset/cleared': 'Drops the files.',
});

export const annotationsActions = promisedBy('host completion, Actions of annotations', {
  'host.action.annotations/set': 'Sets an annotation by its id.',
  'host.action.annotations/updated': 'Overwrites the members that are given.',
  'host.action.annotations/removed': 'Removes an annotation.',
  'host.action.annotations/entrySet': 'Sets an entry by its id.',
  'host.action.annotations/entryRemoved': 'Removes an entry.',
});

export const terminalActions = promisedBy('host completion, Actions of a terminal', {
  'host.action.terminal/data': 'Appends to the running command, else to what belongs to nobody.',
  'host.action.terminal/input': 'Changes no state.',
  'host.action.terminal/resized': 'Replaces the size.',
  'host.action.terminal/claimed': 'Replaces the claim.',
  'host.action.terminal/titleChanged': 'Replaces the title.',
  'host.action.terminal/cwdChanged': 'Replaces the directory.',
  'host.action.terminal/exited': 'Replaces the exit code.',
  'host.action.terminal/cleared': 'Drops the content.',
  'host.action.terminal/commandDetectionAvailable': 'Says that commands are detected.',
  'host.action.terminal/commandExecuted': 'Appends a command.',
  'host.action.terminal/commandFinished': 'Marks the command complete.',
});

export const resourceWatchActions = promisedBy('host completion, Actions of a resource watch', {
  'host.action.resourceWatch/changed': 'Changes no state.',
});
