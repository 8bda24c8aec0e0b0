import type { ChatAction, ChatActionOf } from '../../../protocol/channels/chat/actions.ts';
import { hasFlag, status } from '../../../protocol/status.ts';
import { forgetChats, keepChats, readChats, withChats } from '../../context/attachedChats.ts';
import { holdContents } from '../../context/attachedContents.ts';
import { commitSession, turnIdOf } from '../../context/chatAccess.ts';
import { checkChatAction } from '../checkAction.ts';
import { checkContext } from '../checkContext.ts';
import { refuseGrowth } from '../checkLimits.ts';
import { guard, type HandlerDeps } from '../handlerDeps.ts';
import { playNext, resumeQueues } from '../queue.ts';
import type { ChannelHandler, Sender } from './channelHandler.ts';

/** What a chat asks is answered by those who see the question. */
const answers: ReadonlySet<string> = new Set<ChatAction['type']>([
  'chat/toolCallConfirmed',
  'chat/toolCallResultConfirmed',
  'chat/inputAnswerChanged',
  'chat/inputCompleted',
]);

export function chatHandler(deps: HandlerDeps): ChannelHandler<'chat'> {
  const { effectDeps, runtimes, sessions, turns } = deps;
  const playNextAfterTurn = (chat: string) => {
    forgetChats(effectDeps, chat);
    playNext(deps, chat);
  };
  return {
    check: (chat, action, sender) => check(deps, chat, action, sender),
    committed: {
      'chat/turnStarted': (chat, { turnId, message, queuedMessageId }, origin) => {
        sessions.restores.forget(chat);
        effectDeps.parking.leave(chat);
        turns.start(chat, turnId, withChats(effectDeps, chat, turnId, message, queuedMessageId), origin?.clientId);
      },
      'chat/turnComplete': playNextAfterTurn,
      // Who stops a turn wants nothing else to begin: what waits is paused (`host.turn.stop-holds`).
      'chat/turnCancelled': (chat, { turnId }) => {
        turns.stop(chat, turnId);
        forgetChats(effectDeps, chat);
      },
      'chat/error': (chat, { turnId }) => {
        turns.stop(chat, turnId);
        playNextAfterTurn(chat);
      },
      'chat/toolCallConfirmed': (chat, action) => turns.confirmed(chat, action),
      'chat/toolCallComplete': (chat, action) => turns.stepped(chat, action),
      'chat/toolCallResultConfirmed': (chat, action) => turns.stepped(chat, action),
      'chat/truncated': (chat, _action, origin) => {
        if (origin) sessions.restores.forget(chat);
        void guard(effectDeps, turns.cutOff(chat));
      },
      'chat/isArchivedChanged': (chat, { isArchived }) => archived(deps, chat, isArchived),
      'chat/inputCompleted': (chat, action) => complete(deps, chat, action),
      'chat/pendingMessageRemoved': (chat, { id }) => {
        forgetChats(effectDeps, chat);
        if (effectDeps.parking.withdrawn(chat, id)) playNext(deps, chat);
      },
      'chat/pendingMessageSet': (chat, { kind, id, message }, _origin, after) => {
        const isRunning = effectDeps.store.state('chat', chat)?.activeTurn !== undefined;
        if (isRunning && kind === 'steering') void guard(effectDeps, turns.steer(chat, id, message));
        // What came before the stop of its tick waits as everything does that a stop leaves waiting.
        else if (!isRunning && after.activeTurn === undefined) playNext(deps, chat, id);
      },
      'chat/workingDirectorySet': (chat) => runtimes.foldersChanged(chat),
      'chat/workingDirectoryRemoved': (chat) => runtimes.foldersChanged(chat),
    },
    subscribed: (chat, client) => resumeQueues(deps, chat, client),
  };
}

function check(deps: HandlerDeps, chat: string, action: ChatAction, sender: Sender): string | undefined {
  const { client, limits } = sender;
  const { effectDeps, runtimes, sessions } = deps;
  const session = effectDeps.store.metadata(chat)?.session ?? chat;
  // Questions of a chat show in the chat and in its session (`host.client.confirm-subscribed`).
  if (answers.has(action.type) && !client.baselines.has(chat) && !client.baselines.has(session))
    return 'subscribe to the chat or its session before you answer its questions';
  const state = effectDeps.store.state('chat', chat);
  const grown = state && refuseGrowth(action, state, limits);
  if (grown !== undefined) return grown;
  if (sessions.isLeaving(chat)) return 'this chat is being disposed of';
  const reason = state && checkChatAction(action, state, checkContext(deps, session, chat, sender));
  if (reason !== undefined) return reason;
  const missing = holdAttached(deps, session, action);
  if (missing !== undefined) return missing;
  if (action.type === 'chat/turnStarted' || action.type === 'chat/pendingMessageSet') {
    runtimes.setRequester(session, client);
    const turnId = action.type === 'chat/turnStarted' ? action.turnId : turnIdOf(action.id);
    keepChats(effectDeps, chat, turnId, readChats(effectDeps, action.message));
  }
  return undefined;
}

/** The default chat stands for its session; of another chat only the agent is let go. */
function archived({ effectDeps, runtimes, turns }: HandlerDeps, chat: string, isArchived: boolean): void {
  const { store } = effectDeps;
  const session = store.metadata(chat)?.session ?? '';
  const state = store.state('session', session);
  if (state?.defaultChat === chat && hasFlag(state.status, status.IsArchived) !== isArchived)
    commitSession(store, session, { type: 'session/isArchivedChanged', isArchived });
  if (isArchived && !turns.isRunning(chat)) void guard(effectDeps, runtimes.close(chat));
}

function holdAttached({ effectDeps }: HandlerDeps, session: string, action: ChatAction): string | undefined {
  if (action.type === 'chat/draftChanged')
    return action.draft && holdContents(effectDeps, session, action.draft, 'draft');
  if (action.type !== 'chat/turnStarted' && action.type !== 'chat/pendingMessageSet') return undefined;
  return holdContents(effectDeps, session, action.message, 'message');
}

function complete({ effectDeps, turns }: HandlerDeps, chat: string, action: ChatActionOf<'chat/inputCompleted'>): void {
  const { requestId, response } = action;
  const responseParts = effectDeps.store.state('chat', chat)?.activeTurn?.responseParts ?? [];
  const part = responseParts.find((it) => it.kind === 'inputRequest' && it.request.id === requestId);
  const answered = part?.kind === 'inputRequest' ? part.request.answers : undefined;
  turns.completed(chat, requestId, { response, answers: answered ?? {} });
}
