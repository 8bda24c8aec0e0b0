import * as actions from './host/actions.ts';
import { agents, cloudSessions, remoteAgents } from './host/agents.ts';
import { authentication, versioning } from './host/authentication.ts';
import { authors, changes, ownTrees } from './host/changes.ts';
import { clientIdentity } from './host/clientIdentity.ts';
import { commands, completedCommands, rules } from './host/commands.ts';
import { configuration } from './host/configuration.ts';
import { content, snapshot, usageAndErrors } from './host/content.ts';
import { customizations } from './host/customizations.ts';
import { editor } from './host/editor.ts';
import { completedErrors, errors } from './host/errors.ts';
import { events } from './host/events.ts';
import { folders } from './host/folders.ts';
import { inputRequests } from './host/inputRequests.ts';
import { elsewhere, firstMoments, handshakes, messages, processes, storage, turns } from './host/messages.ts';
import { icon, protectedResource } from './host/metadata.ts';
import { dial, modes, sandbox } from './host/modes.ts';
import { capabilities, models, rootState } from './host/root.ts';
import { service } from './host/service.ts';
import { clients, sessionMetadata, sessionState, summary } from './host/session.ts';
import { moves, states } from './host/states.ts';
import { tools } from './host/tools.ts';
import { transfer } from './host/transfer.ts';

/** Section by section of the host specification, in its order; with them the commands, actions and errors that complete it. */
export const hostRequirements = [
  service,
  agents,
  remoteAgents,
  cloudSessions,
  protectedResource,
  icon,
  configuration,
  content,
  usageAndErrors,
  snapshot,
  rootState,
  capabilities,
  models,
  sessionMetadata,
  sessionState,
  summary,
  clients,
  inputRequests,
  tools,
  customizations,
  states,
  moves,
  commands,
  completedCommands,
  rules,
  authentication,
  events,
  actions.rootActions,
  actions.sessionActions,
  actions.chatActions,
  actions.changesetActions,
  changes,
  actions.annotationsActions,
  actions.terminalActions,
  actions.resourceWatchActions,
  errors,
  completedErrors,
  versioning,
  messages,
  dial,
  modes,
  sandbox,
  editor,
  transfer,
  authors,
  ownTrees,
  elsewhere,
  processes,
  firstMoments,
  handshakes,
  storage,
  turns,
  folders,
  clientIdentity,
] as const;
