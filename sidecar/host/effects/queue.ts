import { isPaused } from '../../protocol/channels/chat/chatStatus.ts';
import type { ChatState } from '../../protocol/channels/chat/schema.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import { commitChat, hasFinished, turnIdOf } from '../context/chatAccess.ts';
import type { EffectDeps, Requester } from '../context/effectDeps.ts';
import type { HandlerDeps } from './handlerDeps.ts';
import { stalledQueues } from './stalledQueues.ts';

/**
 * What waits begins, unless the chat is on its way out: nobody would end that turn.
 * @param sent the message that was sent just now: it goes before those that a stopped turn left waiting
 */
export function playNext(
  { effectDeps, sessions }: Pick<HandlerDeps, 'effectDeps' | 'sessions'>,
  chat: string,
  sent?: string,
): void {
  if (!sessions.isLeaving(chat)) startNext(effectDeps, chat, sent);
}

/**
 * Messages that an earlier host left in the queues of `channel` are played once a client subscribes that has the agent,
 * lets agents run and pushed the tokens for it.
 */
export function resumeQueues(deps: HandlerDeps, channel: string, requester: Requester): void {
  const { effectDeps, agents, runtimes } = deps;
  for (const chat of stalledQueues(effectDeps, channel)) {
    const session = effectDeps.store.metadata(chat)?.session ?? '';
    if (!agents.serves(effectDeps.store.state('session', session)?.provider, requester)) continue;
    runtimes.setRequester(session, requester);
    playNext(deps, chat);
  }
}

/**
 * A usage limit of a parked chat ended: its message is sent for the window that used the session last, or else for any that
 * has the agent. If there is none, the chat stays parked.
 */
export function resumeParked(deps: HandlerDeps, windows: readonly Requester[], chat: string): void {
  const { effectDeps, agents, runtimes } = deps;
  const session = effectDeps.store.metadata(chat)?.session ?? '';
  const state = effectDeps.store.state('session', session);
  if (!state || hasFlag(state.status, status.IsArchived)) return;
  const last = runtimes.requester(session);
  const requester = [...(last ? [last] : []), ...windows].find((it) => agents.serves(state.provider, it));
  if (!requester) return;
  runtimes.setRequester(session, requester);
  playNext(deps, chat);
}

/**
 * Starts the next turn of an idle chat, when a message waits for it: the steering message that no turn took first, so
 * that it is not lost, then the queue. The id of the message makes the id of its turn, unless a client gave a turn of its
 * own that id (host.turn.id-once).
 */
function startNext(
  effectDeps: Pick<EffectDeps, 'store' | 'storage' | 'clock' | 'newId' | 'parking'>,
  chat: string,
  sent: string | undefined,
): void {
  const state = effectDeps.store.state('chat', chat);
  if (!state || state.activeTurn) return;
  const { parking } = effectDeps;
  if (sent === undefined && parking.holds(chat)) return;
  const next = nextMessage(state, isPaused(state) || parking.isParked(chat) ? sent : undefined);
  if (!next) return;
  const { kind, id, message } = next;
  commitChat(effectDeps.store, chat, { type: 'chat/pendingMessageRemoved', kind, id });
  commitChat(effectDeps.store, chat, {
    type: 'chat/turnStarted',
    turnId: hasFinished(effectDeps, chat, turnIdOf(id)) ? effectDeps.newId() : turnIdOf(id),
    startedAt: effectDeps.clock.now(),
    message,
    queuedMessageId: id,
  });
  parking.leave(chat);
}

function nextMessage(state: ChatState, preferred: string | undefined) {
  const chosen = state.queuedMessages?.find((it) => it.id === preferred);
  if (chosen) return { kind: 'queued', ...chosen } as const;
  if (state.steeringMessage) return { kind: 'steering', ...state.steeringMessage } as const;
  const first = state.queuedMessages?.[0];
  return first && ({ kind: 'queued', ...first } as const);
}
