import type { ChatSummary } from '../../../../sidecar/protocol/channels/chat/schema.ts';
import type { AgentInfo } from '../../../../sidecar/protocol/channels/root/schema.ts';
import type { SessionState } from '../../../../sidecar/protocol/channels/session/schema.ts';
import { activityOf, hasFlag, status } from '../../../../sidecar/protocol/status.ts';
import { visibleText } from '../../../../sidecar/protocol/visibleText.ts';
import type { ChatHead, ChatTab } from '../../contract/chatModel.ts';
import type { OpenChat } from '../openChat.ts';

/** What the page says of the chats beside the one that it shows. Of one chat alone nothing. */
export function toChats(
  session: SessionState | undefined,
  agent: AgentInfo | undefined,
  shown: string | undefined,
): Pick<ChatHead, 'chat' | 'chats' | 'canAddChat' | 'canAskBeside'> {
  if (!session || shown === undefined) return {};
  const { multipleChats } = agent?.capabilities ?? {};
  const tabs = session.chats
    .filter((it) => it.interactivity !== 'hidden')
    .map((it) => toTab(it, session, it.resource === shown));
  return {
    chat: shown,
    ...(tabs.length > 1 && { chats: tabs }),
    ...(multipleChats && session.lifecycle === 'ready' && { canAddChat: true as const }),
    ...(multipleChats?.sideChat && { canAskBeside: true as const }),
  };
}

/** Whoever answers in this chat; `undefined` until the host said so. */
export function agentOf({ root, session }: Pick<OpenChat, 'root' | 'session'>): AgentInfo | undefined {
  return root?.agents.find((it) => it.provider === session?.provider);
}

export function canAskBeside(chat: Pick<OpenChat, 'root' | 'session' | 'chatUri'>): boolean {
  return toChats(chat.session, agentOf(chat), chat.chatUri).canAskBeside === true;
}

function toTab(chat: ChatSummary, { title, defaultChat }: SessionState, isShown: boolean): ChatTab {
  const isMain = chat.resource === defaultChat;
  const state = chatState(chat.status);
  const isBusy = state === 'working' || state === 'needsYou';
  return {
    id: chat.resource,
    title: visibleText(chat.title || (isMain ? title : '')),
    state,
    ...(isMain && { isMain: true as const }),
    ...(chat.origin?.kind === 'sideChat' && { isBeside: true as const }),
    ...(!isShown && !isBusy && !hasFlag(chat.status, status.IsRead) && { isUnread: true as const }),
    // A finished sub-agent has no tab.
    ...(!isMain &&
      !isShown &&
      !isBusy &&
      (hasFlag(chat.status, status.IsArchived) || chat.origin?.kind === 'tool') && { isClosed: true as const }),
  };
}

/** The state of a chat, from its status. */
export function chatState(value: number): ChatTab['state'] {
  switch (activityOf(value)) {
    case status.InputNeeded:
      return 'needsYou';
    case status.InProgress:
      return 'working';
    case status.Error:
      return 'failed';
    default:
      return 'idle';
  }
}
