import type { ChatAction, ChatActionOf } from '../../../protocol/channels/chat/actions.ts';
import { forgetChats, keepChats, readChats, withChats } from '../../context/attachedChats.ts';
import { turnIdOf } from '../../context/chatAccess.ts';
import { checkChatAction } from '../checkAction.ts';
import { checkContext } from '../checkContext.ts';
import { refuseGrowth } from '../checkLimits.ts';
import { guard, type Parts } from '../parts.ts';
import { playNext, resumeQueues } from '../queue.ts';
import type { ChannelHandler, Sender } from './channelHandler.ts';

/** What a chat asks is answered by those who see the question. */
const answers: ReadonlySet<string> = new Set<ChatAction['type']>([
  'chat/toolCallConfirmed',
  'chat/toolCallResultConfirmed',
  'chat/inputAnswerChanged',
  'chat/inputCompleted',
]);

export function chatHandler(parts: Parts): ChannelHandler<'chat'> {
  const { deps, runtimes, turns } = parts;
  const playNextAfterTurn = (chat: string) => {
    forgetChats(deps, chat);
    playNext(parts, chat);
  };
  const stop = (chat: string, { turnId }: { readonly turnId: string }) => {
    turns.stop(chat, turnId);
    playNextAfterTurn(chat);
  };
  return {
    check: (chat, action, sender) => check(parts, chat, action, sender),
    committed: {
      'chat/turnStarted': (chat, { turnId, message, queuedMessageId }, origin) =>
        turns.start(chat, turnId, withChats(deps, chat, turnId, message, queuedMessageId), origin?.clientId),
      'chat/turnComplete': playNextAfterTurn,
      'chat/turnCancelled': stop,
      'chat/error': stop,
      'chat/toolCallConfirmed': (chat, action) => turns.confirmed(chat, action),
      'chat/toolCallComplete': (chat, action) => turns.stepped(chat, action),
      'chat/toolCallResultConfirmed': (chat, action) => turns.stepped(chat, action),
      'chat/truncated': (chat) => void guard(deps, turns.cutOff(chat)),
      'chat/inputCompleted': (chat, action) => complete(parts, chat, action),
      'chat/pendingMessageRemoved': (chat) => forgetChats(deps, chat),
      'chat/pendingMessageSet': (chat, { kind, id, message }) => {
        if (deps.store.state('chat', chat)?.activeTurn === undefined) playNext(parts, chat);
        else if (kind === 'steering') void guard(deps, turns.steer(chat, id, message.text));
      },
      'chat/workingDirectorySet': (chat) => runtimes.foldersChanged(chat),
      'chat/workingDirectoryRemoved': (chat) => runtimes.foldersChanged(chat),
    },
    subscribed: (chat, client) => resumeQueues(parts, chat, client),
  };
}

function check(parts: Parts, chat: string, action: ChatAction, { client, limits }: Sender): string | undefined {
  const { deps, runtimes, sessions } = parts;
  const session = deps.store.metadata(chat)?.session ?? chat;
  // Questions of a chat show in the chat and in its session (`host.client.confirm-subscribed`).
  if (answers.has(action.type) && !client.baselines.has(chat) && !client.baselines.has(session))
    return 'subscribe to the chat or its session before you answer what it asks';
  const state = deps.store.state('chat', chat);
  const grown = state && refuseGrowth(action, state, limits);
  if (grown !== undefined) return grown;
  if (sessions.isLeaving(chat)) return 'this chat is being disposed of';
  const reason = state && checkChatAction(action, state, checkContext(parts, session, chat, client));
  if (reason !== undefined) return reason;
  if (action.type === 'chat/turnStarted' || action.type === 'chat/pendingMessageSet') {
    runtimes.setAsker(session, client);
    const turnId = action.type === 'chat/turnStarted' ? action.turnId : turnIdOf(action.id);
    keepChats(deps, chat, turnId, readChats(deps, action.message));
  }
  return undefined;
}

function complete({ deps, turns }: Parts, chat: string, action: ChatActionOf<'chat/inputCompleted'>): void {
  const { requestId, response } = action;
  const parts = deps.store.state('chat', chat)?.activeTurn?.responseParts ?? [];
  const part = parts.find((it) => it.kind === 'inputRequest' && it.request.id === requestId);
  const answered = part?.kind === 'inputRequest' ? part.request.answers : undefined;
  turns.completed(chat, requestId, { response, answers: answered ?? {} });
}
