import type { AgentInfo } from './schema.ts';

const CODER = 'coder';

/** The agents that every host has. */
export const builtInAgents: ReadonlySet<string> = new Set(['runbook', CODER]);

/** The built-in agent, before any model is registered in the gateway. */
export const needsModel = ({ provider, models }: Pick<AgentInfo, 'provider' | 'models'>): boolean =>
  provider === CODER && models.length === 0;
