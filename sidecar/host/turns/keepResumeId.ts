import { CLOUD_META, type CloudMeta } from '../../protocol/channels/session/cloudMeta.ts';
import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import { commitMeta } from '../context/chatAccess.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/**
 * Stores an agent's own ID of its conversation, and what is known of a cloud agent, each time they change, even during a turn,
 * because the host may be killed.
 */
export function resumeIdKeeper({ storage, store }: Pick<EffectDeps, 'storage' | 'store'>) {
  let kept: string | undefined;
  let shown: CloudMeta | undefined;
  return ({ chat, session, agent }: Pick<AgentRuntime, 'chat' | 'session' | 'agent'>): void => {
    const { resumeId, cloud } = agent;
    if (cloud !== undefined && cloud !== shown && store.has(session)) {
      shown = cloud;
      commitMeta(store, session, CLOUD_META, cloud, false);
    }
    if (resumeId === undefined || resumeId === kept) return;
    kept = resumeId;
    if (storage.small.resumeId(chat) !== resumeId) store.writeRows(() => storage.small.putResumeId(chat, resumeId));
  };
}
