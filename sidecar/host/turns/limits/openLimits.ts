import type { EmbeddedGateway } from '../../../launch/gateway/gatewayContract.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { EffectDeps } from '../../context/effectDeps.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { OpenTurns } from '../budgets/openTurns.ts';
import { Raises } from '../budgets/raises.ts';
import { Budgets } from '../budgets/sessionBudgets.ts';
import { SessionPlaces } from './sessionPlaces.ts';
import { SubAgentLimit } from './subAgentLimit.ts';

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
  const subAgents = new SubAgentLimit({ ...deps, turns, raises });
  gateway?.gateCalls({
    limitsCost: (session) => budgets.limitsCost(session),
    async admit(call) {
      const { session, chat, subAgent, signal } = call;
      if (subAgent !== undefined) await subAgents.admit({ session, chat, by: 'modelCall', id: subAgent, signal });
      return budgets.admit(call);
    },
  });
  const foldersOf = (session: string) => store.state('session', session)?.workingDirectories ?? [];
  return {
    budgets: {
      turnBegan(turn) {
        turns.add(turn);
        const ends = [budgets.turnBegan(turn), subAgents.turnBegan(turn)];
        return () => {
          turns.remove(turn);
          for (const it of ends) it();
        };
      },
      set: (session, limit) => budgets.set(session, limit),
      closed(session) {
        budgets.closed(session);
        subAgents.closed(session);
      },
    },
    subAgents,
    places: new SessionPlaces({ ...deps, raises, foldersOf }),
  };
}
