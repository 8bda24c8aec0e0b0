import type { EmbeddedGateway } from '../../../launch/gateway/gatewayContract.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { OpenTurns } from '../budgets/openTurns.ts';
import { Raises, subAgentAccount } from '../budgets/raises.ts';
import { Budgets } from '../budgets/sessionBudgets.ts';
import type { Limits } from './limits.ts';

export interface LimitsDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly store: Store;
  readonly storage: Pick<HostStorage, 'spending' | 'small'>;
  readonly gateway: Pick<EmbeddedGateway, 'gateCalls'> | undefined;
}

/** Budgets and limits on numbers. From now on, they also decide about the calls that the gateway serves. */
export function openLimits(deps: LimitsDeps): Pick<EffectDeps, 'budgets' | 'subAgents' | 'places'> {
  const { store, storage, gateway } = deps;
  const turns = new OpenTurns();
  const raises = new Raises({ store, storage }, 'limit.raised');
  const budgets = new Budgets({ ...deps, turns });
  const foldersOf = (session: string) => store.state('session', session)?.workingDirectories ?? [];
  let limits: Limits | undefined;
  const load = async () => {
    const { limitsOf } = await import('./limits.ts');
    return (limits ??= limitsOf({ ...deps, turns, raises, foldersOf }));
  };
  gateway?.gateCalls({
    limitsCost: (session) => budgets.limitsCost(session),
    async admit(call) {
      const { session, chat, subAgent, signal } = call;
      if (subAgent !== undefined)
        await (await load()).subAgents.admit({ session, chat, by: 'modelCall', id: subAgent, signal });
      return budgets.admit(call);
    },
  });
  return {
    budgets: {
      turnBegan(turn) {
        turns.add(turn);
        // The turn has a place, so the limits are loaded.
        const ends = [budgets.turnBegan(turn), limits?.subAgents.turnBegan(turn)];
        return () => {
          turns.remove(turn);
          for (const it of ends) it?.();
        };
      },
      set: (session, limit) => budgets.set(session, limit),
      closed(session) {
        budgets.closed(session);
        raises.forget(subAgentAccount(session));
        limits?.subAgents.closed(session);
      },
    },
    subAgents: {
      admit: async (wanted) => (await load()).subAgents.admit(wanted),
      denied: (session, chat, id) => limits?.subAgents.denied(session, chat, id),
    },
    places: {
      enter: async (turn) => (await load()).places.enter(turn),
      look: () => limits?.places.look(),
    },
  };
}
