import type { Fault } from '../../../platform/faults.ts';
import type { BudgetedTurn } from '../../context/effectDeps.ts';
import { Asking, type AskingDeps } from './asking.ts';
import { readAnswer, toQuestion, type Waiting } from './question.ts';

export interface BudgetAnswers {
  readonly raise: (to: number) => void;
  /** Sends calls that do not fit to cheaper models until the turn ends. */
  readonly continueCheaper: () => void;
  /** @returns the fault with which calls are refused */
  readonly stop: () => Fault;
}

/** Asks about a budget that the next call would exceed. Loaded with the first such call. */
export function askAboutBudget(
  turn: BudgetedTurn,
  waiting: Omit<Waiting, 'isUnclear'>,
  { raise, continueCheaper, stop }: BudgetAnswers,
  deps: Pick<AskingDeps, 'timers' | 'newId' | 'over'>,
): Asking {
  const asking = new Asking(turn, {
    ...deps,
    question: (id, isUnclear) => toQuestion(id, { ...waiting, isUnclear }),
    answered: (answers) => {
      const answer = readAnswer(answers, waiting);
      if (answer === 'stop') throw stop();
      if (answer === 'cheaper') continueCheaper();
      else if (answer !== undefined) raise(answer);
      return answer !== undefined;
    },
    late: stop,
  });
  asking.begin();
  return asking;
}
