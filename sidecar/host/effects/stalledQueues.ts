import { isPaused } from '../../protocol/channels/chat/chatStatus.ts';
import { channelOf } from '../../protocol/channels/index.ts';
import { hasFlag, status } from '../../protocol/status.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

type Deps = Pick<EffectDeps, 'store' | 'parking'>;

/**
 * The chats of `channel` in which messages wait though nothing runs: a host that ended left them so. Of a session only those
 * are looked at whose last turn ended badly, as the end of a host makes it. What a person stopped stays paused.
 */
export function stalledQueues(effectDeps: Deps, channel: string): readonly string[] {
  const kind = channelOf(channel)?.kind;
  if (kind === 'chat') return waits(effectDeps, channel) ? [channel] : [];
  if (kind !== 'session') return [];
  const failed = (effectDeps.store.state('session', channel)?.chats ?? []).filter((it) =>
    hasFlag(it.status, status.Error),
  );
  return failed.map((it) => it.resource).filter((it) => waits(effectDeps, it));
}

function waits({ store, parking }: Deps, chat: string): boolean {
  const state = store.state('chat', chat);
  if (!state || state.activeTurn || (!state.steeringMessage && !state.queuedMessages) || isPaused(state)) return false;
  if (parking.holds(chat)) return false;
  const session = store.state('session', store.metadata(chat)?.session ?? '');
  return session?.lifecycle === 'ready' && !hasFlag(session.status, status.IsArchived);
}
