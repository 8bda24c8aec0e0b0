import type { AgentRuntime } from '../../agents/agentRuntimes.ts';
import type { BudgetedTurn, StartingTurn } from '../../context/effectDeps.ts';
import type { TurnWriter } from '../../tools/turnWriter.ts';
import { askPerson } from '../askPerson.ts';
import type { TurnAnswers, TurnQuestions, Waits } from '../questions.ts';
import type { TurnDeps } from '../turn.ts';

interface Asked {
  readonly deps: Pick<TurnDeps, 'effects' | 'runtimes' | 'answers'>;
  readonly chat: string;
  readonly writer: TurnWriter;
  readonly waits: Waits;
  readonly signal: AbortSignal;
}

const withdraw = (writer: TurnWriter) => (requestId: string) =>
  writer.commit({ type: 'chat/inputCompleted', requestId, response: 'cancel' });

/** A turn whose agent has not been started yet. */
export function startingTurn({ deps, chat, writer, waits, signal }: Asked): StartingTurn {
  const { effects, runtimes } = deps;
  const { completions }: TurnAnswers = deps.answers;
  const session = effects.store.metadata(chat)?.session ?? '';
  return {
    session,
    limits: () => runtimes.requester(session)?.window?.runLimits,
    ask: (set) => waits.during(() => askPerson(completions, writer, chat, set, signal)),
    withdraw: withdraw(writer),
    shows(words, over) {
      const ended = new Promise<void>((resolve) => {
        over.addEventListener('abort', () => resolve(), { once: true });
      });
      void writer.whileAsking(words, ended);
    },
    signal,
  };
}

/** A turn whose agent runs. */
export function budgetedTurn(
  { deps, writer, signal }: Asked,
  { session, chat, provider }: AgentRuntime,
  questions: TurnQuestions,
): BudgetedTurn {
  const window = () => deps.runtimes.requester(session)?.window;
  return {
    session,
    chat,
    agent: provider.displayName,
    settings: () => window()?.budgets,
    limits: () => window()?.runLimits,
    ask: (set) => questions.ask(set),
    withdraw: withdraw(writer),
    signal,
  };
}
