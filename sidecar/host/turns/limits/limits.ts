import { Budgets, type BudgetsDeps } from '../budgets/sessionBudgets.ts';
import { SessionPlaces, type SessionPlacesDeps } from './sessionPlaces.ts';
import { SubAgentLimit, type SubAgentLimitDeps } from './subAgentLimit.ts';

export interface Limits {
  readonly budgets: Budgets;
  readonly places: SessionPlaces;
  readonly subAgents: SubAgentLimit;
}

/** Loaded with the first turn, so that a host starts without it. */
export const limitsOf = (deps: BudgetsDeps & SessionPlacesDeps & SubAgentLimitDeps): Limits => ({
  budgets: new Budgets(deps),
  places: new SessionPlaces(deps),
  subAgents: new SubAgentLimit(deps),
});
