/** From the least important message to the most important one, as in RFC 5424. */
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
type Level = (typeof levels)[number];

/** The level for a client that set none, once another client set one. */
const unasked: Level = 'info';

export const isLevel = (level: unknown): level is Level => levels.some((it) => it === level);

/** The log levels that the clients of one server set. The server gets the lowest one, and each client gets its own messages. */
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

  /** The level to set at the server now; `undefined` if it is already set, or if no client set one. */
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
