import type { ChatAction, ChatActionOf } from '../../protocol/channels/chat/actions.ts';
import type { SessionAction, SessionState } from '../../protocol/channels/session/schema.ts';
import { capabilitiesOf } from '../agents/capabilities.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import { isRoot } from '../context/folders/workingFolders.ts';
import { pathOf } from '../context/paths.ts';
import type { Store } from '../state/store.ts';
import type { Change, Derived } from '../state/typedChannels.ts';

type Kind = 'workingDirectorySet' | 'workingDirectoryRemoved';
export type DirectoryAction =
  | Extract<SessionAction, { type: `session/${Kind}` }>
  | Extract<ChatAction, { type: `chat/${Kind}` }>;

/**
 * Why a client may not change the folders of a session or chat so (host.rule.directories); `undefined` when it
 * may. What is there already, or is not, is no reason.
 */
export function refuseDirectory(
  { store }: Pick<EffectDeps, 'store'>,
  requester: Requester,
  channel: string,
  action: DirectoryAction,
): string | undefined {
  const session = store.state('session', store.metadata(channel)?.session ?? channel);
  if (!session) return 'session not found';
  if (!capabilitiesOf({ store }, session.provider).multipleWorkingDirectories)
    return 'this agent supports only one folder, which was chosen when the session was created';
  if (requester.window?.trusted === false) return 'Trust this folder to change where agents work.';
  switch (action.type) {
    case 'session/workingDirectorySet':
      return isFolder(action.directory) ? undefined : 'directory: not the URI of a folder';
    case 'session/workingDirectoryRemoved':
      return session.chats.some((it) => it.primaryWorkingDirectory === action.directory) ? FIXED : undefined;
    default:
      return refuseForChat(store, channel, session, action);
  }
}

function isFolder(uri: string): boolean {
  const path = pathOf(uri);
  return path !== undefined && path !== '' && !isRoot(path);
}

const FIXED = "directory: a chat's primary folder cannot be removed";

function refuseForChat(
  store: Store,
  chat: string,
  { workingDirectories = [] }: SessionState,
  { type, directory }: ChatActionOf<`chat/${Kind}`>,
): string | undefined {
  const { workingDirectories: own, primaryWorkingDirectory: primary } = store.state('chat', chat) ?? {};
  if (type === 'chat/workingDirectoryRemoved') return directory === primary ? FIXED : undefined;
  if (!workingDirectories.includes(directory)) return "directory: must be one of the session's folders";
  // The first folder that a chat gets becomes its whole list: without the primary folder that would narrow the chat.
  return !own && primary !== undefined && primary !== directory
    ? "directory: set the chat's primary folder first"
    : undefined;
}

/** What leaves a session leaves the subsets of its chats in the same breath. */
export function narrowChats({ kind, before, action }: Change): Derived[] {
  if (kind !== 'session' || action.type !== 'session/workingDirectoryRemoved') return [];
  const { directory } = action;
  const chats = before.chats.filter((it) => it.workingDirectories?.includes(directory));
  return chats.map((it) => ({
    channel: it.resource,
    action: { type: 'chat/workingDirectoryRemoved', directory },
  }));
}

/** The chats whose agent has other folders after `action`. */
export function chatsThatMoved(store: Store, channel: string, action: DirectoryAction): readonly string[] {
  switch (action.type) {
    case 'session/workingDirectorySet':
    case 'session/workingDirectoryRemoved':
      return (store.state('session', channel)?.chats ?? [])
        .filter((it) => !it.workingDirectories)
        .map((it) => it.resource);
    case 'chat/workingDirectorySet':
    case 'chat/workingDirectoryRemoved':
      return [channel];
    default:
      return [];
  }
}
