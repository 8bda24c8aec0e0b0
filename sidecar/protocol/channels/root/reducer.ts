import { assertNever, setOrClear } from '../../collections.ts';
import { mergeConfigValues } from '../../configSchemas.ts';
import type { RootAction, RootState } from './schema.ts';

/** Pure: no clock, no I/O, no mutation. A no-op answers the same `state` object. */
export function reduceRoot(state: RootState, action: RootAction): RootState {
  switch (action.type) {
    case 'root/agentsChanged':
      return setOrClear(state, 'agents', action.agents);
    case 'root/activeSessionsChanged':
      return setOrClear(state, 'activeSessions', action.activeSessions);
    case 'root/terminalsChanged':
      return setOrClear(state, 'terminals', action.terminals);
    case 'root/configChanged': {
      if (!state.config) return state;
      const values = mergeConfigValues(state.config.values, action.config, action.replace);
      return values === state.config.values ? state : { ...state, config: { ...state.config, values } };
    }
    default:
      return assertNever(action);
  }
}
