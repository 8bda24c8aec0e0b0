import { BoundedMap } from '../../platform/boundedMap.ts';
import type { Clock } from '../../platform/clock.ts';

interface Counters {
  iterations: number;
  /** US dollars: what was spent, and what running calls are known to cost. */
  spend: number;
  readonly endsMs: number;
}

export interface SessionCaps {
  readonly max_iterations?: number | null | undefined;
  readonly max_budget_per_session?: number | null | undefined;
}

/** Sessions that are remembered at a time; beyond it the oldest are forgotten. */
const maxSessions = 100_000;

/** Counts the messages of each session to agents, and their cost. The counters are in memory and expire. */
export class SessionCounters {
  readonly #sessions = new BoundedMap<string, Counters>(maxSessions);
  readonly #clock: Clock;
  readonly #lifeMs: number;

  constructor(clock: Clock, lifeMs: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  /**
   * Counts one message, unless a cap is reached.
   * @param cost US dollars that are known before the call; reserved until it is settled
   * @returns a sentence that names the cap that was reached, or what to call when the cost is known
   */
  enter(session: string, caps: SessionCaps, cost: number): string | ((spend: number) => void) {
    const counters = this.#counters(session);
    const { max_iterations: iterations, max_budget_per_session: budget } = caps;
    if (typeof iterations === 'number' && counters.iterations >= iterations) {
      return `This session has reached its limit of ${iterations} messages to this A2A agent.`;
    }
    if (typeof budget === 'number' && (counters.spend >= budget || counters.spend + cost > budget)) {
      return `This session's budget has been exceeded. Current cost: ${counters.spend}, Max budget: ${budget}`;
    }
    counters.iterations += 1;
    counters.spend += cost;
    return (spend) => {
      counters.spend += spend - cost;
    };
  }

  #counters(session: string): Counters {
    const nowMs = this.#clock.monotonicMs();
    const found = this.#sessions.get(session);
    if (found && found.endsMs > nowMs) return found;
    for (const [oldest, { endsMs }] of this.#sessions) {
      if (endsMs > nowMs) break;
      this.#sessions.delete(oldest);
    }
    const counters: Counters = { iterations: 0, spend: 0, endsMs: nowMs + this.#lifeMs };
    this.#sessions.set(session, counters);
    return counters;
  }
}
