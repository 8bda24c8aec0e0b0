import type { EmbeddedGateway } from '../../../launch/gateway/gatewayContract.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import { budgetOf } from '../../../protocol/channels/session/budgets.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { sessionAccount, subAgentAccount } from '../budgets/accounts.ts';
import { OpenTurns } from '../budgets/openTurns.ts';
import { Raises } from '../budgets/raises.ts';
import type { Limits } from './limits.ts';
import { Parking } from './parking/parking.ts';

export interface LimitsDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly store: Store;
  readonly storage: Pick<HostStorage, 'spending' | 'small'>;
  readonly gateway: Pick<EmbeddedGateway, 'gateCalls'> | undefined;
}

/** Opens budgets and limits on numbers, which then also decide about calls that the gateway serves. */
export function openLimits(deps: LimitsDeps): Pick<EffectDeps, 'budgets' | 'subAgents' | 'places' | 'parking'> {
  const { store, storage, gateway } = deps;
  const turns = new OpenTurns();
  const raises = new Raises({ store, storage }, 'limit.raised');
  const foldersOf = (session: string) => store.state('session', session)?.workingDirectories ?? [];
  let limits: Limits | undefined;
  const load = async (): Promise<Limits> => {
    const { limitsOf } = await import('./limits.ts');
    return (limits ??= limitsOf({ ...deps, turns, raises, foldersOf }));
  };
  /** Before the first turn, the budgets in the settings are not known yet. */
  const hasOwnBudget = (session: string) => {
    const { isOwn, limit } = budgetOf(store.state('session', session)?._meta) ?? {};
    return isOwn === true && limit?.dollars !== undefined;
  };
  gateway?.gateCalls({
    limitsCost: (session) => limits?.budgets.limitsCost(session) ?? hasOwnBudget(session),
    async admit(call) {
      const { session, chat, subAgent: id, signal } = call;
      const { budgets, subAgents } = await load();
      // Budgets refuse the calls of a session that was deleted. Nothing is remembered about its sub-agents.
      if (id !== undefined && store.has(session)) await subAgents.admit({ session, chat, by: 'modelCall', id, signal });
      return budgets.admit(call);
    },
  });
  return {
    budgets: {
      turnBegan(turn) {
        turns.add(turn);
        // The turn has a place, so the limits are loaded.
        const ends = [limits?.budgets.turnBegan(turn), limits?.subAgents.turnBegan(turn)];
        return () => {
          turns.remove(turn);
          for (const it of ends) it?.();
        };
      },
      set: async (session, limit) => (await load()).budgets.set(session, limit),
      closed(session) {
        if (limits) limits.budgets.closed(session);
        else store.writeRows(() => storage.spending.remove(sessionAccount(session).name));
        limits?.subAgents.closed(session);
        raises.forget(subAgentAccount(session));
      },
    },
    subAgents: {
      admit: async (wanted) => (await load()).subAgents.admit(wanted),
      denied: (session, chat, id) => limits?.subAgents.denied(session, chat, id),
    },
    parking: new Parking(deps),
    places: {
      enter: async (turn) => (await load()).places.enter(turn),
      look: () => limits?.places.look(),
    },
  };
}
