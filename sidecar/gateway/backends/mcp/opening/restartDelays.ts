import { BackendFailure } from '../failure.ts';
import type { McpTarget } from '../types.ts';

/** If a program exits sooner than this after it started, its next start is delayed. */
const youngMs = 10_000;

/** Delays the next start of programs that exit soon after they started, longer each time. */
export class RestartDelays {
  /** By the name of the connection. */
  readonly #deaths = new Map<string, { readonly count: number; readonly notBeforeMs: number }>();

  /** A program exited, or could not be started. */
  noteDeath(name: string, openedMs: number, now: number): void {
    const count = now - openedMs < youngMs ? (this.#deaths.get(name)?.count ?? 0) + 1 : 0;
    if (count === 0) this.#deaths.delete(name);
    else this.#deaths.set(name, { count, notBeforeMs: now + Math.min(30_000, 500 * 2 ** (count - 1)) });
  }

  /** @throws {BackendFailure} while the next start is delayed */
  check(name: string, target: McpTarget, now: number): void {
    const death = this.#deaths.get(name);
    if (!death || now >= death.notBeforeMs) return;
    throw new BackendFailure(
      'unreachable',
      `The MCP server '${target.name}' exited ${death.count === 1 ? 'once' : `${death.count} times`}. It will restart soon. Try again later.`,
      { mayHaveRun: false },
    );
  }

  /** @param prefix of the names of connections that may start again at once */
  forget(prefix: string): void {
    for (const name of this.#deaths.keys()) if (name.startsWith(prefix)) this.#deaths.delete(name);
  }
}
