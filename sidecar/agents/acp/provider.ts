import type { AgentProvider } from '../provider.ts';
import type { AcpDeps } from './acpDeps.ts';
import { runsHooks } from './ownHooks.ts';
import type { AcpAgent } from './wellKnown.ts';

/** An agent behind the Agent Client Protocol: one process for each session, on a leash. What talks to it is loaded then. */
export function acpProvider(agent: AcpAgent, deps: AcpDeps): AgentProvider {
  const load = async () => (await import('./kept/conversations.ts')).acpConversations(agent, deps);
  return {
    id: agent.id,
    displayName: agent.displayName,
    description: `${agent.displayName}, connected through the Agent Client Protocol`,
    ...(agent.protectedResources && { protectedResources: agent.protectedResources.map((it) => it.metadata) }),
    ...(runsHooks(agent) && { runsHooks: true }),
    ...(agent.silentAfterSeconds !== undefined && { silentAfterMs: agent.silentAfterSeconds * 1_000 }),
    needsFolder: true,
    capabilities: { multipleChats: { fork: true, sideChat: true } },
    conversations: {
      list: async (...asked) => (await load()).list(...asked),
      read: async (...asked) => (await load()).read(...asked),
      delete: async (...asked) => (await load()).delete(...asked),
      idOf: async (resumeId) => resumeId,
    },
    open: async (context, signal) => (await import('./session.ts')).openAcpSession(agent, deps, context, signal),
  };
}
