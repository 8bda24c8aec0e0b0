/** From the least important message to the most important one, as in RFC 5424. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
type Level = (typeof levels)[number];

/** What a client gets that asked for no level, as soon as another one asked for more. */
const unasked: Level = 'info';

export const isLevel = (level: unknown): level is Level => levels.some((it) => it === level);

/** The levels that the clients of one server asked for. The server is asked for the lowest, and each client gets its own. */
export class LogLevels<Client> {
  readonly #wanted = new Map<Client, Level>();
  /** What the server was asked for last. */
  #sent: Level | undefined;

  want(client: Client, level: Level): void {
    this.#wanted.set(client, level);
  }

  leave(client: Client): void {
    this.#wanted.delete(client);
  }

  /** What the server is to be asked for now; `undefined` where it was already, or nobody asks for anything. */
  take(): Level | undefined {
    const lowest = levels.find((it) => [...this.#wanted.values()].includes(it));
    if (lowest === undefined || lowest === this.#sent) return undefined;
    this.#sent = lowest;
    return lowest;
  }

  /** The server did not take it. */
  refused(): void {
    this.#sent = undefined;
  }

  isFor(client: Client, level: unknown): boolean {
    if (this.#sent === undefined || !isLevel(level)) return true;
    return levels.indexOf(level) >= levels.indexOf(this.#wanted.get(client) ?? unasked);
  }
}
