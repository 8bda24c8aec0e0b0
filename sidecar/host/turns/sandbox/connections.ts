import type { ToolDecision } from '../../../agents/provider.ts';

/** A turn in which the user can be asked whether a program of the session can connect to a host. */
export interface AsksAboutConnections {
  /** @param address the origin and a slash, for rules about addresses */
  connect(host: string, address: string): Promise<ToolDecision>;
}

export interface ConnectionDecision {
  readonly allow: boolean;
  /** For the program: one line. */
  readonly reason?: string;
}

/** Hosts that the programs of a session can ask about in one turn. A program could otherwise ask without end. */
export const MOST_HOSTS = 100;
const TOO_MANY = 'Programs in the sandbox tried to connect to too many hosts in this turn.';

/** Decides whether programs in sandboxes can connect to hosts. The running turn of their session asks. */
export class Connections {
  /** The latest turn of a session asks. */
  readonly #turns = new Set<{ readonly session: string; readonly turn: AsksAboutConnections }>();

  /** @returns a function that must be called at the end of the turn */
  began(session: string, turn: AsksAboutConnections): () => void {
    const asked = new Set<string>();
    const limited: AsksAboutConnections = {
      async connect(host, address) {
        if (!asked.has(address) && asked.size >= MOST_HOSTS) return { allow: false, reason: TOO_MANY };
        asked.add(address);
        return turn.connect(host, address);
      },
    };
    const begun = { session, turn: limited };
    this.#turns.add(begun);
    return () => void this.#turns.delete(begun);
  }

  async decide(session: string, host: string, port: number): Promise<ConnectionDecision> {
    const turn = [...this.#turns].findLast((it) => it.session === session)?.turn;
    return (await import('./inSandbox.ts')).decideConnection(turn, host, port);
  }
}
