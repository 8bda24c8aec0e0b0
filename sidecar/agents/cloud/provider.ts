import type { Runtime } from '../../platform/runtime.ts';
import type { AgentProvider } from '../provider.ts';

/** There is one service in a gateway, and its agents are found in sessions. */
export const CLOUD_PROVIDER = 'cloud-agents';

/** The cloud-agents service of the gateway. */
export interface CloudService {
  readonly name: string;
}
export type CloudDeps = Pick<Runtime, 'timers'>;

/** Agents of the gateway's cloud-agents service. The service gets no requests before the first message. */
export function cloudProvider({ name }: CloudService, deps: CloudDeps): AgentProvider {
  const load = async () => (await import('./conversations.ts')).cloudConversations(name, deps);
  return {
    id: CLOUD_PROVIDER,
    displayName: name,
    description: 'Works on a repository in the cloud, through the gateway.',
    isRemote: true,
    conversations: {
      abilities: { deletes: true },
      list: async (...asked) => (await load()).list(...asked),
      read: async (...asked) => (await load()).read(...asked),
      delete: async (...asked) => (await load()).delete(...asked),
      idOf: async (resumeId) => (await import('./conversation.ts')).agentIdIn(resumeId),
    },
    open: async (context) => (await import('./session.ts')).openCloudSession(name, deps, context),
  };
}
