import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { BudgetedTurn, SubAgents } from '../../context/effectDeps.ts';
import { subAgentAccount } from '../budgets/accounts.ts';
import { Asking } from '../budgets/asking.ts';
import type { OpenTurns } from '../budgets/openTurns.ts';
import type { Raises } from '../budgets/raises.ts';
import { readLimit, subAgentQuestion } from './limitQuestions.ts';

/** A sub-agent that is about to start, known from a tool call or from its first call to a model. */
export interface WantedSubAgent {
  readonly session: string;
  readonly chat: string;
  /** The tool call that starts it, or what identifies it in calls to models. */
  readonly by: 'toolCall' | 'modelCall';
  readonly id: string;
  readonly signal: AbortSignal;
}

export interface SubAgentLimitDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly turns: OpenTurns;
  readonly raises: Raises;
}

/** Sub-agents of one chat. */
interface Known {
  /** The sub-agents of the latest turn. One can be known from its tool call, from its calls to models, or from both. */
  readonly toolCall: Set<string>;
  readonly modelCall: Set<string>;
  /** The sub-agents of earlier turns, which can still work in the background. */
  readonly earlier: Set<string>;
}

/** Sub-agents of earlier turns that are remembered for each chat. */
const MOST_EARLIER = 1_000;

/**
 * Limits the number of sub-agents that an agent starts in a turn. A tool call that starts one waits if the agent asks for permission.
 * Otherwise, its first call to a model waits.
 */
export class SubAgentLimit implements SubAgents {
  readonly #deps: SubAgentLimitDeps;
  /** By session, then by chat. */
  readonly #known = new Map<string, Map<string, Known>>();
  readonly #settings = new Map<string, BudgetedTurn['limits']>();
  readonly #asking = new Map<string, Asking>();
  /** Turns in which a person refused to raise the limit. */
  readonly #stopped = new WeakSet<BudgetedTurn>();

  constructor(deps: SubAgentLimitDeps) {
    this.#deps = deps;
  }

  turnBegan(turn: BudgetedTurn): () => void {
    const { session, chat } = turn;
    this.#settings.set(session, turn.limits);
    const { earlier, modelCall } = this.#of(session, chat);
    if (earlier.size > MOST_EARLIER) earlier.clear();
    for (const it of modelCall) earlier.add(it);
    this.#known.get(session)?.set(chat, { toolCall: new Set(), modelCall: new Set(), earlier });
    return () => {
      const asking = this.#asking.get(session);
      if (asking?.turn === turn) asking.withdraw();
    };
  }

  /** Settles when the sub-agent may work. @throws {Fault} `budget_stopped`; the reason of the signal */
  async admit(wanted: WantedSubAgent): Promise<void> {
    const { session, chat, by, id, signal } = wanted;
    for (;;) {
      const known = this.#of(session, chat);
      if (known[by].has(id) || known.earlier.has(id)) return;
      const limit = this.#limitOf(session);
      if (limit === undefined || known[by].size < limit) {
        known[by].add(id);
        return;
      }
      await (this.#asking.get(session) ?? this.#ask(wanted, limit)).wait(signal);
    }
  }

  denied(session: string, chat: string, toolCallId: string): void {
    this.#known.get(session)?.get(chat)?.toolCall.delete(toolCallId);
  }

  closed(session: string): void {
    this.#known.delete(session);
    this.#settings.delete(session);
  }

  #of(session: string, chat: string): Known {
    const chats = this.#known.get(session) ?? new Map<string, Known>();
    this.#known.set(session, chats);
    const known = chats.get(chat) ?? { toolCall: new Set(), modelCall: new Set(), earlier: new Set() };
    chats.set(chat, known);
    return known;
  }

  #limitOf(session: string): number | undefined {
    const setting = this.#settings.get(session)?.()?.subAgents;
    return setting === undefined ? undefined : this.#deps.raises.limitOf(subAgentAccount(session), setting);
  }

  #ask({ session, chat, by }: WantedSubAgent, limit: number): Asking {
    const turn = this.#deps.turns.askingFor(session, chat);
    if (!turn) throw noTurn();
    if (this.#stopped.has(turn)) throw stopped();
    const stop = () => {
      for (const it of this.#deps.turns.of(session)) this.#stopped.add(it);
      return stopped();
    };
    const waiting = { agent: turn.agent, count: this.#of(session, chat)[by].size, limit };
    const asking = new Asking(turn, {
      ...this.#deps,
      question: (id, isUnclear) => subAgentQuestion(id, waiting, isUnclear),
      answered: (answers) => {
        const answer = readLimit(answers, limit, 'stop');
        if (answer === 'stop') throw stop();
        const setting = turn.limits()?.subAgents;
        if (typeof answer !== 'number') return false;
        if (setting !== undefined) this.#deps.raises.raise(subAgentAccount(session), setting, answer);
        return true;
      },
      late: stop,
      over: () => this.#asking.delete(session),
    });
    this.#asking.set(session, asking);
    asking.begin();
    return asking;
  }
}

/** The agent reads this, and may show it. */
const stopped = () =>
  new Fault(
    'budget_stopped',
    'The limit on sub-agents is reached, and the user did not raise it. Do not start more sub-agents in this turn. Do the work without them, or say what is left.',
  );
const noTurn = () =>
  new Fault(
    'budget_stopped',
    'The limit on sub-agents is reached, and no turn is running in which the user can be asked to raise it. Do not try again.',
  );
