import { SessionPlaces, type SessionPlacesDeps } from './sessionPlaces.ts';
import { SubAgentLimit, type SubAgentLimitDeps } from './subAgentLimit.ts';

export interface Limits {
  readonly places: SessionPlaces;
  readonly subAgents: SubAgentLimit;
}

/** Loaded with the first turn, so that a host starts without it. */
export const limitsOf = (deps: SessionPlacesDeps & SubAgentLimitDeps): Limits => ({
  places: new SessionPlaces(deps),
  subAgents: new SubAgentLimit(deps),
});
