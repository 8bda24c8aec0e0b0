import type { AgentRuntime } from '../agents/agentRuntimes.ts';
import type { EffectDeps } from '../context/effectDeps.ts';

/** Stores an agent's own ID of its conversation each time it changes, even during a turn, because the host may be killed. */
export function resumeIdKeeper({ storage, store }: Pick<EffectDeps, 'storage' | 'store'>) {
  let kept: string | undefined;
  return ({ chat, agent }: Pick<AgentRuntime, 'chat' | 'agent'>): void => {
    const { resumeId } = agent;
    if (resumeId === undefined || resumeId === kept) return;
    kept = resumeId;
    if (storage.small.resumeId(chat) !== resumeId) store.writeRows(() => storage.small.putResumeId(chat, resumeId));
  };
}
