import type { ChatAction } from '../../../../sidecar/protocol/channels/chat/actions.ts';
import { parkedOf } from '../../../../sidecar/protocol/channels/session/parked.ts';
import type { BannerButton } from '../../contract/chat.ts';
import { attachTranscript, sendQueued } from '../chatPrompts.ts';
import type { OpenChat } from '../openChat.ts';

/**
 * Does what a person chose for a chat whose agent reached a usage limit. The message that waits leaves the queue in each case,
 * so it is not sent twice.
 * @param giveBack puts a message into the composer
 * @param addAgent called if there is no other agent to continue with
 */
export function actOnParked(
  chat: OpenChat,
  what: BannerButton,
  giveBack: (message: object) => void,
  addAgent: () => void,
): void {
  const { session, chatUri, chosen, deps, root } = chat;
  const id = chatUri === undefined ? undefined : parkedOf(session?._meta, chatUri)?.message;
  if (chatUri === undefined || id === undefined) return;
  const { turns = [], queuedMessages = [] } = chat.chat ?? {};
  const waiting = queuedMessages.find((it) => it.id === id)?.message;
  // The task itself, even if the agent was only going to be asked to continue.
  const asked = waiting?.origin.kind === 'user' ? waiting : lastAsked(turns);
  const other = root?.agents.find((it) => it.provider !== session?.provider)?.provider;
  if (what === 'act') return sendQueued(chat, id);
  if (what !== 'otherAgent' && what !== 'cancel') return;
  if (what === 'otherAgent' && other === undefined) return addAgent();
  const removed: ChatAction = { type: 'chat/pendingMessageRemoved', kind: 'queued', id };
  deps.port.dispatch(chatUri, removed);
  if (what === 'otherAgent' && other !== undefined) {
    chat.restart({ ...(chosen.folder !== undefined && { folder: chosen.folder }), provider: other });
    attachTranscript(chat, turns);
  }
  if (asked) giveBack(asked);
}

const lastAsked = (turns: NonNullable<OpenChat['chat']>['turns']) =>
  turns.findLast((it) => it.message.origin.kind === 'user')?.message;
