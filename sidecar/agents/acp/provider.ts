import type { AgentProvider } from '../provider.ts';
import { type AcpDeps, openAcpSession } from './session.ts';
import type { AcpAgent } from './wellKnown.ts';

/** An agent behind the Agent Client Protocol: one process for each session, on a leash. */
export function acpProvider(agent: AcpAgent, deps: AcpDeps): AgentProvider {
  return {
    id: agent.id,
    displayName: agent.displayName,
    description: `${agent.displayName}, over the Agent Client Protocol`,
    open: (context, signal) => openAcpSession(agent, deps, context, signal),
  };
}
