import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const rootState = promisedBy(`${document}, Root state`, {
  'host.root.agents': 'agents are the available agent backends; required.',
  'host.root.active-sessions': 'activeSessions is the count of sessions that are not disposed.',
  'host.root.terminals': 'terminals are those the server knows; their full state comes from their own channels.',
  'host.root.config': 'config is the configuration schema of the host with current values.',
  'host.root.meta': '_meta is free metadata about the host.',
  'host.agent.provider': 'An agent has its provider id; required.',
  'host.agent.display-name': 'An agent has a displayName; required.',
  'host.agent.description': 'An agent has a description; required.',
  'host.agent.models': 'An agent has its models; required.',
  'host.agent.protected-resources': 'An agent lists the resources that need authentication for it.',
  'host.agent.customizations': 'An agent lists the customizations it ships or watches.',
  'host.agent.customizations-propagated':
    'The customizations of an agent are propagated to each new session with that agent.',
  'host.agent.capabilities': 'An agent declares its capabilities.',
});

export const capabilities = promisedBy(`${document}, AgentCapabilities`, {
  'host.capability.presence': 'A capability that is present, if only as an empty object, is supported.',
  'host.capability.absence': 'The commands of an absent capability MUST NOT be used.',
  'host.capability.multiple-chats': 'Without multipleChats, createChat MUST NOT open chats beyond the default chat.',
  'host.capability.directories-fixed':
    'Without multipleWorkingDirectories, clients MUST NOT change the directories of a session or chat.',
  'host.capability.directories-one':
    'Without multipleWorkingDirectories, clients MUST NOT create a session with more than one directory.',
  'host.capability.fork': 'Without fork, a source of kind fork MUST NOT be passed to createChat.',
  'host.capability.fork-implies': 'fork implies multiple chats.',
  'host.capability.side-chat': 'Without sideChat, a source of kind sideChat MUST NOT be passed to createChat.',
  'host.capability.side-chat-implies': 'sideChat implies multiple chats.',
  'host.side-chat.context': 'A side chat has the source turn as context, and not its transcript as visible history.',
  'host.side-chat.turn-id': 'The source is a stable turnId, looked up in the active turn or the retained history.',
  'host.side-chat.active-turn': 'From an active turn the host takes the partial response there is at creation.',
  'host.primary.per-chat': 'With requiresPrimary each chat designates one of its directories, fixed at its creation.',
  'host.primary.supplied':
    'Clients supply primaryWorkingDirectory with createChat, and with session creation for the default chat.',
  'host.primary.omitted': 'The host rejects a creation without it, or takes the first directory of the chat.',
  'host.primary.reported': 'The chosen primary is reported read-only in ChatState.primaryWorkingDirectory.',
  'host.primary.absent': 'Without requiresPrimary there is no primary, and all directories are equal.',
});

export const models = promisedBy(`${document}, SessionModelInfo`, {
  'host.model.id': 'A model has an id; required.',
  'host.model.provider': 'A model has its provider; required.',
  'host.model.name': 'A model has a name; required.',
  'host.model.context-window': 'A model may say its maxContextWindow.',
  'host.model.output-tokens': 'A model may say its maxOutputTokens.',
  'host.model.prompt-tokens': 'A model may say its maxPromptTokens.',
  'host.model.vision': 'A model may say whether it supportsVision.',
  'host.model.policy': 'A model may have a policyState.',
  'host.model.config-schema': 'A model may have options, rendered as a form whose values go into the selection.',
  'host.model.meta': 'A model may have metadata, for example pricing.',
  'host.model.selection-id': 'A selection has the id of a model; required.',
  'host.model.selection-config': 'The config of a selection is passed through as given: strings, numbers, booleans.',
});
