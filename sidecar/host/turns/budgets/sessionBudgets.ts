import type {
  AdmittedModelCall,
  CheaperModel,
  EndModelCall,
  WaitingModelCall,
} from '../../../launch/gateway/modelCalls.ts';
import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import {
  type BudgetLimit,
  type BudgetSettings,
  budgetOf,
  type SessionBudget,
} from '../../../protocol/channels/session/budgets.ts';
import { sameJson } from '../../../protocol/collections.ts';
import { commitMeta } from '../../context/chatAccess.ts';
import type { BudgetedTurn } from '../../context/effectDeps.ts';
import type { Store } from '../../state/store.ts';
import type { HostStorage } from '../../storage/hostStorage.ts';
import { sessionAccount } from './accounts.ts';
import type { Asking } from './asking.ts';
import { dayOf, Ledger } from './ledger.ts';
import type { OpenTurns } from './openTurns.ts';
import { accountsOf, type Passed, passedBy, type Quota, quotasOf, type SessionFacts } from './quotas.ts';
import { Raises } from './raises.ts';

/** Calls of a session's agent between two turns. A sub-agent can still work in the background after its turn has ended. */
export const MOST_BETWEEN_TURNS = 500;

/** A call of a session's agent to a model. */
export interface HeldCall extends WaitingModelCall {
  readonly session: string;
  readonly chat: string;
}

export interface BudgetsDeps extends Pick<Runtime, 'clock' | 'timers' | 'newId'> {
  readonly store: Store;
  readonly storage: Pick<HostStorage, 'spending' | 'small'>;
  readonly turns: OpenTurns;
}

interface Asked {
  readonly asking: Asking;
  /** The maximum cost of the call that the question is about. */
  readonly dollars: number;
}

/**
 * Admits calls to models while their budgets have room. Otherwise, the running turn asks whether to raise a budget. Each session
 * asks one question at a time, and all of its calls wait for the answer.
 */
export class Budgets {
  readonly #deps: BudgetsDeps;
  readonly #ledger: Ledger;
  readonly #raises: Raises;
  /** By session: the settings of the requester of its latest turn. */
  readonly #settings = new Map<string, () => BudgetSettings | undefined>();
  readonly #asking = new Map<string, Asked>();
  #code: typeof import('./askAboutBudget.ts') | undefined;
  /** Turns in which a person refused to raise a budget. */
  readonly #stopped = new WeakSet<BudgetedTurn>();
  /** Turns in which a person chose cheaper models. */
  readonly #frugal = new WeakSet<BudgetedTurn>();
  /** By session: calls since the last turn ended. */
  readonly #between = new Map<string, number>();

  constructor(deps: BudgetsDeps) {
    this.#deps = deps;
    this.#ledger = new Ledger(deps);
    this.#raises = new Raises(deps, 'budget.raised');
  }

  turnBegan(turn: BudgetedTurn): () => void {
    this.#settings.set(turn.session, turn.settings);
    this.#between.delete(turn.session);
    this.#show(turn.session);
    return () => {
      const { asking } = this.#asking.get(turn.session) ?? {};
      if (asking?.turn === turn) asking.withdraw();
    };
  }

  /** Whether the cost of the session's calls must be estimated before they start. */
  limitsCost(session: string): boolean {
    return this.#quotas(session).some((it) => it.limit.dollars !== undefined);
  }

  /** Settles when the call may be made. @throws {Fault} `budget_stopped`; the reason of the call's signal */
  async admit(call: HeldCall): Promise<AdmittedModelCall> {
    const { session, chat, dollars, signal } = call;
    this.#countBetween(session, chat);
    for (;;) {
      const offered = this.#passed(session, dollars) ? await this.#others(call) : [];
      signal.throwIfAborted();
      if (!this.#deps.store.has(session)) throw noTurn();
      const passed = this.#passed(session, dollars);
      if (!passed) return { end: this.#begin(session, dollars) };
      const cheaper = passed.unit === 'calls' ? undefined : this.#bestOf(session, offered);
      const turn = this.#deps.turns.askingFor(session, chat);
      if (cheaper && turn && this.#frugal.has(turn))
        return { model: cheaper.model, end: this.#begin(session, cheaper.dollars) };
      await (this.#asking.get(session)?.asking ?? this.#ask(call, passed, cheaper)).wait(signal);
    }
  }

  /** The chat shows the cost of such calls only in its next turn. @throws {Fault} `budget_stopped` after {@link MOST_BETWEEN_TURNS} */
  #countBetween(session: string, chat: string): void {
    if (!this.#deps.store.has(session)) throw noTurn();
    if (this.#deps.turns.askingFor(session, chat)) return;
    const count = this.#between.get(session) ?? 0;
    if (count >= MOST_BETWEEN_TURNS) throw tooManyBetween();
    this.#between.set(session, count + 1);
  }

  #passed(session: string, dollars: number): Passed | undefined {
    return passedBy(this.#quotas(session), this.#ledger, dollars);
  }

  /** Also loads the code that asks about a budget. */
  async #others({ cheaper }: HeldCall): Promise<readonly CheaperModel[]> {
    this.#code ??= await import('./askAboutBudget.ts');
    return cheaper();
  }

  /** The most expensive model for which the budgets have room. */
  #bestOf(session: string, offered: readonly CheaperModel[]): CheaperModel | undefined {
    const fitting = offered.filter((it) => !this.#passed(session, it.dollars));
    return fitting.toSorted((one, other) => other.dollars - one.dollars)[0];
  }

  #begin(session: string, dollars: number): EndModelCall {
    const settle = this.#ledger.reserve(accountsOf(this.#facts(session)), dollars);
    return (cost) => {
      settle(cost);
      this.#show(session);
      this.#look();
    };
  }

  set(session: string, limit: BudgetLimit | undefined): void {
    this.#commit(session, limit && { limit, isOwn: true, spent: this.#ledger.spent(sessionAccount(session)) });
    this.#show(session);
    this.#look();
  }

  closed(session: string): void {
    this.#settings.delete(session);
    this.#between.delete(session);
    this.#ledger.forget(sessionAccount(session).name);
  }

  #ask({ session, chat, model, dollars }: HeldCall, passed: Passed, cheaper: CheaperModel | undefined): Asking {
    const turn = this.#deps.turns.askingFor(session, chat);
    if (!turn) throw noTurn();
    if (this.#stopped.has(turn)) throw stopped();
    const ofSession = this.#ledger.spent(sessionAccount(session));
    const turns = () => this.#deps.turns.of(session);
    const asking = this.#code!.askAboutBudget(
      turn,
      { passed, model, dollars, cheaper, ofSession, agent: turn.agent },
      {
        raise: (to) => this.#raise(session, passed, to),
        continueCheaper: () => {
          for (const it of turns()) this.#frugal.add(it);
        },
        stop: () => {
          for (const it of turns()) this.#stopped.add(it);
          return stopped();
        },
      },
      { ...this.#deps, over: () => this.#asking.delete(session) },
    );
    this.#asking.set(session, { asking, dollars });
    return asking;
  }

  #raise(session: string, { quota, unit }: Passed, to: number): void {
    const { scope, account } = quota;
    const setting = this.#settings.get(session)?.()?.[scope];
    const now = this.#quotas(session).find((it) => it.scope === scope)?.limit;
    if (scope === 'session') this.set(session, { ...now, [unit]: to });
    else if (setting !== undefined) this.#raises.raise(account, setting, to);
    this.#look();
  }

  /** Withdraws questions for which there is room by now, because a budget was raised elsewhere or a call cost less. */
  #look(): void {
    for (const [session, { asking, dollars }] of this.#asking) {
      if (!passedBy(this.#quotas(session), this.#ledger, dollars)) asking.withdraw();
    }
  }

  #facts(session: string): SessionFacts {
    const { workingDirectories: folders = [] } = this.#deps.store.state('session', session) ?? {};
    return { session, folders, day: dayOf(this.#deps.clock.nowMs()) };
  }

  #quotas(session: string): readonly Quota[] {
    const own = budgetOf(this.#deps.store.state('session', session)?._meta);
    const settings = this.#settings.get(session)?.();
    return quotasOf(this.#facts(session), own, settings, (account, it) => this.#raises.limitOf(account, it));
  }

  /** Publishes the session's budget and spend in its state. */
  #show(session: string): void {
    const own = budgetOf(this.#deps.store.state('session', session)?._meta);
    const dollars = this.#settings.get(session)?.()?.session;
    const limit = own?.isOwn ? own.limit : dollars === undefined ? undefined : { dollars };
    const spent = this.#ledger.spent(sessionAccount(session));
    this.#commit(session, limit && { limit, isOwn: own?.isOwn === true, spent });
  }

  #commit(session: string, budget: SessionBudget | undefined): void {
    const { store } = this.#deps;
    const state = store.state('session', session);
    if (!state || sameJson(state._meta?.['budget'], budget)) return;
    commitMeta(store, session, 'budget', budget);
  }
}

/** The agent reads this, and may show it. */
const stopped = () =>
  new Fault(
    'budget_stopped',
    'The budget is used up, and the user did not raise it. Do not try again. Stop here, and say what is done and what is left.',
  );
const tooManyBetween = () =>
  new Fault(
    'budget_stopped',
    `The agent has called models ${MOST_BETWEEN_TURNS} times since its last turn ended. Do not try again before the user sends a message.`,
  );
const noTurn = () =>
  new Fault(
    'budget_stopped',
    'The budget is used up, and no turn is running in which the user can be asked to raise it. Do not try again.',
  );
