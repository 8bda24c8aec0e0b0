import type { ToolDecision } from '../../../agents/provider.ts';

/** What is known about the connections of a session, from one turn to the next. */
export interface SessionNotes {
  /** By address: hosts to which programs tried to connect while no turn was running. */
  readonly missed: Map<string, string>;
  /** Whether the user was told which hosts are denied without asking. */
  isTold: boolean;
}

/** A turn in which the user can be asked whether a program of the session can connect to a host. */
export interface AsksAboutConnections {
  /** @param address the origin and a slash, for rules about addresses */
  connect(host: string, address: string, notes: SessionNotes): Promise<ToolDecision>;
}

export interface ConnectionDecision {
  readonly allow: boolean;
  /** For the program: one line. */
  readonly reason?: string;
}

export interface BegunTurn {
  readonly session: string;
  readonly turn: AsksAboutConnections;
  /** Addresses that were asked about in this turn. */
  readonly asked: Set<string>;
}

/** Decides whether programs in sandboxes can connect to hosts. The running turn of their session asks. */
export class Connections {
  /** The latest turn of a session asks. */
  readonly #turns = new Set<BegunTurn>();
  readonly #notes = new Map<string, SessionNotes>();

  /** @returns a function that must be called at the end of the turn */
  began(session: string, turn: AsksAboutConnections): () => void {
    const begun = { session, turn, asked: new Set<string>() };
    this.#turns.add(begun);
    const notes = this.#notes.get(session);
    if (notes) void import('./inSandbox.ts').then((it) => it.askAboutMissed(begun, notes));
    return () => void this.#turns.delete(begun);
  }

  async decide(session: string, host: string, port: number): Promise<ConnectionDecision> {
    const begun = [...this.#turns].findLast((it) => it.session === session);
    const notes = this.#notes.get(session) ?? { missed: new Map(), isTold: false };
    this.#notes.set(session, notes);
    return (await import('./inSandbox.ts')).decideConnection(begun, host, port, notes);
  }
}
