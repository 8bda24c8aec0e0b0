import { Fault } from '../../../platform/faults.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Places, StartingTurn } from '../../context/effectDeps.ts';
import type { Account } from '../budgets/accounts.ts';
import { ANSWER_LIMIT_MS } from '../budgets/asking.ts';
import type { Raises } from '../budgets/raises.ts';
import { readLimit, sessionQuestion, type WaitingSession } from './limitQuestions.ts';

export interface SessionPlacesDeps extends Pick<Runtime, 'timers' | 'newId'> {
  readonly raises: Raises;
  /** The folders of a session, as URIs. */
  readonly foldersOf: (session: string) => readonly string[];
}

interface Full extends WaitingSession {
  readonly account: Account;
  /** The limit in the settings, regardless of raises. */
  readonly setting: number;
}

interface Waiter {
  readonly turn: StartingTurn;
  readonly begin: () => void;
}

const WAITING = 'Waiting for another session to end its turn.';

/**
 * Limits how many sessions run a turn at the same time. A turn that has no place waits before its agent is started, and asks. It starts
 * when another session ends its turn, whether or not a person has answered. If neither happens within an hour, it fails. Turns start in the
 * order in which they came.
 */
export class SessionPlaces implements Places {
  readonly #deps: SessionPlacesDeps;
  /** By session: its running turns. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiter>();

  constructor(deps: SessionPlacesDeps) {
    this.#deps = deps;
  }

  /**
   * Settles when the turn may start.
   * @returns a function to call when the turn ends
   * @throws {Fault} `budget_stopped`; the reason of the turn's signal
   */
  async enter(turn: StartingTurn): Promise<() => void> {
    turn.signal.throwIfAborted();
    if (this.#fullFor(turn)) await this.#wait(turn);
    else this.#take(turn);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#running.get(turn.session) ?? 1) - 1;
      if (left > 0) this.#running.set(turn.session, left);
      else this.#running.delete(turn.session);
      this.look();
    };
  }

  /** Starts the waiting turns for which there is a place. */
  look(): void {
    for (const it of [...this.#waiting])
      if (!this.#fullFor(it.turn)) {
        this.#take(it.turn);
        it.begin();
      }
  }

  #take({ session }: StartingTurn): void {
    this.#running.set(session, (this.#running.get(session) ?? 0) + 1);
  }

  /** The limit that leaves no place for the turn. A session that already runs a turn needs no other place. */
  #fullFor({ session, limits }: StartingTurn): Full | undefined {
    if (this.#running.has(session)) return undefined;
    const { sessions, sessionsInFolder } = limits() ?? {};
    const all = [...this.#running.keys()];
    const inFolder = (folder: string) => all.filter((it) => this.#deps.foldersOf(it).includes(folder)).length;
    const scopes = [
      { name: 'sessions', setting: sessions, isFolder: false, count: () => all.length },
      ...this.#deps.foldersOf(session).map((folder) => ({
        name: `sessions ${folder}`,
        setting: sessionsInFolder,
        isFolder: true,
        count: () => inFolder(folder),
      })),
    ];
    for (const { name, setting, isFolder, count: countOf } of scopes) {
      if (setting === undefined) continue;
      const account = { name, day: '' };
      const limit = this.#deps.raises.limitOf(account, setting);
      const count = countOf();
      if (count >= limit) return { account, setting, isFolder, limit, count };
    }
    return undefined;
  }

  /** Settles when the turn has a place. */
  #wait(turn: StartingTurn): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const over = new AbortController();
      const end = () => {
        over.abort();
        this.#waiting.delete(waiter);
        turn.signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        end();
        reject(turn.signal.reason);
      };
      const waiter: Waiter = {
        turn,
        begin: () => {
          end();
          resolve();
        },
      };
      turn.signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      turn.shows(WAITING, over.signal);
      this.#ask(turn, over.signal).catch((thrown: unknown) => {
        if (over.signal.aborted) return; // the turn has a place, or was stopped
        end();
        reject(thrown);
      });
    });
  }

  /** Asks until the answer can be used. @param over aborts when an answer no longer matters @throws {Fault} if the turn should end */
  async #ask(turn: StartingTurn, over: AbortSignal): Promise<void> {
    for (let isUnclear = false; ; isUnclear = true) {
      const full = this.#fullFor(turn);
      if (!full) return this.look();
      const id = this.#deps.newId();
      let isLate = false;
      const withdraw = () => turn.withdraw(id);
      const stop = this.#deps.timers.after(ANSWER_LIMIT_MS, () => {
        isLate = true;
        withdraw();
      });
      over.addEventListener('abort', withdraw, { once: true });
      const answers = await turn.ask(sessionQuestion(id, full, isUnclear)).finally(() => {
        stop();
        over.removeEventListener('abort', withdraw);
      });
      if (over.aborted) return;
      if (isLate) throw late();
      const answer = readLimit(answers, full.limit, 'wait');
      if (answer === 'stop') throw stopped();
      if (answer === 'wait') return;
      if (answer === undefined) continue;
      this.#deps.raises.raise(full.account, full.setting, answer);
      return this.look();
    }
  }
}

const stopped = () =>
  new Fault(
    'budget_stopped',
    'The turn was stopped before it started, because the limit on running sessions was reached. Send the message again when another session has ended its turn.',
  );
const late = () =>
  new Fault(
    'budget_stopped',
    'The turn did not start, because the limit on running sessions was reached and the question was not answered within an hour. Send the message again, or raise the limit in the settings.',
  );
