import { createHash } from 'node:crypto';
import type { Runtime } from '../../platform/runtime.ts';
import type { AgentProvider } from '../provider.ts';
import type { RemoteAgent } from './client.ts';

const PREFIX = 'a2a-';

export type A2aDeps = Pick<Runtime, 'timers'>;

/** An agent of the gateway. It gets no requests before the first message. */
export function a2aProvider(agent: RemoteAgent, deps: A2aDeps): AgentProvider {
  return {
    id: providerIdOf(agent.id),
    displayName: agent.name,
    description: agent.description,
    isRemote: true,
    open: async (context) => (await import('./session.ts')).openA2aSession(agent, deps, context),
  };
}

/** Stable for an agent of the gateway. Provider IDs allow fewer characters than the gateway's IDs. */
export function providerIdOf(agentId: string): string {
  const isPlain = /^[a-z0-9][a-z0-9-]{0,63}$/.test(agentId);
  return `${PREFIX}${isPlain ? agentId : createHash('sha256').update(agentId).digest('hex').slice(0, 16)}`;
}

/** Whether a provider is an agent of the gateway, even if it is no longer registered. */
export const isA2aProvider = (providerId: string): boolean => providerId.startsWith(PREFIX);
