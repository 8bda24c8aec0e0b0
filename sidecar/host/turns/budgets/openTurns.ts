import type { BudgetedTurn } from '../../context/effectDeps.ts';

/** The turns that run, one for each chat. */
export class OpenTurns {
  readonly #turns = new Map<string, BudgetedTurn>();

  add(turn: BudgetedTurn): void {
    this.#turns.set(turn.chat, turn);
  }

  remove(turn: BudgetedTurn): void {
    if (this.#turns.get(turn.chat) === turn) this.#turns.delete(turn.chat);
  }

  of(session: string): readonly BudgetedTurn[] {
    return [...this.#turns.values()].filter((it) => it.session === session);
  }

  /** The turn that asks the person: the one of the chat, or else another running turn of its session. */
  askingFor(session: string, chat: string): BudgetedTurn | undefined {
    const isOpen = (it: BudgetedTurn | undefined) => it?.session === session && !it.signal.aborted;
    const own = this.#turns.get(chat);
    return isOpen(own) ? own : [...this.#turns.values()].find(isOpen);
  }
}
