import { assertNever, removeWhere, setOrClear, upsertBy, without } from '../../collections.ts';
import { mergeConfigValues } from '../../configSchemas.ts';
import { status, withActivity, withFlag } from '../../status.ts';
import type { ChatSummary, ChatSummaryChanges } from '../chat/schema.ts';
import {
  removeCustomization,
  setCustomization,
  setMcpServerState,
  toggleCustomization,
} from './customizationReducer.ts';
import type { SessionAction, SessionState } from './schema.ts';

/**
 * Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. What no action carries (Idle,
 * InProgress, Error) is the business of `settleSession`, which host and mirror run afterwards.
 */
export function reduceSession(state: SessionState, action: SessionAction): SessionState {
  switch (action.type) {
    case 'session/ready':
      return setOrClear(state, 'lifecycle', 'ready');
    case 'session/creationFailed':
      return setOrClear(setOrClear(state, 'lifecycle', 'creationFailed'), 'creationError', action.error);
    case 'session/chatAdded':
      return setOrClear(
        state,
        'chats',
        upsertBy(state.chats, action.summary, (it) => it.resource),
      );
    case 'session/chatRemoved': {
      const chats = removeWhere(state.chats, (it) => it.resource === action.chat);
      if (chats === state.chats) return state;
      return { ...(state.defaultChat === action.chat ? without(state, 'defaultChat') : state), chats };
    }
    case 'session/chatUpdated':
      return updateChat(state, action.chat, action.changes);
    case 'session/defaultChatChanged':
      return setOrClear(state, 'defaultChat', action.defaultChat);
    case 'session/titleChanged':
      return setOrClear(state, 'title', action.title);
    case 'session/isReadChanged':
      return setOrClear(state, 'status', withFlag(state.status, status.IsRead, action.isRead));
    case 'session/isArchivedChanged':
      return setOrClear(state, 'status', withFlag(state.status, status.IsArchived, action.isArchived));
    case 'session/activityChanged':
      return setOrClear(state, 'activity', action.activity);
    case 'session/changesetsChanged':
      return setOrClear(state, 'changesets', action.changesets);
    case 'session/serverToolsChanged':
      return setOrClear(state, 'serverTools', action.tools);
    case 'session/activeClientSet':
      return setOrClear(
        state,
        'activeClients',
        upsertBy(state.activeClients, action.activeClient, (it) => it.clientId),
      );
    case 'session/activeClientRemoved': {
      const activeClients = removeWhere(state.activeClients, (it) => it.clientId === action.clientId);
      return setOrClear(state, 'activeClients', activeClients);
    }
    case 'session/workingDirectorySet': {
      const directories = state.workingDirectories ?? [];
      if (directories.includes(action.directory)) return state;
      return { ...state, workingDirectories: [...directories, action.directory] };
    }
    case 'session/workingDirectoryRemoved': {
      if (!state.workingDirectories) return state;
      const left = removeWhere(state.workingDirectories, (it) => it === action.directory);
      return setOrClear(state, 'workingDirectories', left);
    }
    case 'session/inputNeededSet': {
      const inputNeeded = upsertBy(state.inputNeeded ?? [], action.request, (it) => it.id);
      const asked = setOrClear(state, 'inputNeeded', inputNeeded);
      return setOrClear(asked, 'status', withActivity(state.status, status.InputNeeded));
    }
    case 'session/inputNeededRemoved':
      return removeInputNeeded(state, action.id);
    case 'session/customizationsChanged':
      return setOrClear(state, 'customizations', action.customizations);
    case 'session/customizationToggled':
      return toggleCustomization(state, action.id, action.enabled, action.enablement);
    case 'session/customizationUpdated':
      return setCustomization(state, action.customization);
    case 'session/customizationRemoved':
      return removeCustomization(state, action.id);
    case 'session/mcpServerStateChanged':
      return setMcpServerState(state, action.id, action.state, action.channel);
    case 'session/mcpServerStartRequested':
      return setMcpServerState(state, action.id, { kind: 'starting' });
    case 'session/mcpServerStopRequested':
      return setMcpServerState(state, action.id, { kind: 'stopped' });
    case 'session/configChanged': {
      if (!state.config) return state;
      const values = mergeConfigValues(state.config.values, action.config, action.replace);
      return values === state.config.values ? state : { ...state, config: { ...state.config, values } };
    }
    case 'session/metaChanged':
      return setOrClear(state, '_meta', action._meta);
    default:
      return assertNever(action);
  }
}

function updateChat(state: SessionState, chat: string, changes: ChatSummaryChanges): SessionState {
  const at = state.chats.findIndex((it) => it.resource === chat);
  const before = state.chats[at];
  if (!before) return state;
  const after = Object.entries(changes).reduce<ChatSummary>((summary, [key, value]) => {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the schema judged keys and values together
    return key === 'resource' ? summary : setOrClear(summary, key as keyof ChatSummary, (value ?? undefined) as never);
  }, before);
  return after === before ? state : { ...state, chats: state.chats.with(at, after) };
}

const NEEDS_INPUT_BIT = 16;

function removeInputNeeded(state: SessionState, id: string): SessionState {
  if (!state.inputNeeded) return state;
  const left = removeWhere(state.inputNeeded, (it) => it.id === id);
  if (left === state.inputNeeded) return state;
  if (left.length > 0) return { ...state, inputNeeded: left };
  return { ...without(state, 'inputNeeded'), status: withFlag(state.status, NEEDS_INPUT_BIT, false) };
}
