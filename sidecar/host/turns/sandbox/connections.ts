import type { ToolDecision } from '../../../agents/provider.ts';

/** A turn in which a person can be asked whether a program of the session may connect to a host. */
export interface AsksAboutConnections {
  /** @param address with which rules about addresses are compared: the origin and a slash */
  connect(host: string, address: string): Promise<ToolDecision>;
}

export interface ConnectionDecision {
  readonly allow: boolean;
  /** For the program: one line. */
  readonly reason?: string;
}

/** Decides about the connections of programs in sandboxes: the turn that runs in their session asks. */
export class Connections {
  /** The last one of a session asks. */
  readonly #turns = new Set<{ readonly session: string; readonly turn: AsksAboutConnections }>();

  /** @returns what ends it */
  began(session: string, turn: AsksAboutConnections): () => void {
    const begun = { session, turn };
    this.#turns.add(begun);
    return () => void this.#turns.delete(begun);
  }

  async decide(session: string, host: string, port: number): Promise<ConnectionDecision> {
    const turn = [...this.#turns].findLast((it) => it.session === session)?.turn;
    return (await import('./inSandbox.ts')).decideConnection(turn, host, port);
  }
}
