import { commitChat } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';
import { elapsed } from '../context/elapsed.ts';

/** Ends the running turn of an agent that decides by itself though nobody chose that, and does not go back. */
export function failDeciding(deps: Pick<EffectDeps, 'store' | 'clock'>, chat: string, displayName: string): void {
  const turn = deps.store.state('chat', chat)?.activeTurn;
  if (!turn) return;
  const message =
    `${displayName} changed to a mode that does not ask for approval and could not be switched back, so it was stopped. ` +
    'To allow that mode, choose it for this session.';
  const error = { errorType: 'provider', message };
  commitChat(deps.store, chat, {
    type: 'chat/error',
    turnId: turn.id,
    duration: elapsed(deps, turn.startedAt),
    error,
  });
}
