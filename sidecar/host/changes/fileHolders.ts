/** A session whose running turn changes files that another session is about to change. */
export interface FileHolder {
  readonly session: string;
  /** Real paths, of those that were asked about. */
  readonly paths: readonly string[];
  /** It waits, itself or through others, for the session that asks. */
  readonly isWaitingForUs: boolean;
}

/** The files of all sessions, as the turn of one chat sees them. Paths are absolute real paths. */
export interface HeldFiles {
  /** The turn changes these, or was allowed to. @returns those that it did not hold yet */
  hold(paths: readonly string[]): readonly string[];
  /** Other sessions whose running turns change them, except files that were handed over to this session. */
  others(paths: readonly string[]): readonly FileHolder[];
  /** From now on, this session may change the files without a warning, and the others get one. */
  takeOver(paths: readonly string[]): void;
  /** Settles when no other session changes the files. Rejects when the signal aborts. */
  whenFree(paths: readonly string[], signal: AbortSignal): Promise<void>;
}

interface Waiting {
  readonly session: string;
  readonly holders: ReadonlySet<string>;
  readonly wake: () => void;
}

/**
 * Which session changes which file, for as long as turns run. It is kept in memory: after a restart of the host, no turn
 * runs (host.files.held).
 */
export class FileHolders {
  /** The session by chat, by path. */
  readonly #held = new Map<string, Map<string, string>>();
  readonly #takenOver = new Map<string, string>();
  readonly #waiting = new Set<Waiting>();

  of(session: string, chat: string): HeldFiles {
    return {
      hold: (paths) => paths.filter((path) => this.#hold(session, chat, path)),
      others: (paths) => this.#others(session, paths),
      takeOver: (paths) => paths.forEach((path) => void this.#takenOver.set(path, session)),
      whenFree: (paths, signal) => this.#whenFree(session, paths, signal),
    };
  }

  /** The turn of the chat has ended: it changes nothing any more. */
  ended(chat: string): void {
    for (const [path, chats] of this.#held) {
      if (!chats.delete(chat)) continue;
      if (![...chats.values()].includes(this.#takenOver.get(path) ?? '')) this.#takenOver.delete(path);
      if (chats.size === 0) this.#held.delete(path);
    }
    for (const it of this.#waiting) it.wake();
  }

  #hold(session: string, chat: string, path: string): boolean {
    const chats = this.#held.get(path) ?? new Map<string, string>();
    if (chats.has(chat)) return false;
    this.#held.set(path, chats.set(chat, session));
    return true;
  }

  #others(session: string, paths: readonly string[]): FileHolder[] {
    const found = new Map<string, string[]>();
    for (const path of new Set(paths)) {
      if (this.#takenOver.get(path) === session) continue;
      for (const holder of new Set(this.#held.get(path)?.values())) {
        if (holder !== session) found.set(holder, [...(found.get(holder) ?? []), path]);
      }
    }
    return [...found].map(([holder, held]) => ({
      session: holder,
      paths: held,
      isWaitingForUs: this.#isWaiting(holder, session, new Set()),
    }));
  }

  #isWaiting(session: string, target: string, seen: Set<string>): boolean {
    if (seen.has(session)) return false;
    seen.add(session);
    return [...this.#waiting]
      .filter((it) => it.session === session)
      .some(({ holders }) => holders.has(target) || [...holders].some((it) => this.#isWaiting(it, target, seen)));
  }

  async #whenFree(session: string, paths: readonly string[], signal: AbortSignal): Promise<void> {
    for (let held = this.#others(session, paths); held.length > 0; held = this.#others(session, paths)) {
      await this.#nextEnd(session, new Set(held.map((it) => it.session)), signal);
    }
  }

  async #nextEnd(session: string, holders: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting = { session, holders, wake: () => leave(resolve) };
      const onAbort = () => leave(() => reject(signal.reason));
      const leave = (settle: () => void) => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }
}
