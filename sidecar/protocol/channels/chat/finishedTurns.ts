import { status } from '../../status.ts';
import { chatUri } from '../../uris.ts';
import type { ChatAction } from './actions.ts';
import { reduceChat } from './reducer.ts';
import type { ChatState, Turn } from './schema.ts';

/**
 * The turns that actions make of an empty chat, from `chat/turnStarted` to `chat/turnComplete` each.
 *
 * @param now ISO 8601
 */
export function finishedTurns(actions: Iterable<ChatAction>, now: string): Turn[] {
  let chat: ChatState = {
    resource: chatUri('earlier'),
    title: '',
    status: status.Idle | status.IsRead,
    modifiedAt: now,
    turns: [],
  };
  for (const action of actions) chat = reduceChat(chat, action, { now });
  return chat.turns;
}
