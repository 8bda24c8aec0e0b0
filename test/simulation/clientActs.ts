import type { ChatState } from '../../sidecar/protocol/channels/chat/schema.ts';
import type { AnyAction } from '../../sidecar/protocol/envelope.ts';
import type { Random } from '../fuzz/random.ts';

export interface Act {
  readonly channel: string;
  readonly action: AnyAction;
}

const user = (text: string) => ({ text, origin: { kind: 'user' } });

/** Something that a person could do now, or could have done before the window heard of the last change. */
export function actOf(random: Random, shown: unknown, chat: string, session: string, clientId: string): Act {
  const state = shown as ChatState | undefined;
  const on = (channel: string, action: object): Act => ({ channel, action: action as AnyAction });
  const turn = state?.activeTurn;
  switch (random.below(12)) {
    case 0:
    case 1:
      return on(chat, { type: 'chat/turnStarted', turnId: random.id(), message: user(random.id()) });
    case 2:
      return on(chat, {
        type: 'chat/pendingMessageSet',
        kind: pendingKind(random),
        id: random.id(),
        message: user('more'),
      });
    case 3: {
      const { id } = state?.queuedMessages?.[0] ?? { id: 'none' };
      return on(chat, { type: 'chat/pendingMessageRemoved', kind: 'queued', id });
    }
    case 4:
      return on(chat, { type: 'chat/draftChanged', ...(random.chance(0.7) && { draft: user(random.id()) }) });
    case 5:
      return on(session, { type: 'session/titleChanged', title: random.id() });
    case 6:
      return on(session, { type: 'session/isReadChanged', isRead: random.chance(0.5) });
    case 7:
      return on(session, { type: 'session/activeClientSet', activeClient: { clientId, tools: [] } });
    case 8:
      return on(chat, { type: 'chat/turnCancelled', turnId: turn?.id ?? 'none', duration: 1 });
    default:
      return answer(random, state, on, chat);
  }
}

const pendingKind = (random: Random) => (random.chance(0.8) ? 'queued' : 'steering');

/** To the first question that waits. */
function answer(
  random: Random,
  state: ChatState | undefined,
  on: (channel: string, action: object) => Act,
  chat: string,
): Act {
  const turn = state?.activeTurn;
  for (const part of turn?.responseParts ?? []) {
    if (part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation') {
      const verdict = random.chance(0.7)
        ? { approved: true, confirmed: 'user-action' }
        : { approved: false, reason: 'denied' };
      const { toolCallId } = part.toolCall;
      return on(chat, { type: 'chat/toolCallConfirmed', turnId: turn!.id, toolCallId, ...verdict });
    }
    if (part.kind === 'inputRequest' && part.response === undefined) {
      const requestId = part.request.id;
      return on(chat, {
        type: 'chat/inputCompleted',
        requestId,
        response: random.pick(['accept', 'decline', 'cancel']),
      });
    }
  }
  const wrong = { turnId: turn?.id ?? 'none', toolCallId: 'none', approved: true, confirmed: 'user-action' };
  return on(chat, { type: 'chat/toolCallConfirmed', ...wrong });
}
