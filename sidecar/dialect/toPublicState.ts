import { isRecord } from '../platform/isRecord.ts';
import { withDefaultModel } from './defaultModel.ts';
import { type Json, mapList, mapMember, textOf } from './json.ts';
import type { View } from './publicClients.ts';
import { isAtLeast } from './publicVersions.ts';
import { toPublicTurn, withoutAuth } from './toPublicTurns.ts';

/** The state of a channel in the shape of the client's version. URIs are still the host's. */
export function toPublicState(channel: string, state: Json, view: View): Json {
  if (channel.startsWith('host-session:'))
    return channel.endsWith('/annotations')
      ? mapList(state, 'annotations', (it) => toPublicAnnotation(it, channel, view))
      : toPublicSession(state, view);
  if (channel.startsWith('host-chat:')) return toPublicChat(state, view);
  if (channel.startsWith('host-root:')) return toPublicRoot(state, view);
  if (channel.startsWith('host-changeset:')) return toPublicChangeset(state, view);
  if (channel.startsWith('host-terminal:')) return toPublicTerminal(state, view);
  return state;
}

function toPublicRoot(state: Json, view: View): Json {
  const agents = mapList(state, 'agents', (it) => toPublicAgent(it, view));
  return mapList(agents, 'terminals', (it) => toPublicTerminal(it, view));
}

export function toPublicAgent(agent: Json, view: View): Json {
  // VS Code takes an agent without them for one of its own, which requires a sign-in.
  const open = { protectedResources: [], ...withDefaultModel(agent) };
  const shown = mapList(open, 'customizations', (it) => toPublicCustomization(it, view));
  return mapMember(
    shown,
    'capabilities',
    ({ multipleWorkingDirectories: folders, prompts: _prompts, remote: _remote, conversations: _kept, ...others }) => {
      const capabilities = isAtLeast(view.version, 0, 7, 0)
        ? others
        : mapMember(others, 'multipleChats', ({ sideChat: _later, ...chats }) => chats);
      if (!isRecord(folders) || !isAtLeast(view.version, 0, 7, 0)) return capabilities;
      const { requiresPrimary, ...rest } = folders;
      const primary = requiresPrimary === undefined ? {} : { immutablePrimary: requiresPrimary };
      return { ...capabilities, multipleWorkingDirectories: { ...rest, ...primary } };
    },
  );
}

function toPublicSession(state: Json, view: View): Json {
  let shown = mapList(withOneFolder(state, view), 'chats', (it) => toPublicChat(it, view));
  shown = mapList(shown, 'customizations', (it) => toPublicCustomization(it, view));
  shown = mapList(shown, 'activeClients', (it) => toPublicActiveClient(it, view));
  if (isAtLeast(view.version, 0, 9, 0) && shown['lifecycle'] === 'creationFailed')
    shown = { ...shown, lifecycle: 'failed' };
  const waiting = shown['inputNeeded'];
  if (!Array.isArray(waiting)) return shown;
  const known = isAtLeast(view.version, 0, 6, 0)
    ? waiting
    : waiting.filter((it) => kindOf(it) !== 'toolAuthentication');
  if (known.length === 0) {
    const { inputNeeded: _none, ...others } = shown;
    return others;
  }
  // Since 0.8 a tool that a client runs is no question to a person.
  const asksNobody = isAtLeast(view.version, 0, 8, 0) && known.every((it) => kindOf(it) === 'toolClientExecution');
  const { status } = shown;
  return {
    ...shown,
    inputNeeded: known,
    ...(asksNobody && typeof status === 'number' && { status: (status & ~16) >>> 0 }),
  };
}

const kindOf = (request: unknown): unknown => (isRecord(request) ? request['kind'] : undefined);

/** A session, or what the list says of it: before 0.7 a session had one folder. */
export function withOneFolder(session: Json, view: View): Json {
  const folders = session['workingDirectories'];
  if (isAtLeast(view.version, 0, 7, 0) || !Array.isArray(folders) || folders.length === 0) return session;
  return { ...session, workingDirectory: folders[0] as unknown };
}

/** The changes of an entry of the list: there `null` clears a member. */
export function withOneFolderChanged(changes: Json, view: View): Json {
  const folders = changes['workingDirectories'];
  const hasNone = folders === null || (Array.isArray(folders) && folders.length === 0);
  return hasNone && !isAtLeast(view.version, 0, 7, 0)
    ? { ...changes, workingDirectory: null }
    : withOneFolder(changes, view);
}

/** A session summary, or a change of one. Before 1.0, only the session's state has its chats. */
export function withoutChats(summary: Json, view: View): Json {
  if (isAtLeast(view.version, 1, 0, 0)) return summary;
  const { chats: _later, defaultChat: _too, ...others } = summary;
  return others;
}

export function toPublicActiveClient(client: Json, view: View): Json {
  return mapList(client, 'customizations', (it) => toPublicCustomization(it, view));
}

/** A chat, what its session says of it, or what changes of that. */
export function toPublicChat(chat: Json, view: View): Json {
  let { primaryWorkingDirectory: _primary, ...shown }: Json = chat;
  if (!isAtLeast(view.version, 0, 7, 0)) {
    if (_primary !== undefined) shown = { ...shown, primaryWorkingDirectory: _primary };
    if (isRecord(shown['origin']) && shown['origin']['kind'] === 'sideChat')
      shown = { ...shown, origin: { kind: 'user' } };
  }
  shown = mapList(shown, 'turns', (it) => toPublicTurn(it, view));
  return mapMember(shown, 'activeTurn', (it) => withoutAuth(it, view));
}

/** A changeset, or the action that changes its status. Before 1.0, `recomputing` does not exist. */
export function toPublicChangeset(changeset: Json, view: View): Json {
  const isLater = changeset['status'] === 'recomputing' && !isAtLeast(view.version, 1, 0, 0);
  return isLater ? { ...changeset, status: 'computing' } : changeset;
}

/** A terminal, or what the root says of it. What ended is known by its exit code alone. */
export function toPublicTerminal(terminal: Json, view: View): Json {
  if (!isAtLeast(view.version, 0, 9, 0)) return terminal;
  const { exitCode, ...others } = mapMember(terminal, 'claim', (it) => toPublicClaim(it, view));
  const lifecycle = exitCode === undefined ? { status: 'running' } : { status: 'exited', exitCode };
  return { ...others, lifecycle };
}

/** Since 0.9 a session's claim names the chat that uses the terminal: the one that people speak to, if none is said. */
export function toPublicClaim(claim: Json, view: View): Json {
  if (!isAtLeast(view.version, 0, 9, 0) || claim['kind'] !== 'session' || claim['chat'] !== undefined) return claim;
  const chat = view.defaultChats.get(textOf(claim, 'session') ?? '');
  return chat === undefined ? claim : { ...claim, chat };
}

/** @param channel of the annotations */
export function toPublicAnnotation(annotation: Json, channel: string, view: View): Json {
  const turnId = textOf(annotation, 'turnId');
  if (!isAtLeast(view.version, 0, 9, 0) || turnId === undefined) return annotation;
  const { turnId: _now, origin, ...others } = annotation;
  const session = channel.slice(0, -'/annotations'.length);
  // An older client may have moved it to another turn since: what it said counts.
  const isStill = isRecord(origin) && (textOf(origin, 'turnId') ?? '') === turnId;
  return { ...others, origin: isStill ? origin : { session, ...(turnId !== '' && { turnId }) } };
}

/** Since 0.8 what is turned on or off says by whom. */
export function toPublicCustomization(customization: Json, view: View): Json {
  const shown = mapList(customization, 'children', (it) => toPublicCustomization(it, view));
  const { type, enabled, enablement } = shown;
  if (!isAtLeast(view.version, 0, 8, 0) && enablement !== undefined) {
    const { enablement: _later, ...others } = shown;
    return others;
  }
  const isScoped = isAtLeast(view.version, 0, 8, 0) && (type === 'plugin' || type === 'mcpServer');
  return isScoped && enabled === false && enablement === undefined ? { ...shown, ...toEnablement(false) } : shown;
}

export function toEnablement(enabled: boolean): { enablement: readonly { kind: string; enabled: boolean }[] } {
  return { enablement: enabled ? [] : [{ kind: 'session', enabled: false }] };
}
