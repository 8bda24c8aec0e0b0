import type { Runtime } from '../../platform/runtime.ts';
import type { AgentProvider } from '../provider.ts';

export type CoderDeps = Pick<Runtime, 'timers' | 'newId'>;

/** The built-in coding agent. It works with the gateway's models. What it needs for that is loaded with its first session. */
export function coderProvider(deps: CoderDeps): AgentProvider {
  return {
    id: 'coder',
    displayName: 'Switchboard',
    description: "Writes and changes code with any of the gateway's models.",
    capabilities: { multipleChats: { fork: true, sideChat: true } },
    // A call can wait for a person to raise a budget, and a large model can think for minutes.
    silentAfterMs: 300_000,
    open: async (context) => (await import('./session.ts')).openCoderSession(deps, context),
  };
}
