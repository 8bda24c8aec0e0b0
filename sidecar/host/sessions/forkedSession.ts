import { Fault } from '../../platform/faults.ts';
import type { ChatState, Turn } from '../../protocol/channels/chat/schema.ts';
import type { CreateSessionParams } from '../../protocol/commands.ts';
import type { ConfigValues } from '../../protocol/configSchemas.ts';
import type { ChosenFolders } from '../agents/capabilities.ts';
import { inheritable } from '../agents/modes/askingModes.ts';
import { inherited, turnsThrough } from '../context/chatSources.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/** What a session that begins with another's turns has of it. */
export interface ForkedSession {
  /** Absent: any agent. */
  readonly provider: string | undefined;
  /** It comes from a file: its turns are all that its agent has of it. */
  readonly isImported: boolean;
  readonly title: string;
  readonly folders: ChosenFolders;
  readonly config: ConfigValues | undefined;
  readonly origin: { readonly kind: 'fork'; readonly chat: string; readonly turnId: string };
  /** For its default chat. */
  readonly chat: Partial<ChatState> & { readonly turns: Turn[] };
  /** Contents that the copied turns refer to stay for as long as the new session does. In the transaction of its making. */
  keepContents(session: string): void;
}

/**
 * A copy up to the response of a finished turn, whichever chat of the session ran it; folders are inherited. Copied turns
 * keep their ids: an id names a turn within its chat, not in all chats.
 * @throws {Fault} `session_not_found`, `invalid_params`
 */
export function forkedSession(
  deps: Pick<EffectDeps, 'store' | 'storage'>,
  { session, turnId }: NonNullable<CreateSessionParams['fork']>,
  provider: string | undefined,
): ForkedSession {
  const source = deps.store.state('session', session);
  if (!source) throw new Fault('session_not_found', 'fork.session: session not found');
  // A session from a file has no agent and no folder here: whoever goes on with it chooses both.
  const isImported = source._meta?.['imported'] !== undefined;
  if (!isImported && provider !== undefined && provider !== source.provider)
    throw new Fault('invalid_params', 'provider: a fork must use the same agent as the original session');
  for (const { resource: chat } of source.chats) {
    const turns = turnsThrough(deps, chat, turnId);
    const state = deps.store.state('chat', chat);
    if (!turns || !state) continue;
    const origin = { kind: 'fork', chat, turnId } as const;
    const { primaryWorkingDirectory, title, ...ofChat } = inherited(state);
    return {
      provider: isImported ? provider : source.provider,
      isImported,
      title: source.title,
      folders: {
        workingDirectories: source.workingDirectories ?? [],
        ...(primaryWorkingDirectory !== undefined && { primaryWorkingDirectory }),
      },
      config: source.config && inheritable(source.config),
      origin,
      chat: { ...ofChat, ...(title !== undefined && { title }), turns, origin },
      keepContents(fork) {
        const { small } = deps.storage;
        for (const { sha, size } of small.contentOf(session)) small.rememberContent(fork, sha, size);
      },
    };
  }
  throw new Fault('invalid_params', 'fork.turnId: finished turn not found');
}
