import type { Runtime } from '../../platform/runtime.ts';
import { namesOf, type SessionModels } from '../models.ts';
import type { AgentProvider } from '../provider.ts';

export type CoderDeps = Pick<Runtime, 'timers' | 'newId'>;

/**
 * The built-in coding agent, which uses the gateway's models. Its code is loaded with its first session.
 *
 * @param models those that are registered now
 */
export function coderProvider(deps: CoderDeps, models: SessionModels['models']): AgentProvider {
  return {
    id: 'coder',
    displayName: 'Switchboard',
    description: "Writes and changes code with any of the gateway's models.",
    models: namesOf(models).map((it) => ({ id: it, name: it })),
    capabilities: { multipleChats: { fork: true, sideChat: true } },
    // Large models can think for minutes.
    silentAfterMs: 300_000,
    open: async (context) => (await import('./session.ts')).openCoderSession(deps, context),
  };
}
